public import Foundation

/// The version of a file that was not read because the caller already has it (``ReadOptions/ifNoneMatch``).
public struct UnmodifiedFile: Error, Sendable, Hashable {
    /// The version, as the storage reports it now.
    public var version: String

    /// The file is still `version`.
    public init(version: String) {
        self.version = version
    }
}

extension FileError {
    /// The file is the version that the caller already has: `CocoaError(.fileReadUnknown)` with ``UnmodifiedFile``
    /// below it. Over HTTP, 304 (RFC 9110, section 15.4.5).
    public static func unmodified(_ path: ProviderPath, version: String, url: URL? = nil) -> CocoaError {
        make(
            .fileReadUnknown, path: path, url: url,
            sentence: "“\(path)” was not read: it is still the version that the caller has.",
            underlying: UnmodifiedFile(version: version))
    }

    /// The file is not the requested version: `CocoaError(.fileReadUnknown)` with `ESTALE` below it. Over HTTP, 412
    /// (RFC 9110, section 15.5.13).
    public static func otherVersion(_ path: ProviderPath, url: URL? = nil) -> CocoaError {
        make(
            .fileReadUnknown, path: path, url: url,
            sentence: "“\(path)” is no longer the requested version. Look at it again before reading.",
            underlying: POSIXError(.ESTALE))
    }
}

extension Error {
    /// The version of a file that was not read, if this error says that the caller already has it.
    public var unmodifiedFile: UnmodifiedFile? { (self as? CocoaError)?.underlying as? UnmodifiedFile }
}

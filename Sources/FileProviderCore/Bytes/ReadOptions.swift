public import Foundation

/// The version of a file to read.
///
/// A version is the text in ``FileReaderAttributes/validator`` or, if a storage has tags, in ``FileObject/entryTag``.
/// Two tags are compared weakly (RFC 9110, section 8.8.3.2): `W/"a"` and `"a"` are one version.
public struct ReadOptions: Sendable, Hashable {
    /// Read only if the file is another version than this one. Otherwise the first read, or opening, fails with
    /// ``FileError/unmodified(_:version:url:)``. A file that has no version is read.
    public var ifNoneMatch: String?
    /// Read only if the file is this version. Otherwise the first read, or opening, fails with
    /// ``FileError/otherVersion(_:url:)``; so does a file that has no version.
    public var ifMatch: String?

    /// The defaults read any version.
    public init(ifNoneMatch: String? = nil, ifMatch: String? = nil) {
        self.ifNoneMatch = ifNoneMatch
        self.ifMatch = ifMatch
    }

    /// Whether every version is read.
    public var isUnconditional: Bool { ifNoneMatch == nil && ifMatch == nil }

    /// Compares the version of an opened file. A provider that sends these conditions itself calls this with the answer
    /// to its first read.
    ///
    /// - Parameter validator: The version found; nil if the storage has no way to tell versions apart.
    /// - Throws: ``FileError/otherVersion(_:url:)`` or ``FileError/unmodified(_:version:url:)``.
    public func check(_ validator: String?, of path: ProviderPath, url: URL? = nil) throws {
        if let ifMatch, validator.map(Self.opaque) != Self.opaque(ifMatch) {
            throw FileError.otherVersion(path, url: url)
        }
        if let ifNoneMatch, let validator, Self.opaque(validator) == Self.opaque(ifNoneMatch) {
            throw FileError.unmodified(path, version: validator, url: url)
        }
    }

    private static func opaque(_ version: String) -> Substring {
        version.hasPrefix("W/") ? version.dropFirst(2) : version[...]
    }
}

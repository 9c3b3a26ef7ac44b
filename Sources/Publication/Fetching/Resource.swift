public import FileProviderCore
public import Foundation

/// A proxy to one resource of a publication. Nothing is read before the first access.
///
/// A resource exists even if its file doesn't; the first access then throws `CocoaError(.fileReadNoSuchFile)`. Errors
/// are Foundation's, as the medium threw them; `Error.resourceFailure` sorts them into kinds.
public protocol Resource: AnyObject, Sendable {
    /// The link that was asked for, enriched by what the medium knows: its type, the archive entry's lengths.
    var link: Link { get }

    /// Returns the number of bytes after all transformations: a hint for progress and positions, never a size to
    /// allocate.
    func length() async throws -> Int64

    /// Returns the version of the bytes that this object has read and continues to read; nil if the medium doesn't
    /// report one.
    ///
    /// If the bytes change to another version, this or the reads throw; versions are never mixed silently.
    ///
    /// - Complexity: Nothing once any read has answered; before that, at most one request.
    func validator() async throws -> ResourceValidator?

    /// Sends the bytes in `range`, clamped to the resource, into `sink`; all bytes if `range` is nil.
    ///
    /// - Complexity: As the medium's: a stored archive entry or a file costs one range, a deflated entry all that lies
    ///   before.
    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws

    /// Releases what the resource holds. May be called more than once.
    func close() async
}

/// A resource whose content the medium can confirm in a second way.
package protocol ConfirmableResource: Resource {
    /// Confirms that the version that was read is the medium's own, if a length of `length` bytes was known before.
    /// Catches a login page that a server sends instead of the file.
    func confirm(insteadOf length: Int64) async throws
}

extension Resource {
    /// The most that ``read(_:)`` holds in memory, 256 MiB. Stream what is larger.
    public static var memoryLimit: Int { 256 << 20 }

    /// Returns the bytes in `range`, clamped to the resource; all bytes if `range` is nil.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over ``memoryLimit``.
    public func read(_ range: Range<Int64>? = nil) async throws -> Data {
        let sink = DataSink(limit: Self.memoryLimit)
        try await stream(range, into: sink)
        return sink.data
    }

    /// Returns the whole resource as text: in `encoding`, else in the `charset` of the link's type, else in UTF-8.
    ///
    /// - Throws: `CocoaError(.fileReadInapplicableStringEncoding)` if the bytes are not text in that encoding.
    public func readAsString(encoding: String.Encoding? = nil) async throws -> String {
        let data = try await read()
        guard let text = String(data: data, encoding: encoding ?? link.mediaType.encoding ?? .utf8) else {
            throw FileError.make(
                .fileReadInapplicableStringEncoding, path: link.href,
                sentence: "“\(link.href)” is not text in the encoding that was given or declared for it.")
        }
        return text
    }

    /// The bytes in `range` as they arrive, in pieces; all bytes if `range` is nil.
    public func bytes(_ range: Range<Int64>? = nil) -> PumpedBytes {
        PumpedBytes { try await self.stream(range, into: $0) }
    }

    /// Returns nil, for resources without a known version.
    public func validator() async throws -> ResourceValidator? { nil }

    /// Does nothing, for resources that hold nothing.
    public func close() async {}
}

/// A resource made of bytes in memory.
public final class BytesResource: Resource {
    /// The link as it was given: neither a type nor a size is added.
    public let link: Link
    private let data: Data

    /// Keeps `data` in memory for the lifetime of the resource.
    public init(_ link: Link, data: Data) {
        self.link = link
        self.data = data
    }

    /// A resource made of text, in UTF-8.
    public convenience init(_ link: Link, string: String) {
        self.init(link, data: Data(string.utf8))
    }

    /// Returns the number of bytes given; never throws.
    public func length() async throws -> Int64 { Int64(data.count) }

    /// Sends the bytes in one piece, however many they are.
    ///
    /// - Throws: Errors of the sink.
    public func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let range = (range ?? 0..<Int64(data.count)).clamped(to: 0..<Int64(data.count))
        try sink.begin(FileExtent(offset: range.lowerBound, count: Int64(range.count), size: Int64(data.count)))
        let part = data.dropFirst(Int(range.lowerBound)).prefix(range.count)
        try await sink.send(part)
    }
}

/// A resource that answers every access with the same error.
public final class FailureResource: Resource {
    /// As it was given.
    public let link: Link
    private let error: any Error

    /// - Parameter error: What every access throws, as it is.
    public init(_ link: Link, error: any Error) {
        self.link = link
        self.error = error
    }

    /// - Throws: The error given, always.
    public func length() async throws -> Int64 { throw error }

    /// - Throws: The error given, always. Never calls `sink`.
    public func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws { throw error }
}

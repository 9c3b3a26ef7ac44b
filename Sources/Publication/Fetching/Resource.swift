public import FileProviderCore
public import Foundation

/// A proxy to one resource of a publication: nothing is read before somebody asks.
///
/// A resource exists even where the thing it stands for does not; the first access then throws
/// `CocoaError(.fileReadNoSuchFile)`. Errors are Foundation's, as the medium gave them; `Error.resourceFailure` sorts
/// them.
public protocol Resource: AnyObject, Sendable {
    /// The link it was asked for with, enriched by what the medium knows: its type, the archive entry's lengths.
    var link: Link { get }

    /// Bytes after all transformations: a hint for progress and positions, never a size to allocate.
    func length() async throws -> Int64

    /// The version of the bytes that this object has read and goes on to read; nil where the medium does not tell.
    ///
    /// Bytes of another version are an error of the reads, or of this: never a silent mixture.
    ///
    /// - Complexity: Nothing once any read has answered; before that, at most one request.
    func validator() async throws -> ResourceValidator?

    /// Sends the bytes that lie in `range`, clamped to the resource, into `sink`; nil for all.
    ///
    /// - Complexity: As the medium's: a stored archive entry or a file costs one range, a deflated entry all that lies
    ///   before.
    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws

    /// Gives back what the resource holds; closing twice is allowed.
    func close() async
}

/// A resource whose medium can tell in a second way what it holds.
package protocol ConfirmableResource: Resource {
    /// Sees that the version that was read is the medium's, where one of `length` bytes was known before: a login page
    /// is not.
    func confirm(insteadOf length: Int64) async throws
}

extension Resource {
    /// The most that ``read(_:)`` holds, 256 MiB: what is larger is streamed.
    public static var memoryLimit: Int { 256 << 20 }

    /// The bytes that lie in `range`, clamped to the resource; nil for all.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over ``memoryLimit``.
    public func read(_ range: Range<Int64>? = nil) async throws -> Data {
        let sink = DataSink(limit: Self.memoryLimit)
        try await stream(range, into: sink)
        return sink.data
    }

    /// The whole resource as text: in `encoding`, else in the `charset` of the link's type, else in UTF-8.
    ///
    /// - Throws: `CocoaError(.fileReadInapplicableStringEncoding)` when the bytes are no such text.
    public func readAsString(encoding: String.Encoding? = nil) async throws -> String {
        let data = try await read()
        guard let text = String(data: data, encoding: encoding ?? link.mediaType.encoding ?? .utf8) else {
            throw FileError.make(
                .fileReadInapplicableStringEncoding, path: link.href,
                sentence: "“\(link.href)” is not text in the encoding it claims.")
        }
        return text
    }

    /// The bytes that lie in `range` as they come, in pieces; nil for all.
    public func bytes(_ range: Range<Int64>? = nil) -> PumpedBytes {
        PumpedBytes { try await self.stream(range, into: $0) }
    }

    /// None, for resources of which nobody tells it.
    public func validator() async throws -> ResourceValidator? { nil }

    /// Does nothing, for resources that hold nothing.
    public func close() async {}
}

/// A resource made of bytes that are there already.
public final class BytesResource: Resource {
    /// As it was given: neither a type nor a size is added.
    public let link: Link
    private let data: Data

    /// Keeps `data` in memory as long as there is the resource.
    public init(_ link: Link, data: Data) {
        self.link = link
        self.data = data
    }

    /// A resource made of text, in UTF-8.
    public convenience init(_ link: Link, string: String) {
        self.init(link, data: Data(string.utf8))
    }

    /// Bytes given; never throws.
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

    /// - Throws: The error given, always; `sink` hears nothing.
    public func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws { throw error }
}

public import CurlTransport
public import FileProviderCore
import Foundation

extension HTTPConnection {
    /// Opens the file at `path`. Sends nothing: the first read gets size and version with the bytes.
    public func open(path: ProviderPath) -> any FileReader { open(HTTPRequest("GET", path: path), cost: .request) }

    /// Opens the file of `request`, for services that need more than a `GET` of the path. The range is added to the
    /// request.
    ///
    /// - Parameters:
    ///   - options: The wanted version. It is sent with the first read (RFC 9110, section 13.1), and compared with its
    ///     answer, because some servers ignore conditions.
    ///   - proof: Called with the head of an answer that has a whole file. Returns a verifier for its bytes, if the head
    ///     has a hash.
    ///   - missing: Called if the server says that there is no such file; may throw a better error.
    public func open(
        _ request: HTTPRequest, cost: Capabilities.ReadCost, options: ReadOptions = ReadOptions(),
        proof: @escaping Proof = { _ in nil },
        missing: @escaping @Sendable () async throws -> Void = {}
    ) -> any FileReader {
        RangedFileReader(path: request.path, cost: cost) { [self] part, version, sink, note in
            do {
                return try await fetch(
                    request, part: part, version: version, into: sink, options: options, proof: proof, note: note)
            } catch let error where error.isNoSuchFile {
                try await missing()
                throw error
            }
        }
    }

    /// Brings one part of the file that `request` brings, from what was kept where it still holds.
    func fetch(
        _ request: HTTPRequest, part: FilePart, version: String?, into sink: any ByteSink,
        options: ReadOptions = ReadOptions(), proof: @escaping Proof = { _ in nil },
        note: @escaping Download.Note = { _ in }
    ) async throws -> (FileExtent, FileReaderAttributes) {
        let download = Download(
            request, part: part, version: version, sink: sink, connection: self, proof: proof, note: note)
        // An answer of this reader has shown the version before.
        if version == nil, !options.isUnconditional { return try await download.run(if: options) }
        guard request.mayBeKept, let responses = await responses() else { return try await download.run() }
        return try await CachedDownload(download, responses: responses, query: "bytes\n" + request.keptQuery).run()
    }

    /// Returns a verifier for the bytes of a whole file; nil if the head has nothing to compare them with.
    public typealias Proof = @Sendable (_ head: ResponseHead) -> (any HTTPBodyProof)?

    /// Returns the part of an ETag that identifies the version: Apache calls a tag weak for the first seconds of a file and
    /// strong after them.
    public static func version(_ entryTag: String) -> String {
        entryTag.hasPrefix("W/") ? String(entryTag.dropFirst(2)) : entryTag
    }

    /// How far into a file a server that knows no ranges may be read, 8 MiB: what lies before has to be downloaded.
    static var maxSkip: Int64 { 8 << 20 }
}

/// Verifies the bytes of a whole file as they arrive, on the thread that has them.
public protocol HTTPBodyProof: Sendable {
    /// Receives the pieces in their order, one call after the other.
    func add(_ bytes: UnsafeRawBufferPointer)

    /// Called after the last piece.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the bytes differ from the server's.
    func check(_ path: ProviderPath) throws
}

public import CurlTransport
public import FileProviderCore
import Foundation

extension HTTPConnection {
    /// Opens the file at `path`. Nothing is sent: the first read brings size and version with the bytes.
    public func open(path: ProviderPath) -> any FileReader { open(HTTPRequest("GET", path: path), cost: .request) }

    /// Opens the file that `request` brings, for services that do not read by `GET` of the path alone. The range is
    /// added to it.
    ///
    /// - Parameters:
    ///   - options: Which version is wanted: sent with the first read (RFC 9110, section 13.1), and compared with its
    ///     answer, as some servers pass conditions over.
    ///   - proof: Called with the head of an answer that brings a whole file: what looks at its bytes, where the head
    ///     has what to compare them with.
    ///   - missing: Called when the server says that there is no such file: may throw a better error.
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

    /// Makes what looks at the bytes of a whole file; nil where the head tells nothing to compare them with.
    public typealias Proof = @Sendable (_ head: ResponseHead) -> (any HTTPBodyProof)?

    /// What an ETag says about the version: Apache calls the same tag weak for the first seconds of a file and strong
    /// after them.
    public static func version(_ entryTag: String) -> String {
        entryTag.hasPrefix("W/") ? String(entryTag.dropFirst(2)) : entryTag
    }

    /// How far into a file a server that knows no ranges may be read, 8 MiB: what lies before has to be downloaded.
    static var maxSkip: Int64 { 8 << 20 }
}

/// Looks at the bytes of a whole file as they come, on the thread that has them.
public protocol HTTPBodyProof: Sendable {
    /// Pieces come in their order, one call after the other.
    func add(_ bytes: UnsafeRawBufferPointer)

    /// Called after the last piece.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when the bytes are not those that the server meant.
    func check(_ path: ProviderPath) throws
}

import CurlTransport
import FileProviderCore
import Foundation
import HTTPFileProvider

/// Listings kept in a folder, for servers whose folders have tags that change with everything below them.
extension WebDAVFileProvider {
    private static let kept = "PROPFIND, Depth: 1"

    /// Gives the kept listing while the folder's tag is the same; otherwise lists again and keeps the new listing.
    ///
    /// - Complexity: One `PROPFIND` of depth 0, and one of depth 1 if something has changed. Listings over the size
    ///   of a kept file are not kept.
    func list(_ path: ProviderPath, by responses: ResponseCache, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        let moment = await responses.moment()
        let kept = await responses.answer(path, query: Self.kept)
        // Before the listing: a change between the two makes the tag too old, never the listing.
        let tag = kept?.isFresh == true ? kept?.head.entryTag : try await item(path, isWriting: false).entryTag
        if let kept, kept.head.entryTag == tag, let items = try? items(in: kept.body, of: path) {
            return try await page(items)
        }
        let recording = AnswerRecorder(limit: responses.maxSize)
        try await list(path, recording: recording, page: page)
        guard let tag, let body = recording.bytes else { return }
        var head = ResponseHead(status: 200)
        head.headers = [("ETag", tag)]
        await responses.keep(body, head, path, query: Self.kept, since: moment)
    }

    private func items(in body: Data, of path: ProviderPath) throws -> [FileObject] {
        let decoder = try MultistatusDecoder()
        try decoder.parse(body)
        try decoder.finish()
        var asked = asked(path, isFolder: true)
        let items = try items(in: decoder.take(), of: path, &asked)
        // A listing that leaves items out is not kept, so that each one reports it.
        try asked.refuseUnusable(in: path, url: url(of: path))
        return items
    }
}

/// An answer as it came, if it is not too large.
final class AnswerRecorder: Sendable {
    private let limit: Int64
    private let state = LockedValue(Data?.some(Data()))

    init(limit: Int64) {
        self.limit = limit
    }

    /// Nil where there were too many.
    var bytes: Data? { state.value }

    /// Forgets the bytes of an answer that broke off.
    func start() { state.update { $0 = Data() } }

    func add(_ piece: Data) {
        state.update { bytes in bytes = bytes.flatMap { Int64($0.count + piece.count) <= limit ? $0 + piece : nil } }
    }
}

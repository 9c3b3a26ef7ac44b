import Foundation
import Shelf
import WebServer

/// Answers with the cover of a book, which the shelf scales and keeps when it is first asked for.
enum CoverAnswer {
    private static let usual = 240
    private static let largest = 4_096

    /// Nil if the book has no cover.
    ///
    /// - Throws: Errors of the storage.
    static func make(
        for request: ServerRequest, _ book: ShelfBook, _ context: ShelfContext
    ) async throws -> ServerResponse? {
        let query = FormFields(request.query)
        let size = min(max(1, query["size"].flatMap { Int($0) } ?? usual), largest)
        if let known = book.coverTag, let answer = unchanged(request, known, size, query) { return answer }
        guard let cover = try await context.shelf.cover(of: book, dimension: size) else { return nil }
        if let answer = unchanged(request, cover.tag, size, query) { return answer }
        var answer = ServerResponse(
            status: 200, headers: fields(cover.tag, size, query), body: .data(cover.data))
        answer.set("Content-Type", cover.mediaType)
        return answer
    }

    /// 304 for a client that has the picture.
    private static func unchanged(
        _ request: ServerRequest, _ cover: String, _ size: Int, _ query: FormFields
    ) -> ServerResponse? {
        switch Preconditions(request).evaluate([tag(cover, size)]) {
        case .failed: RefusalAnswer.failedCondition
        case .notModified: ServerResponse(status: 304, headers: fields(cover, size, query))
        case .proceed: nil
        }
    }

    private static func tag(_ cover: String, _ size: Int) -> EntityTag {
        EntityTag(ofParts: ["cover", cover, String(size)])
    }

    /// An address that names the cover's tag stays the same picture.
    private static func fields(_ cover: String, _ size: Int, _ query: FormFields) -> ContentPolicy.Fields {
        let seconds = query["v"] == cover ? 30 * 24 * 3_600 : 3_600
        var fields = ContentPolicy.service()
        fields.append((name: "Cache-Control", value: "private, max-age=\(seconds)"))
        fields.append((name: "ETag", value: tag(cover, size).value))
        return fields
    }
}

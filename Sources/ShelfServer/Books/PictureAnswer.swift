import FileInformation
import FileProviderCore
import Foundation
import MediaTypes
import Publication
import Shelf
import WebServer

/// Answers with one page of a book of pictures, scaled down to the width that a client asks for (OPDS-PSE 1.1).
enum PictureAnswer {
    /// The most bytes of a page in the book.
    private static let largestPage = 64 << 20
    /// The longest side to which pictures are scaled.
    private static let longestSide = 4_096

    /// Nil if there is no such page.
    ///
    /// - Parameter number: Counted from 0.
    /// - Throws: Errors of the storage.
    static func make(
        for request: ServerRequest, _ book: ShelfBook, page number: Int, _ context: ShelfContext
    ) async throws -> ServerResponse? {
        let most = context.settings.maxPageWidth
        let width = min(max(1, FormFields(request.query)["width"].flatMap { Int($0) } ?? most), most)
        guard let count = BookPages.count(of: book), (0..<count).contains(number) else { return nil }
        let tag = BookVersion(book).tag(book, "page", String(number), String(width))
        var answer = ServerResponse(status: 200, headers: ContentPolicy.service())
        answer.set("Cache-Control", "private, max-age=3600")
        if let tag { answer.set("ETag", tag.value) }
        switch Preconditions(request).evaluate(tag.map { [$0] } ?? []) {
        case .failed: return RefusalAnswer.failedCondition
        case .notModified:
            answer.status = 304
            return answer
        case .proceed: break
        }
        guard let picture = try await picture(book, number, width, context) else { return nil }
        answer.set("Content-Type", picture.type)
        answer.body = .data(picture.data)
        return answer
    }

    /// One turn of the source until the picture is scaled, as it holds the whole page.
    private static func picture(
        _ book: ShelfBook, _ number: Int, _ width: Int, _ context: ShelfContext
    ) async throws -> (data: Data, type: String)? {
        let turns = context.pictureTurns
        return try await turns.read(of: book.source) {
            try await context.books.with(book) { publication in
                guard publication.readingOrder.indices.contains(number) else { return nil }
                let page = try await page(publication.readingOrder[number], of: publication)
                return try await turns.scaling.take { try await scaled(page, to: width) }
            }
        }
    }

    private static func page(_ link: Link, of publication: Publication) async throws -> Data {
        let resource = publication.get(link)
        do {
            let sink = DataSink(limit: largestPage)
            try await resource.stream(nil, into: sink)
            await resource.close()
            return sink.data
        } catch {
            await resource.close()
            throw error
        }
    }

    /// JPEG where the picture has to be changed, and the book's own bytes where it fits: a picture of another format
    /// stays as it is if this build has no decoder for it. Never enlarged.
    ///
    /// - Returns: Nil for what is no picture of pixels, such as a drawing, which may have scripts.
    private static func scaled(_ data: Data, to width: Int) async throws -> (data: Data, type: String)? {
        let header: (mediaType: String, width: Int, height: Int)
        do { header = try await Thumbnail.header(of: data) } catch let error as CocoaError
            where error.code == .featureUnsupported
        { return nil }
        let own = (data: data, type: header.mediaType)
        let isWide = header.width > width
        if !isWide, header.mediaType == "image/jpeg" { return own }
        let longer = max(header.width, header.height)
        // In integers of twice the size of any picture's side.
        let wanted = isWide ? max(1, longer * width / header.width) : longer
        // A strip that is much longer than wide would become too narrow.
        if wanted > longestSide { return own }
        do {
            let made = try await Thumbnail.scaleDown(image: data, toSize: wanted)
            return (made.data, made.mediaType)
        } catch let error as CocoaError where error.code == .featureUnsupported { return own }
    }
}

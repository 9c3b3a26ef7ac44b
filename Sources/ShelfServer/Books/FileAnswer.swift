import FileProviderCore
import Foundation
import MediaTypes
import Shelf
import WebServer

/// Answers with the file of a book, from its storage or a cache: whole, a part, or only that it has not changed.
///
/// A client that has the present version, and one that sends HEAD, cost no request to the storage.
enum FileAnswer {
    /// Answers of up to 128 KiB are read before they are sent, so that a failure has its own status.
    private static let heldLength: Int64 = 128 << 10

    /// - Throws: Errors of the storage.
    static func make(
        for request: ServerRequest, _ book: ShelfBook, _ context: ShelfContext
    ) async throws -> ServerResponse {
        var answer = ServerResponse(status: 200, headers: fields)
        let listed = BookVersion(book).tag(book, "file")
        if let size = book.fileSize, let listed {
            switch Preconditions(request).evaluate([listed]) {
            case .failed: return RefusalAnswer.failedCondition
            case .notModified:
                answer.status = 304
                answer.set("ETag", listed.value)
                return answer
            case .proceed:
                guard request.method == "HEAD" else { break }
                describe(&answer, book, tag: listed)
                answer.contentLength = size
                return answer
            }
        }
        let lease = FileLease(try await context.files.reader(of: book))
        do {
            let attributes = try await lease.reader.attributes()
            let tag = tag(of: attributes, book, listed: listed)
            describe(&answer, book, tag: tag)
            try await fill(&answer, for: request, attributes.size, tag, lease)
            if case .stream = answer.body {} else { await lease.close() }
            return answer
        } catch {
            await lease.close()
            throw error
        }
    }

    /// Nothing that the file contains runs here, whatever a browser makes of it.
    private static let fields = ContentPolicy.service()

    private static func describe(_ answer: inout ServerResponse, _ book: ShelfBook, tag: EntityTag?) {
        answer.set("Content-Type", book.mediaType.string)
        answer.set("Content-Disposition", BookName.disposition(BookName.file(of: book)))
        answer.set("Accept-Ranges", "bytes")
        answer.set("Cache-Control", "private, no-cache")
        if let tag { answer.set("ETag", tag.value) }
        if let modified = book.fileModified { answer.set("Last-Modified", HTTPDate.text(modified)) }
    }

    /// The tag of what is in the storage now. A file that isn't the one that the shelf has listed gets a separate tag,
    /// so that no client joins parts of two versions.
    private static func tag(
        of attributes: FileReaderAttributes, _ book: ShelfBook, listed: EntityTag?
    ) -> EntityTag? {
        let isSame = book.fileSize == nil || book.fileSize == attributes.size
        let strong = attributes.validator.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
        // Other validators have another form than the tags of a listing.
        let areTags = strong?.hasPrefix("\"") == true && book.fileTag?.hasPrefix("\"") == true
        if isSame, !areTags || strong == book.fileTag { return listed }
        guard let validator = attributes.validator, !validator.hasPrefix("W/") else { return nil }
        return EntityTag(ofParts: ["book", String(book.id), "now", String(attributes.size), validator])
    }

    private static func fill(
        _ answer: inout ServerResponse, for request: ServerRequest, _ size: Int64, _ tag: EntityTag?, _ lease: FileLease
    ) async throws {
        let usesRange: Bool
        switch Preconditions(request).evaluate(tag.map { [$0] } ?? []) {
        case .failed:
            answer = RefusalAnswer.failedCondition
            return
        case .notModified:
            answer.status = 304
            return
        case .proceed(let may): usesRange = may
        }
        if request.method == "HEAD" {
            answer.contentLength = size
            return
        }
        var part = 0..<max(0, size)
        // An empty file has no parts. It is sent whole instead of a 416, which would look like a failure.
        if usesRange, size > 0, let range = ByteRangeRequest(request.header("Range")) {
            guard let wanted = range.range(in: size) else {
                answer = RefusalAnswer.unsatisfiableRange(length: size)
                return
            }
            part = wanted
            answer.status = 206
            answer.set("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(size)")
        }
        if part.isEmpty {
            answer.body = .data(Data())
        } else if part.count <= heldLength {
            let sink = DataSink(limit: part.count)
            _ = try await lease.reader.stream(.range(part), into: sink)
            guard sink.data.count == part.count else { throw URLError(.networkConnectionLost) }
            answer.body = .data(sink.data)
        } else {
            let wanted = part
            answer.body = .stream(
                count: Int64(wanted.count),
                send: { sink in
                    do {
                        _ = try await lease.reader.stream(.range(wanted), into: sink)
                        await lease.close()
                    } catch {
                        await lease.close()
                        throw error
                    }
                })
        }
    }
}

/// A reader for the time of one answer. Closed when the answer is sent, or else when the last reference to it is gone: an
/// answer whose client is gone is never sent.
private final class FileLease: Sendable {
    let reader: any FileReader
    private let isClosed = LockedValue(false)

    init(_ reader: any FileReader) { self.reader = reader }

    deinit {
        if isClosed.value { return }
        Task { [reader] in await reader.close() }
    }

    func close() async {
        isClosed.update { $0 = true }
        await reader.close()
    }
}

public import CurlTransport
public import FileProviderCore
public import Foundation

extension HTTPConnection {
    /// Requests page after page, and passes each to `page` before it requests the next: the whole listing is never held
    /// in memory.
    ///
    /// Returns after a page without a token, or if `requestHandler` returns nil.
    ///
    /// - Parameters:
    ///   - requestHandler: Returns the request of the page for a token, which is nil for the first page. Nil ends the
    ///     listing.
    ///   - pageHandler: Parses an answer.
    /// - Throws: `CancellationError` as soon as the task is cancelled; an error of the connection or of a handler;
    ///   `URLError(.badServerResponse)` if a token is repeated, or a page has more than 64 MiB.
    /// - Complexity: One request for each page.
    public func paginated(
        requestHandler: @Sendable (_ token: String?) throws -> HTTPRequest?,
        pageHandler: @Sendable (_ data: Data, _ head: ResponseHead) throws -> HTTPPage,
        page: @Sendable ([FileObject]) async throws -> Void
    ) async throws {
        var token: String?
        var known: Set<String> = []
        while let request = try requestHandler(token) {
            try Task.checkCancellation()
            let (data, head) = try await data(for: request)
            let answer = try pageHandler(data, head)
            if !answer.items.isEmpty { try await page(answer.items) }
            guard let next = answer.nextToken else { return }
            guard known.insert(next).inserted else {
                throw FileError.make(
                    .badServerResponse, url: url(of: request.path),
                    sentence: "The server's listing of “\(request.path)” goes in a circle.")
            }
            token = next
        }
    }

    /// Sends `request` and returns the answer's body in memory.
    ///
    /// If the connection's ``/FileProviderCore/CachePolicy`` has a folder, an answer to a `GET` with an `ETag` or
    /// `Last-Modified` is kept there and revalidated the next time (RFC 9110, section 13).
    ///
    /// - Parameter limit: The most bytes of the body.
    /// - Throws: As ``send(_:)``; `URLError(.badServerResponse)` past the limit.
    public func data(for request: HTTPRequest, limit: Int = 64 << 20) async throws -> (Data, ResponseHead) {
        guard request.mayBeKept, let responses = await responses() else { return try await received(request, limit) }
        let query = request.keptQuery
        let moment = await responses.moment()
        let kept = await responses.answer(request.path, query: query)
        if let kept, kept.isFresh { return (kept.body, kept.head.answer) }
        var request = request
        if let condition = kept?.head.condition {
            request.headers.append(condition)
            request.accepts.insert(304)
        }
        let (data, head) = try await received(request, limit)
        if head.status == 304, let kept {
            await responses.renew(kept, path: request.path, query: query, since: moment)
            return (kept.body, kept.head.answer)
        }
        if head.status == 200 { await responses.keep(data, head, request.path, query: query, since: moment) }
        return (data, head)
    }

    /// As ``data(for:limit:)``, of the server's own: nothing that was kept is looked at.
    func received(_ request: HTTPRequest, _ limit: Int = 64 << 20) async throws -> (Data, ResponseHead) {
        let body = LockedValue(DataSink(limit: limit))
        var request = request
        request.receive = { _ in
            let sink = DataSink(limit: limit)
            body.update { $0 = sink }
            return sink
        }
        do {
            let head = try await send(request)
            return (body.value.data, head)
        } catch let error as CocoaError where error.code == .fileReadTooLarge {
            throw FileError.make(
                .badServerResponse, url: url(of: request.path),
                sentence: "The server's answer about “\(request.path)” has more than \(limit >> 20) MiB.",
                underlying: error)
        }
    }
}

/// The names of a listing under way: each is given once, and what cannot be given is counted.
struct ListedNames: Sendable {
    /// The names that were left out so far.
    private(set) var unusable = UnusableNames()
    /// Names of pages before that may come again.
    private var carried: Set<ProviderPath> = []

    /// The page without the items whose name came before.
    ///
    /// Of earlier pages, only names that the last one begins with are held: in a listing in order, where a folder's
    /// name counts with its slash, no other can come again.
    mutating func usable(_ page: HTTPPage) -> HTTPPage {
        var page = page
        for name in page.leftOut { unusable.add(nameBytes: name) }
        var seen = carried
        page.items.removeAll { item in
            if seen.insert(item.path).inserted { return false }
            unusable.add(nameBytes: item.path.nameBytes)
            return true
        }
        if let last = page.items.map(\.path).max() { carried = seen.filter { last.bytes.starts(with: $0.bytes) } }
        return page
    }
}

extension HTTPRequest {
    /// Whether the answer may be kept: the request is a plain `GET` of an item below the root, without a range and without
    /// conditions.
    var mayBeKept: Bool {
        method == "GET" && url == nil
            && !headers.contains { $0.name.lowercased() == "range" || $0.name.lowercased().hasPrefix("if-") }
    }

    /// All that the answer depends on beside the path.
    var keptQuery: String {
        ([query ?? ""] + headers.map { "\($0.name.lowercased()): \($0.value)" }.sorted()).joined(separator: "\n")
    }
}

import FileProviderCore
import Foundation
import Logging
import Publication
import Shelf
import WebServer

/// Keeps a person's places in KOReader and on reading pages together: each side gets the newest. What KOReader sent is kept
/// as it was sent, and a page's place as the page sent it until KOReader sends a newer one.
struct KOReaderSync: Sendable {
    /// KOReader waits no longer than a few seconds. A place that takes longer is brought over at the next request.
    private static let patience = Duration.seconds(2)
    /// Which device a place of a reading page is from. KOReader ignores the places that its device has sent.
    private static let page = (device: "Carrel", id: "carrel-shelf")

    let context: ShelfContext
    let user: User

    private var documents: KOReaderDocuments { KOReaderDocuments(context) }
    private var places: ReaderPlaces { context.places(of: user) }

    // MARK: For KOReader

    /// Returns the newest place in a document: as KOReader sent it, or made of a newer one from a reading page.
    ///
    /// - Throws: Errors of the people's file; `CancellationError`.
    func progress(in document: String) async throws -> KeptProgress? {
        let own = try await context.people.progress(of: user, document: document)
        return try await attempt { try await place(in: document, after: own?.timestamp) } ?? own
    }

    /// Keeps what KOReader sent, and brings it to the reading page if the document is known to be a book.
    ///
    /// - Throws: Errors of the people's file; `CancellationError`.
    func keep(_ progress: KeptProgress) async throws {
        try await context.people.keep(progress, of: user)
        _ = try await attempt { () async throws -> Bool? in
            guard let book = try await documents.book(progress.document, of: user) else { return false }
            let kept = try await places.place(in: book.id)
            if let kept, kept.seconds > progress.timestamp { return false }
            return try await bring(progress, to: book)
        }
    }

    private func place(in document: String, after time: Int64?) async throws -> KeptProgress? {
        guard let book = try await documents.book(document, of: user),
            let place = try await places.place(in: book.id), place.seconds > time ?? .min,
            let locator = try? Locator(
                json: JSONValue(data: place.locator, maximumSize: PeopleStore.longestLocator))
        else { return nil }
        let made = try await context.books.with(book) { publication in
            try await KOReaderPlaces(publication).progress(locator, total: place.totalProgression)
        }
        return made.map {
            KeptProgress(
                document: document, progress: $0.progress, percentage: $0.percentage,
                device: place.device ?? Self.page.device, deviceID: Self.page.id, timestamp: place.seconds)
        }
    }

    // MARK: For reading pages

    /// Brings the newest place that KOReader sent to the reading page of a book, if it is newer than the page's own.
    func bringNewest(to book: ShelfBook) async {
        do {
            _ = try await attempt { () async throws -> Bool? in
                let digest = try await documents.digest(of: book)
                let kept = try await places.place(in: book.id)
                var newest: KeptProgress?
                for document in DocumentDigest.names(of: book) + [digest] {
                    guard let progress = try await context.people.progress(of: user, document: document),
                        progress.timestamp > newest?.timestamp ?? .min
                    else { continue }
                    let isTheBook =
                        try await document == digest ? true : documents.isOnly(book, named: document, of: user)
                    if isTheBook { newest = progress }
                }
                guard let newest, newest.timestamp > kept?.seconds ?? .min else { return false }
                return try await bring(newest, to: book)
            }
        } catch {
            context.logger?.debug(
                "A place of KOReader could not be looked for.",
                metadata: ["error": "\(LogText.shown(error.sentence))"])
        }
    }

    /// As ``bringNewest(to:)`` before a request for the place of a reading page is answered; nothing for other requests.
    ///
    /// - Parameters:
    ///   - segment: Of the reading address.
    ///   - rest: What follows it.
    static func prepare(segment: String, rest: String?, _ request: ServerRequest, _ context: ShelfContext) async {
        guard rest == "~carrel/place", request.method == "GET",
            let numbers = ShelfKey.numbers(inReadingSegment: segment),
            let reader = await reader(numbers.user, context),
            context.key.isReadingCode(numbers.code, book: numbers.book, user: reader),
            let book = try? await context.shelf.book(numbers.book)
        else { return }
        await KOReaderSync(context: context, user: reader).bringNewest(to: book)
    }

    private static func reader(_ id: Int64, _ context: ShelfContext) async -> User? {
        if context.settings.isOpen { return id == User.everyone.id ? .everyone : nil }
        return id == User.everyone.id ? nil : try? await context.people.user(id)
    }

    /// - Returns: Whether the place leads into the book. It isn't kept if the page sent a newer one while the book opened.
    private func bring(_ progress: KeptProgress, to book: ShelfBook) async throws -> Bool {
        let found = try await context.books.with(book) { publication in
            try await KOReaderPlaces(publication).locator(progress.progress, percentage: progress.percentage)
        }
        guard var locator = found else { return false }
        let time = Date(timeIntervalSince1970: Double(progress.timestamp))
        // By which reading pages tell which place is newer.
        locator.otherProperties["modified"] = .string(time.formatted(.iso8601))
        let place = KeptPlace(
            locator: locator.json.data, totalProgression: locator.locations.totalProgression ?? progress.percentage,
            modified: time, device: progress.device.isEmpty ? nil : progress.device)
        try await context.people.keep(place, of: user, in: book.id)
        return true
    }

    // MARK: Patience

    /// Returns the value of `body`; nil if it fails, or takes longer than KOReader waits.
    ///
    /// - Throws: `CancellationError` alone.
    private func attempt<Value: Sendable>(
        _ body: @escaping @Sendable () async throws -> Value?
    ) async throws -> Value? {
        do {
            return try await withThrowingTaskGroup(of: Value?.self) { group in
                group.addTask { try await body() }
                group.addTask {
                    try await Task.sleep(for: Self.patience)
                    return nil
                }
                defer { group.cancelAll() }
                return try await group.next() ?? nil
            }
        } catch {
            try Task.checkCancellation()
            context.logger?.info(
                "A place could not be brought from one reader to another; it is tried again with the next request.",
                metadata: ["error": "\(LogText.shown(error.sentence))"])
            return nil
        }
    }
}

extension KeptPlace {
    /// Whole seconds since 1970, as KOReader counts them.
    fileprivate var seconds: Int64 { Int64(modified.timeIntervalSince1970.rounded(.down)) }
}

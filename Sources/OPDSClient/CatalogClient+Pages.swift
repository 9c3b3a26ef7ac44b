import FileProviderCore
public import Foundation
public import OPDS

extension CatalogClient {
    /// Returns the page after `feed`; nil if `feed` is the last one.
    ///
    /// - Throws: As ``feed(at:)``.
    /// - Complexity: One request.
    public func nextPage(of feed: Feed) async throws -> Feed? {
        guard let url = feed.nextAddress else { return nil }
        return try await self.feed(at: url)
    }

    /// Returns the feed at `url` and all pages after it. Each page is requested after the one before was consumed.
    ///
    /// The sequence throws as ``feed(at:)``, and `CocoaError(.fileReadCorruptFile)` if a page links to one before it.
    public func pages(from url: URL) -> CatalogPages { CatalogPages(client: self, start: .address(url)) }

    /// Returns `feed` and all pages after it, as a ``CatalogPages`` that begins with it.
    public func pages(from feed: Feed) -> CatalogPages { CatalogPages(client: self, start: .feed(feed)) }
}

/// The pages of a feed, one after the other; `CatalogClient.pages(from:)` begins it.
public struct CatalogPages: AsyncSequence, Sendable {
    enum Start: Sendable {
        case address(URL)
        case feed(Feed)
    }

    let client: CatalogClient
    let start: Start

    /// Begins at the first page.
    public func makeAsyncIterator() -> Iterator { Iterator(client: client, next: start) }

    /// Requests the pages one by one.
    public struct Iterator: AsyncIteratorProtocol {
        private let client: CatalogClient
        private var upcoming: Start?
        private var seen: Set<URL> = []

        init(client: CatalogClient, next: Start) {
            self.client = client
            upcoming = next
        }

        /// Returns the next page; nil after the last one.
        public mutating func next() async throws -> Feed? {
            let feed: Feed
            switch upcoming {
            case nil: return nil
            case .feed(let first):
                feed = first
                if let own = feed.address(rel: "self") { seen.insert(own) }
            case .address(let url):
                upcoming = nil
                guard seen.insert(url).inserted else {
                    throw FileError.make(
                        .fileReadCorruptFile, path: url.shownPath, url: url,
                        sentence:
                            "The pages of the catalogue lead in a circle: “\(url.shownPath)” comes a second time.")
                }
                feed = try await client.feed(at: url)
            }
            upcoming = feed.nextAddress.map { .address($0) }
            return feed
        }
    }
}

extension Feed {
    /// The address of the first link with the relation `rel`; nil if there is none on a web server.
    func address(rel: String) -> URL? {
        link(withRel: rel).flatMap { URL(string: $0.href) }.flatMap { Origin(ofServer: $0) == nil ? nil : $0 }
    }

    fileprivate var nextAddress: URL? { address(rel: CatalogRelation.next) }
}

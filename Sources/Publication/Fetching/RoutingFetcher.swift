import FileProviderCore
import Foundation

/// Sends each request to the first of several fetchers that accepts it (Readium's composite fetcher proposal).
public final class RoutingFetcher: Fetcher {
    /// A fetcher and the test that decides whether it answers a request.
    public struct Route: Sendable {
        /// The fetcher that answers the request.
        public let fetcher: any Fetcher
        /// Whether the route accepts a link.
        public let accepts: @Sendable (Link) -> Bool
        /// What the route is called in ``Fetcher/tree``.
        public let label: String

        /// A route; without a test it accepts every link.
        public init(
            _ fetcher: any Fetcher, label: String = "else", accepts: @escaping @Sendable (Link) -> Bool = { _ in true }
        ) {
            self.fetcher = fetcher
            self.accepts = accepts
            self.label = label
        }
    }

    private let routes: [Route]

    /// - Parameter routes: Asked in this order; the first that accepts a link answers it.
    public init(_ routes: [Route]) {
        self.routes = routes
    }

    /// Sends hrefs with a scheme or an authority to `remote`, and all others, which belong to the publication, to
    /// `local`.
    ///
    /// Readium's proposal distinguishes them by a leading slash, which its hrefs have inside a publication; ours are
    /// relative references.
    public convenience init(local: any Fetcher, remote: any Fetcher) {
        self.init([Route(local, label: "in the publication") { !$0.isRemote }, Route(remote, label: "elsewhere")])
    }

    /// Returns the links of all routes, one route after the other.
    public func links() async throws -> [Link] {
        var links: [Link] = []
        for route in routes { links += try await route.fetcher.links() }
        return links
    }

    /// Returns the resource of the first route that accepts `link`; if none does, a resource that is not found.
    public func get(_ link: Link) -> any Resource {
        routes.first { $0.accepts(link) }?.fetcher.get(link)
            ?? FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
    }

    /// Closes each fetcher once, even if it has several routes.
    public func close() async {
        var closed: Set<ObjectIdentifier> = []
        for route in routes where closed.insert(ObjectIdentifier(route.fetcher)).inserted {
            await route.fetcher.close()
        }
    }

    /// The routes with their labels.
    public var children: [(label: String, fetcher: any Fetcher)] { routes.map { ($0.label, $0.fetcher) } }
}

extension RoutingFetcher: PrefetchingFetcher {
    package func prefetch(hrefs: [String]) async throws {
        for (index, route) in routes.enumerated() {
            guard let prefetching = route.fetcher as? any PrefetchingFetcher else { continue }
            let own = hrefs.filter { href in routes.firstIndex { $0.accepts(Link(href: href)) } == index }
            if !own.isEmpty { try await prefetching.prefetch(hrefs: own) }
        }
    }
}

extension Link {
    /// Whether ``href`` leads out of the publication: it has a scheme or begins with two slashes (RFC 3986, sections
    /// 3.1 and 4.2).
    package var isRemote: Bool {
        href.utf8.starts(with: "//".utf8) || HREF.scheme(of: href) != nil
    }
}

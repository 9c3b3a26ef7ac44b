import FileProviderCore
import Foundation
import Synchronization

/// Serves the relative hrefs of a manifest outside a package: the files beside it and, if the manifest has a web
/// address, the resources beside that.
///
/// The web is asked only for resources that are read and missing beside the manifest.
final class ManifestFolder: Fetcher {
    private let siblings: any Fetcher
    private let remote: any Fetcher
    private let home: URL

    /// - Parameter selfLink: The manifest's own address; its last name does not count (RFC 3986, section 5.2.3).
    /// - Returns: Nil if that is not a web address, so that only the siblings remain.
    init?(_ asset: PublicationAsset, selfLink: String?) {
        guard let home = selfLink.flatMap({ URL(string: $0) }), ["http", "https"].contains(home.scheme?.lowercased())
        else { return nil }
        siblings = asset.siblings
        remote = asset.remote
        self.home = home
    }

    /// Always empty: a manifest lists its resources, and other files beside it are not part of the publication.
    func links() async throws -> [Link] { [] }

    func get(_ link: Link) -> any Resource {
        guard !link.templated, let url = URL(string: link.href, relativeTo: home)?.absoluteString else {
            return siblings.get(link)
        }
        var distant = link
        distant.href = url
        return FirstFoundResource(link, candidates: [siblings.get(link), remote.get(distant)])
    }

    /// The remote fetcher has its own route, which closes it.
    func close() async { await siblings.close() }

    var children: [(label: String, fetcher: any Fetcher)] {
        let folder = URL(string: ".", relativeTo: home)?.absoluteString ?? home.absoluteString
        return [("beside the manifest", siblings), ("else at \(folder)", remote)]
    }
}

/// The first of several resources that exists. Once one was found, only that one is read.
final class FirstFoundResource: Resource {
    let link: Link
    private let candidates: [any Resource]
    private let found = Mutex<(any Resource)?>(nil)

    init(_ link: Link, candidates: [any Resource]) {
        self.link = link
        self.candidates = candidates
    }

    func length() async throws -> Int64 {
        try await firstFound { try await $0.length() }
    }

    func validator() async throws -> ResourceValidator? {
        try await firstFound { try await $0.validator() }
    }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await firstFound { try await $0.stream(range, into: sink) }
    }

    func close() async {
        for candidate in candidates { await candidate.close() }
    }

    private func firstFound<Value>(_ body: (any Resource) async throws -> Value) async throws -> Value {
        if let found = found.withLock({ $0 }) { return try await body(found) }
        var missing: any Error = FileError.make(.fileReadNoSuchFile, path: link.href)
        for candidate in candidates {
            do {
                let value = try await body(candidate)
                found.withLock { $0 = candidate }
                return value
            } catch let error where error.resourceFailure == .notFound {
                missing = error
            }
        }
        throw missing
    }
}

import FileProviderCore
import Foundation
import Publication
import WebServer

/// The links of a manifest by what clients ask for. Made at the first request.
final class ServedLinks: Sendable {
    /// A resource inside the publication.
    private struct Address: Hashable {
        let path: RequestedPath
        let query: String?
    }

    private struct Index {
        var local: [Address: Link] = [:]
        /// Resources on the web by address, without its fragment.
        var remote: [String: Link] = [:]
    }

    /// Remote resources are read through the publication's fetcher, and have addresses under this one.
    static let remotePrefix = "~carrel/remote/"

    private let manifest: Manifest
    private let made = LockedValue<Index?>(nil)

    init(_ manifest: Manifest) { self.manifest = manifest }

    /// Returns the manifest's link for `path`; if there is one with exactly this query, that one.
    func link(at path: RequestedPath, query: String?) -> Link? {
        let local = index.local
        if let query, let link = local[Address(path: path, query: query)] { return link }
        return local[Address(path: path, query: nil)]
    }

    /// Returns the link whose address `name` encodes, the last segment of a path under ``remotePrefix``; nil for one
    /// that the manifest doesn't have.
    func remoteLink(named name: [UInt8]) -> Link? {
        guard let data = Data(base64URL: String(decoding: name, as: UTF8.self)),
            let href = String(validating: data, as: UTF8.self)
        else { return nil }
        return index.remote[href]
    }

    /// Returns the address, relative to the publication's, at which this server answers for `href`; nil if `href` is
    /// elsewhere and not a resource of the publication, or leads out of it.
    func address(of href: String) -> String? {
        let link = Link(href: href)
        guard link.isRemote else {
            guard RequestedPath(ofLink: href.prefix { $0 != "?" && $0 != "#" }) != nil else { return nil }
            // A manifest's root is the publication's, not the server's.
            return href.utf8.first == UInt8(ascii: "/") ? String(Substring(href.utf8.dropFirst())) : href
        }
        let parts = href.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        guard index.remote[String(parts[0])] != nil else { return nil }
        let fragment = parts.count > 1 ? "#\(parts[1])" : ""
        return Self.remotePrefix + Data(parts[0].utf8).base64URL + fragment
    }

    private var index: Index {
        made.update { made in
            if let made { return made }
            let index = Self.index(manifest)
            made = index
            return index
        }
    }

    /// The reading order first: of several links with one address, the first counts.
    ///
    /// Other links on the web lead to pages about the publication, for people; no resource among them but the cover.
    private static func index(_ manifest: Manifest) -> Index {
        var index = Index()
        for link in manifest.readingOrder + manifest.resources { add(link, to: &index, includesRemote: true) }
        for link in manifest.links {
            add(link, to: &index, includesRemote: link.rels.contains("cover"))
        }
        return index
    }

    private static func add(_ link: Link, to index: inout Index, includesRemote: Bool) {
        if link.isRemote {
            let href = String(link.href.prefix { $0 != "#" })
            let isOnTheWeb = ["http://", "https://"].contains { href.lowercased().hasPrefix($0) }
            // A book must not read what only this machine and its network reach.
            let isPrivate = URLComponents(string: href)?.host.map { PrivateHost.contains($0) } ?? true
            if includesRemote, isOnTheWeb, !isPrivate, !link.templated, index.remote[href] == nil {
                index.remote[href] = link
            }
        } else if !link.templated, let address = address(of: link), index.local[address] == nil {
            index.local[address] = link
        }
        for link in link.alternates + link.children { add(link, to: &index, includesRemote: includesRemote) }
    }

    private static func address(of link: Link) -> Address? {
        let parts = link.href.prefix { $0 != "#" }.split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let path = RequestedPath(ofLink: first) else { return nil }
        return Address(path: path, query: parts.count > 1 ? String(parts[1]) : nil)
    }
}

import Foundation
import Publication

/// What relative addresses of a document are resolved against, and how many links are read.
struct CatalogBase {
    /// The address of the document without a user and password, which must not spread to other addresses; nil leaves
    /// relative addresses as they are.
    private let url: URL?
    /// The most links of one list.
    private let linkCount: Int

    init(_ url: URL?, linkCount: Int = .max) {
        self.linkCount = linkCount
        guard let url, var parts = URLComponents(url: url.absoluteURL, resolvingAgainstBaseURL: true) else {
            self.url = url
            return
        }
        parts.user = nil
        parts.password = nil
        self.url = parts.url ?? url
    }

    /// Returns the absolute form of an address (RFC 3986, section 5), as written if it has a scheme or cannot be
    /// resolved. The expressions of a URI template are kept; a user and password are left out, because they would
    /// replace the reader's login on the server that the address leads to.
    func absolute(_ href: String) -> String { Self.withoutUser(resolved(href)) }

    private func resolved(_ href: String) -> String {
        let href = href.trimmingCharacters(in: .whitespacesAndNewlines)
        guard let url, !Self.hasScheme(href) else { return href }
        guard let brace = href.firstIndex(of: "{") else {
            return URL(string: href, relativeTo: url)?.absoluteString ?? href
        }
        return absolute(template: href, to: brace, url)
    }

    /// Resolves what is before the first expression. A template that begins with one can be resolved only if that is
    /// a query, which then belongs to the document's own address.
    private func absolute(template: String, to brace: String.Index, _ url: URL) -> String {
        let literal = template[..<brace]
        let expressions = template[brace...]
        if literal.isEmpty {
            guard expressions.hasPrefix("{?"), var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
                return template
            }
            parts.query = nil
            parts.fragment = nil
            return (parts.string ?? "") + expressions
        }
        guard literal != "//", let resolved = URL(string: String(literal), relativeTo: url)?.absoluteString else {
            return template
        }
        return resolved + expressions
    }

    /// Returns an address or template without the user and password before its host (RFC 3986, section 3.2.1).
    private static func withoutUser(_ address: String) -> String {
        let bytes = address.utf8
        guard let slash = bytes.firstIndex(where: isDelimiter), bytes[slash...].starts(with: "//".utf8) else {
            return address
        }
        let start = bytes.index(slash, offsetBy: 2)
        guard let at = bytes[start...].prefix(while: { !isDelimiter($0) }).lastIndex(of: UInt8(ascii: "@")) else {
            return address
        }
        return String(address[..<start]) + address[bytes.index(after: at)...]
    }

    /// Whether a byte ends the host and what is before it.
    private static func isDelimiter(_ byte: UInt8) -> Bool { "/?#".utf8.contains(byte) }

    /// Whether an address begins with a scheme (RFC 3986, section 3.1).
    private static func hasScheme(_ href: String) -> Bool {
        guard let colon = href.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = href.utf8[..<colon]
        guard let first = scheme.first, isLetter(first) else { return false }
        return scheme.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

/// Links with absolute addresses.
extension CatalogBase {
    /// Reads an array of link objects or a single one, up to the limit.
    func links(_ json: JSONValue?) -> [Link] {
        Self.links((json?.oneOrMany ?? []).prefix(linkCount)).map(absolute)
    }

    /// Reads an array of link objects or a single one. Each of them is an entry of a feed; the limit for links doesn't
    /// count.
    func entries(_ json: JSONValue?) -> [Link] {
        Self.links((json?.oneOrMany ?? [])[...]).map(absolute)
    }

    private static func links(_ elements: ArraySlice<JSONValue>) -> [Link] {
        elements.compactMap { try? Link(json: $0) }
    }

    /// Returns `link` with absolute addresses, its alternates, children and authentication document included.
    func absolute(_ link: Link) -> Link {
        var link = link
        link.href = absolute(link.href)
        link.alternates = link.alternates.map(absolute)
        link.children = link.children.map(absolute)
        if let document = link.properties.authenticate { link.properties.authenticate = absolute(document) }
        return link
    }

    /// Returns `metadata` with absolute addresses in the links of contributors, subjects and collections.
    func absolute(_ metadata: Metadata) -> Metadata {
        var metadata = metadata
        for (role, contributors) in metadata.contributorsByRole {
            metadata.contributorsByRole[role] = contributors.map {
                var contributor = $0
                contributor.links = contributor.links.map(absolute)
                return contributor
            }
        }
        for index in metadata.subjects.indices {
            metadata.subjects[index].links = metadata.subjects[index].links.map(absolute)
        }
        for (kind, collections) in metadata.belongsTo {
            metadata.belongsTo[kind] = collections.map {
                var collection = $0
                collection.links = collection.links.map(absolute)
                return collection
            }
        }
        return metadata
    }
}

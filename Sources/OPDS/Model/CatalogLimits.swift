import Foundation
import Publication

/// The limits for reading a document of a catalogue. The defaults are far above what catalogues send.
public struct CatalogLimits: Hashable, Sendable {
    /// Bytes of a document.
    public var bytes: Int
    /// Publications, navigation links, groups, facets and their links in a document, those in groups included.
    public var entries: Int
    /// Links and images of one publication, and links of a feed or a group; further ones are left out.
    public var linksPerEntry: Int
    /// The depth of nested elements in Atom. JSON has the limit ``/Publication/JSONValue/maximumDepth``.
    public var depth: Int
    /// Bytes (UTF-8) of one text or attribute in Atom.
    public var text: Int

    /// Limits with their defaults: 32 MiB, 10,000 entries, 1,000 links of each, 64 levels, 4 MiB of text.
    public init(
        bytes: Int = 32 << 20, entries: Int = 10_000, linksPerEntry: Int = 1_000, depth: Int = 64, text: Int = 4 << 20
    ) {
        self.bytes = bytes
        self.entries = entries
        self.linksPerEntry = linksPerEntry
        self.depth = depth
        self.text = text
    }
}

extension CatalogLimits {
    /// Counts the entries of an OPDS 2.0 feed before they are read.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` for more than ``entries``.
    func check(_ json: JSONValue, url: URL?) throws {
        let parts = (json["groups"]?.oneOrMany ?? []) + (json["facets"]?.oneOrMany ?? [])
        let count = parts.reduce(parts.count + Self.entries(of: json)) { count, part in
            count + Self.entries(of: part) + Self.count(part["links"])
        }
        guard count <= entries else {
            throw CocoaError.catalogTooLarge(
                "The feed has \(count) entries; at most \(entries) are accepted.", url: url)
        }
    }

    private static func entries(of json: JSONValue) -> Int { count(json["publications"]) + count(json["navigation"]) }

    private static func count(_ json: JSONValue?) -> Int { json?.oneOrMany.count ?? 0 }
}

import Foundation
import Publication
import SafeXML

/// Reads Atom documents of OPDS 1.2, as catalogues send them: with namespaces that are not declared, former names of
/// relations, and XML that is not well-formed.
enum AtomReader {
    /// Reads a feed.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `data` is no Atom feed, `.fileReadTooLarge` over a limit.
    static func feed(_ data: Data, url: URL?, limits: CatalogLimits) throws -> Feed {
        let root = try AtomDocument.root(of: data, url: url, limits: limits)
        guard root.isNamed("feed", .atom) else { throw unexpected(root, wanted: "an Atom feed", url: url) }
        return try AtomFeedReader(url: url, limits: limits).feed(root)
    }

    /// Reads an entry, or a feed with only one publication, which some catalogues send instead.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `data` is neither, `.fileReadTooLarge` over a limit.
    static func publication(_ data: Data, url: URL?, limits: CatalogLimits) throws -> FeedPublication {
        let root = try AtomDocument.root(of: data, url: url, limits: limits)
        if root.isNamed("feed", .atom) {
            let publications = try AtomFeedReader(url: url, limits: limits).feed(root).allPublications
            guard publications.count == 1 else {
                throw CocoaError.noCatalog(
                    "The Atom feed has \(publications.count) publications; exactly one was expected.", url: url)
            }
            return publications[0]
        }
        guard root.isNamed("entry", .atom) else { throw unexpected(root, wanted: "an Atom entry", url: url) }
        return try AtomEntryReader(scope: AtomScope(url: url, limits: limits)).publication(root)
    }

    private static func unexpected(_ root: XMLElement, wanted: String, url: URL?) -> CocoaError {
        CocoaError.noCatalog(
            "The XML document is not \(wanted): its first element is “\(root.name.prefix(40))”.", url: url)
    }
}

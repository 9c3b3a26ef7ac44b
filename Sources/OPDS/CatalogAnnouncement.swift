import Foundation
import MediaTypes
import SafeXML

/// Finds the catalogue that a web page names in a `link` element, with the media type of a feed (auto-discovery of OPDS
/// Catalog 1.2).
final class CatalogAnnouncement: XMLEventHandler {
    private var href: String?

    /// Returns the address of the first feed that `page` names; `nil` if it names none.
    ///
    /// - Parameter url: The address of the page.
    /// - Complexity: Linear in the bytes of the page.
    static func address(in page: Data, at url: URL?) -> String? {
        let announcement = CatalogAnnouncement()
        // A page over a limit may have named its catalogue before.
        try? HTMLEventParser(handler: announcement).parse(page)
        return announcement.href.map { CatalogBase(url).absolute($0) }
    }

    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        guard element == "link", href == nil else { return }
        let values = Dictionary(attributes.map { ($0.name, $0.value) }) { first, _ in first }
        guard let address = values["href"], let type = values["type"].flatMap({ MediaType($0) }) else { return }
        let isFeed = MediaType.opds2.contains(type) || MediaType.opds1.contains(type)
        if isFeed, !MediaType.opds1Entry.contains(type) { href = address }
    }
}

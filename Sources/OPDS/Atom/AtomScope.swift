import Foundation
import SafeXML

/// What relative addresses in an element are resolved against (XML Base), and how much of the document may still be
/// read.
struct AtomScope {
    let limits: CatalogLimits
    private let base: CatalogBase
    private let budget: Budget

    /// What is left for the whole document, whichever element is read.
    private final class Budget {
        var entries: Int
        var addresses: Int

        init(entries: Int, addresses: Int) {
            self.entries = entries
            self.addresses = addresses
        }
    }

    /// The scope of a document.
    init(url: URL?, limits: CatalogLimits) {
        self.limits = limits
        base = CatalogBase(url)
        // A long base in front of many short addresses would fill the memory.
        budget = Budget(entries: limits.entries, addresses: 64 << 20)
    }

    private init(_ outer: AtomScope, base: CatalogBase) {
        limits = outer.limits
        budget = outer.budget
        self.base = base
    }

    /// Returns the scope inside `element`, which may have an `xml:base`.
    func within(_ element: XMLElement) -> AtomScope {
        let xml = AtomNamespace.xml.names[0]
        guard let text = element.attribute("base", namespace: xml).flatMap(AtomText.present),
            let url = URL(string: base.absolute(text)), url.scheme != nil
        else { return self }
        return AtomScope(self, base: CatalogBase(url))
    }

    /// Returns the absolute form of an address.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` if the addresses of the document exceed 64 MiB together.
    func absolute(_ reference: String) throws -> String {
        let address = base.absolute(reference)
        budget.addresses -= address.utf8.count
        guard budget.addresses >= 0 else {
            throw CocoaError.catalogTooLarge("The addresses in the feed are longer than 64 MiB together.")
        }
        return address
    }

    /// Counts an entry or a facet.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over the limit.
    func countEntry() throws {
        budget.entries -= 1
        guard budget.entries >= 0 else {
            throw CocoaError.catalogTooLarge("The feed has more than \(limits.entries) entries.")
        }
    }
}

import Foundation
public import SafeXML

/// Finds the outermost element in the first bytes of a document.
final class XMLRootFinder: XMLEventHandler {
    private struct Found: Error {}

    private var root: XMLElement?

    /// - Parameter encoding: The IANA name of an encoding known from a hint; tried after the document's own
    ///   declaration.
    static func root(of head: Data, encoding: String?) -> XMLElement? {
        if let root = search(head, encoding: nil) { return root }
        return encoding.flatMap { search(head, encoding: $0) }
    }

    private static func search(_ head: Data, encoding: String?) -> XMLElement? {
        let finder = XMLRootFinder()
        do {
            let parser = try XMLEventParser(encoding: encoding, handler: finder)
            try parser.parse(head)
            try parser.finish()
        } catch {
            // The parser stops at the root, at a syntax error before it, or at the end of these bytes; all three are
            // fine.
        }
        return finder.root
    }

    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        root = XMLElement(name: element, namespace: namespace, attributes: attributes)
        throw Found()
    }
}

// A document is represented by its outermost element; these are the names in the media type proposals' examples.
extension XMLElement {
    /// The document's outermost element, that is, this element.
    public var documentElement: XMLElement? { self }

    /// The document's outermost element, that is, this element, under the first proposal's name.
    public var documentNode: XMLElement { self }

    /// The name without a prefix.
    public var localName: String { name }

    /// The name without a prefix, under the first proposal's name.
    public var tag: String { name }
}

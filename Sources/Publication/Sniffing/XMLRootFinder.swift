import Foundation
public import SafeXML

/// Finds the outermost element in the first bytes of a document.
final class XMLRootFinder: XMLEventHandler {
    private struct Found: Error {}

    private var root: XMLElement?

    /// - Parameter encoding: The IANA name of the encoding that is known from elsewhere; tried after what the document
    ///   says itself.
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
            // The parser stops at the root, at what is not well-formed before it, or at the end of these bytes: all the
            // same here.
        }
        return finder.root
    }

    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        root = XMLElement(name: element, namespace: namespace, attributes: attributes)
        throw Found()
    }
}

// A document is represented by its outermost element; these are the names that the media type proposals' examples use
// for it.
extension XMLElement {
    /// The document's outermost element, which this is.
    public var documentElement: XMLElement? { self }

    /// The document's outermost element, which this is, by the name that the first proposal has for it.
    public var documentNode: XMLElement { self }

    /// The name without a prefix.
    public var localName: String { name }

    /// The name without a prefix, by the name that the first proposal has for it.
    public var tag: String { name }
}

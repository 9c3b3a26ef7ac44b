public import Foundation

/// An element with its attributes and content. Immutable, so it can be shared between tasks.
public final class XMLElement: Sendable {
    /// The name without a prefix.
    public let name: String
    /// The namespace, empty for none.
    public let namespace: String
    /// The attributes in their order.
    public let attributes: [XMLAttribute]
    /// Elements and text in their order.
    public let nodes: [Node]

    /// A part of an element's content.
    public enum Node: Sendable {
        /// An element with its content.
        case element(XMLElement)
        /// All text between two tags.
        case text(String)
    }

    /// An element made by a program.
    public init(name: String, namespace: String = "", attributes: [XMLAttribute] = [], nodes: [Node] = []) {
        self.name = name
        self.namespace = namespace
        self.attributes = attributes
        self.nodes = nodes
    }

    /// Reads a whole document and returns its first element.
    ///
    /// - Parameters:
    ///   - encoding: As for ``XMLEventParser``.
    ///   - isLenient: As for ``XMLEventParser``. In addition, an ampersand that begins no reference is text, characters
    ///     that XML does not allow are left out, and elements that the document does not close end with it.
    ///   - expandsEntities: As for ``XMLEventParser``.
    /// - Throws: As ``XMLEventParser``.
    /// - Complexity: Linear in the bytes; the tree takes a few times their number.
    public static func parse(
        _ data: Data, limits: XMLLimits = XMLLimits(), encoding: String? = nil, isLenient: Bool = false,
        expandsEntities: Bool = false
    ) throws -> XMLElement {
        let builder = XMLTreeBuilder()
        let document = isLenient ? try XMLRepair.repair(data, limit: limits.bytes, encoding: encoding) : nil
        var limits = limits
        // The document was measured before the repair.
        if let document { limits.bytes = max(limits.bytes, document.data.count) }
        let parser = try XMLEventParser(
            limits: limits, encoding: document?.encoding ?? encoding, isLenient: isLenient,
            expandsEntities: expandsEntities,
            handler: builder)
        try parser.parse(document?.data ?? data)
        try parser.finish()
        if isLenient { builder.closeAll() }
        guard let root = builder.root else { throw XMLErrors.malformed(line: 1, reason: "the document has no element") }
        return root
    }
}

extension XMLElement {
    /// Whether it has this name and, unless `namespace` is nil, this namespace.
    public func matches(_ name: String, _ namespace: String? = nil) -> Bool {
        self.name == name && (namespace == nil || self.namespace == namespace)
    }

    /// Returns the value of the attribute `name` in `namespace`, nil if there is none. Most attributes have no
    /// namespace.
    public func attribute(_ name: String, namespace: String = "") -> String? {
        attributes.first { $0.name == name && $0.namespace == namespace }?.value
    }

    /// The child elements.
    public var children: [XMLElement] {
        nodes.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// Returns the first child element with this name; in any namespace if `namespace` is nil.
    public func first(_ name: String, _ namespace: String? = nil) -> XMLElement? {
        for case .element(let child) in nodes where child.matches(name, namespace) { return child }
        return nil
    }

    /// Returns the child elements with this name; in any namespace if `namespace` is nil.
    public func all(_ name: String, _ namespace: String? = nil) -> [XMLElement] {
        children.filter { $0.matches(name, namespace) }
    }

    /// Returns the descendants with this name, in document order; in any namespace if `namespace` is nil.
    public func descendants(_ name: String, namespace: String? = nil) -> [XMLElement] {
        descendants { $0.matches(name, namespace) }
    }

    /// Returns the descendants for which `condition` holds, in document order.
    public func descendants(where condition: (XMLElement) -> Bool) -> [XMLElement] {
        var found: [XMLElement] = []
        visit { if condition($0) { found.append($0) } }
        return found
    }

    /// The text of the element and its descendants, in document order, as written.
    public var text: String {
        var result = ""
        appendText(to: &result)
        return result
    }

    /// The text of the element without that of its descendants.
    public var ownText: String {
        nodes.reduce(into: "") { if case .text(let text) = $1 { $0 += text } }
    }

    /// The document's limits bound the depth.
    private func appendText(to result: inout String) {
        for node in nodes {
            switch node {
            case .text(let text): result += text
            case .element(let element): element.appendText(to: &result)
            }
        }
    }

    private func visit(_ body: (XMLElement) -> Void) {
        for case .element(let child) in nodes {
            body(child)
            child.visit(body)
        }
    }
}

/// Builds a tree from events.
final class XMLTreeBuilder: XMLEventHandler {
    private(set) var root: XMLElement?
    private var open: [Open] = []

    private struct Open {
        let name: String
        let namespace: String
        var attributes: [XMLAttribute]
        var nodes: [XMLElement.Node] = []
    }

    func start(element: String, namespace: String, attributes: [XMLAttribute]) {
        open.append(Open(name: element, namespace: namespace, attributes: attributes))
    }

    func text(_ text: String) {
        guard !open.isEmpty else { return }
        open[open.count - 1].nodes.append(.text(text))
    }

    func end(element: String, namespace: String) {
        guard let closed = open.popLast() else { return }
        // Under the start tag's name: in a document that is not well-formed the end tag may have another.
        let element = XMLElement(
            name: closed.name, namespace: closed.namespace, attributes: closed.attributes, nodes: closed.nodes)
        if open.isEmpty {
            // A document that is not well-formed may have a second root.
            root = root ?? element
        } else {
            open[open.count - 1].nodes.append(.element(element))
        }
    }

    /// Ends the elements that a document left open.
    func closeAll() {
        while let last = open.last { end(element: last.name, namespace: last.namespace) }
    }
}

import Foundation
import SafeXML

/// The text constructs of Atom (RFC 4287, section 3.1).
enum AtomText {
    private enum Kind {
        case text
        case html
        case xhtml
    }

    /// The text as one line without markup: for titles and names.
    static func line(_ element: XMLElement) -> String {
        let text = element.text
        return collapsed(kind(of: element) == .html ? withoutMarkup(text) : text)
    }

    /// The text for a description: HTML if it was sent as HTML or XHTML, otherwise as sent; nil if it is empty or of
    /// another media type.
    static func prose(_ element: XMLElement) -> String? {
        switch kind(of: element) {
        case .text, .html: present(element.text)
        case .xhtml: present(html(body(of: element)))
        case nil: nil
        }
    }

    /// The nodes of an XHTML construct without the `div` around them.
    static func body(of element: XMLElement) -> [XMLElement.Node] {
        let children = element.children
        return children.count == 1 && children[0].name == "div" ? children[0].nodes : element.nodes
    }

    /// Without white space at both ends; nil if nothing is left.
    static func present(_ text: String) -> String? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// In one line, with single spaces.
    static func collapsed(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Whether a text is more likely HTML than plain.
    static func looksLikeHTML(_ text: String) -> Bool {
        var previous: UInt8 = 0
        var reference = Int.max
        for byte in text.utf8 {
            let isLetter = (0x61...0x7A).contains(byte | 0x20)
            if previous == UInt8(ascii: "<"), isLetter || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "!") {
                return true
            }
            switch byte {
            case UInt8(ascii: "&"): reference = 0
            case UInt8(ascii: ";"):
                if (2...32).contains(reference) { return true }
                reference = .max
            default:
                let isInReference = isLetter || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "#")
                reference = isInReference && reference < 32 ? reference + 1 : .max
            }
            previous = byte
        }
        return false
    }

    private static func kind(of element: XMLElement) -> Kind? {
        let type = element.value("type").map { String($0.lowercased().prefix { $0 != ";" }) }
        switch type {
        case nil, "text", "text/plain": return element.children.isEmpty ? .text : .xhtml
        case "html", "text/html": return element.children.isEmpty ? .html : .xhtml
        // Some send escaped HTML under this name.
        case "xhtml", "application/xhtml+xml": return element.children.isEmpty ? .html : .xhtml
        case let other?: return other.hasPrefix("text/") ? .text : nil
        }
    }
}

// MARK: HTML

extension AtomText {
    /// Returns HTML for the content of an element.
    private static func html(_ nodes: [XMLElement.Node]) -> String {
        var writer = MarkupWriter()
        write(nodes, to: &writer)
        return writer.string
    }

    /// The document's limits bound the depth.
    private static func write(_ nodes: [XMLElement.Node], to writer: inout MarkupWriter) {
        for node in nodes {
            switch node {
            case .text(let text): writer.text(text)
            case .element(let element):
                let attributes: [MarkupWriter.Attribute] = element.attributes.filter(\.namespace.isEmpty)
                    .map { ($0.name, $0.value) }
                if emptyElements.contains(element.name) {
                    writer.emptyTag(element.name, attributes)
                } else {
                    writer.startTag(element.name, attributes)
                    write(element.nodes, to: &writer)
                    writer.endTag(element.name)
                }
            }
        }
    }

    private static let emptyElements: Set<String> = ["br", "hr", "img", "input", "wbr", "col"]

    private static func withoutMarkup(_ html: String) -> String {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else { return html }
        let collector = TextCollector()
        do {
            try HTMLEventParser(limits: XMLLimits(), handler: collector).parse(Data(html.utf8))
        } catch {
            // Over a limit of HTML. As text it does no harm.
            return html
        }
        return collector.collected
    }
}

/// Collects the text that a browser would show.
private final class TextCollector: XMLEventHandler {
    private(set) var collected = ""
    private var hidden = 0

    private static let hiddenElements: Set<String> = ["script", "style", "template"]
    private static let inlineElements: Set<String> = [
        "a", "abbr", "b", "bdi", "bdo", "cite", "code", "em", "font", "i", "ins", "mark", "q", "s", "small", "span",
        "strong", "sub", "sup", "tt", "u", "var", "wbr",
    ]

    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        if Self.hiddenElements.contains(element) { hidden += 1 }
        if !Self.inlineElements.contains(element) { collected += " " }
    }

    func text(_ text: String) throws {
        if hidden == 0 { collected += text }
    }

    func end(element: String, namespace: String) throws {
        if Self.hiddenElements.contains(element) { hidden -= 1 }
        if !Self.inlineElements.contains(element) { collected += " " }
    }
}

import Foundation
import SafeXML

/// The properties in a metadata stream (XMP, ISO 16684-1): RDF in XML, simple properties as elements or as attributes.
struct XMPMetadata {
    private(set) var title: LocalizedString?
    private(set) var creators: [String] = []
    private(set) var publishers: [String] = []
    private(set) var description: String?
    private(set) var subjects: [String] = []
    private(set) var keywords: [String] = []
    private(set) var languages: [String] = []
    /// As written; ``created`` is nil if it cannot be parsed.
    private(set) var createdText: String?
    private(set) var modifiedText: String?

    private static let limits = XMLLimits(bytes: 1 << 20, depth: 64, text: 64 << 10, attributes: 128, elements: 20_000)
    private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    private static let dc = "http://purl.org/dc/elements/1.1/"
    private static let xmp = "http://ns.adobe.com/xap/1.0/"
    private static let pdf = "http://ns.adobe.com/pdf/1.3/"
    private static let xml = "http://www.w3.org/XML/1998/namespace"
    /// The most values of one property; 1,000.
    private static let maxValues = 1_000

    /// - Throws: As `XMLElement.parse`.
    init(_ data: Data) throws {
        let root = try XMLElement.parse(data, limits: Self.limits)
        let nodes = root.descendants("Description", namespace: Self.rdf)
        title = Self.alternatives("title", in: nodes)
        creators = Self.values("creator", Self.dc, in: nodes)
        publishers = Self.values("publisher", Self.dc, in: nodes)
        description = Self.alternatives("description", in: nodes)?.string
        subjects = Self.values("subject", Self.dc, in: nodes)
        languages = Self.values("language", Self.dc, in: nodes)
        keywords = Self.values("Keywords", Self.pdf, in: nodes).flatMap { text in
            text.split { ",;".contains($0) }.compactMap { String($0).onOneLine }
        }
        createdText = Self.values("CreateDate", Self.xmp, in: nodes).first
        modifiedText = Self.values("ModifyDate", Self.xmp, in: nodes).first
    }

    var created: Date? { createdText.flatMap(Date.init(manifestText:)) }
    var modified: Date? { modifiedText.flatMap(Date.init(manifestText:)) }

    /// The values of a property: the items of its list, or its text.
    private static func values(_ name: String, _ namespace: String, in nodes: [XMLElement]) -> [String] {
        var found: [String] = []
        for node in nodes {
            if let value = node.attribute(name, namespace: namespace)?.onOneLine { found.append(value) }
            for property in node.all(name, namespace) {
                let items = property.descendants("li", namespace: rdf)
                found += (items.isEmpty ? [property] : items).compactMap(\.text.onOneLine)
            }
        }
        return Array(found.prefix(maxValues))
    }

    /// A property in one or more languages; `x-default` is the text without one.
    private static func alternatives(_ name: String, in nodes: [XMLElement]) -> LocalizedString? {
        var texts: [String: String] = [:]
        for property in nodes.flatMap({ $0.all(name, dc) }) {
            for item in property.descendants("li", namespace: rdf).prefix(maxValues) {
                guard let text = item.text.onOneLine else { continue }
                let language = item.attribute("lang", namespace: xml) ?? "x-default"
                texts[language == "x-default" ? LocalizedString.undetermined : language] = text
            }
        }
        // A text that is only repeated under its language is not a translation.
        if texts.count > 1, Set(texts.values).count == 1, let text = texts[LocalizedString.undetermined] {
            return LocalizedString(text)
        }
        return LocalizedString(texts) ?? values(name, dc, in: nodes).first.map { LocalizedString($0) }
    }
}

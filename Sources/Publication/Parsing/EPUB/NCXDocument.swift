import SafeXML

/// The table of contents of EPUB 2 (OPF 2.0.1, section 2.4.1; ANSI/NISO Z39.86-2005, section 8).
struct NCXDocument: Sendable {
    let tableOfContents: [Link]
    let pageList: [Link]

    init(_ root: XMLElement, references: EPUBReferences) {
        tableOfContents = Self.list("navMap", in: root).map { Self.links("navPoint", in: $0, references) } ?? []
        pageList = Self.list("pageList", in: root).map { Self.links("pageTarget", in: $0, references) } ?? []
    }

    /// Searches all elements: in a document that is not well-formed the list may have slipped into another one.
    private static func list(_ name: String, in root: XMLElement) -> XMLElement? {
        root.first(name) ?? root.descendants(name).first
    }

    /// The document's limits bound the depth.
    private static func links(_ name: String, in parent: XMLElement, _ references: EPUBReferences) -> [Link] {
        parent.all(name).compactMap { point in
            let children = links(name, in: point, references)
            let href = point.first("content")?.attribute("src").flatMap(references.resolve)
            guard href != nil || !children.isEmpty else { return nil }
            let title = MarkupText.collapsed(point.first("navLabel")?.text ?? "")
            // The manifest requires an address; this one leads nowhere.
            return Link(href: href ?? "#", title: title.isEmpty ? nil : title, children: children)
        }
    }
}

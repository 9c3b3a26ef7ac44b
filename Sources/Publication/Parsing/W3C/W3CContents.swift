import SafeXML

/// The table of contents of an HTML page: the first `nav` with the role `doc-toc`, with lists in lists, ordered or not
/// (Publication Manifest, appendix C). Also any other element with that role.
struct W3CContents {
    let folder: HREFBase
    /// The page's own address, for references to places in it.
    let document: String

    func contents(of root: XMLElement) -> [Link] {
        guard let navigation = Self.navigation(in: root) else { return [] }
        return Self.list(in: navigation).map { links($0) } ?? []
    }

    private static func navigation(in element: XMLElement) -> XMLElement? {
        if MarkupText.words(element.attribute("role")).contains("doc-toc") { return element }
        // Not a lazy sequence, which would visit matches twice on each level.
        for child in element.children {
            if let found = navigation(in: child) { return found }
        }
        return nil
    }

    /// Returns the first list in `element`, at any depth but not in an item of another list.
    private static func list(in element: XMLElement) -> XMLElement? {
        for child in element.children {
            if isList(child) { return child }
            if let found = list(in: child) { return found }
        }
        return nil
    }

    private func links(_ list: XMLElement) -> [Link] { list.all("li").compactMap { link($0) } }

    /// Nil for an item without an address and children.
    private func link(_ item: XMLElement) -> Link? {
        let children = Self.list(in: item).map { links($0) } ?? []
        let label = Self.label(of: item)
        let href = (label?.name == "a" ? label?.attribute("href") : nil).flatMap(address)
        guard href != nil || !children.isEmpty else { return nil }
        let text = MarkupText.collapsed(label.map(Self.text) ?? item.ownText)
        // The manifest requires an address; this one leads nowhere.
        return Link(href: href ?? "#", title: text.isEmpty ? nil : text, children: children)
    }

    /// Returns the first link of an item outside its lists, else the first element with text.
    private static func label(of item: XMLElement) -> XMLElement? {
        anchor(in: item) ?? item.children.first { !isList($0) && !MarkupText.collapsed($0.text).isEmpty }
    }

    /// Returns the text of `element` without that of its lists, whose items are separate entries.
    private static func text(_ element: XMLElement) -> String {
        element.nodes.reduce(into: "") { text, node in
            switch node {
            case .text(let part): text += part
            case .element(let child): if !isList(child) { text += Self.text(child) }
            }
        }
    }

    private static func anchor(in element: XMLElement) -> XMLElement? {
        for child in element.children where !isList(child) {
            if child.name == "a" { return child }
            if let found = anchor(in: child) { return found }
        }
        return nil
    }

    private static func isList(_ element: XMLElement) -> Bool { element.name == "ol" || element.name == "ul" }

    private func address(_ reference: String) -> String? {
        let reference = MarkupText.trimmed(reference)
        if reference.hasPrefix("#") {
            return reference.utf8.count > 1 ? document + HREF.encoded(reference, .whole) : nil
        }
        return folder.resolve(reference)
    }
}

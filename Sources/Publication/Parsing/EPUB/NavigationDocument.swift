import SafeXML

/// The navigation document of EPUB 3: lists of links for people to find their way (EPUB 3.3, section 7).
struct NavigationDocument: Sendable {
    /// The lists for which a manifest has a place, by their `epub:type`, such as `toc` or `page-list`. If several have
    /// one type, the first counts.
    let lists: [String: [Link]]

    init(_ root: XMLElement, references: EPUBReferences) {
        let reader = NavigationListReader(references: references)
        var lists: [String: [Link]] = [:]
        let navigations = root.descendants("nav")
        for navigation in navigations {
            guard let list = navigation.descendants(where: \.isList).first else { continue }
            let types = Self.types(navigation, isOnly: navigations.count == 1).filter {
                Self.known.contains($0) && lists[$0] == nil
            }
            guard !types.isEmpty else { continue }
            let links = reader.links(list)
            if !links.isEmpty { for type in types { lists[type] = links } }
        }
        self.lists = lists
    }

    private static let known: Set<String> = ["toc", "page-list", "landmarks", "loa", "loi", "lot", "lov"]

    /// A single list without a type can only be the table of contents.
    private static func types(_ navigation: XMLElement, isOnly: Bool) -> [String] {
        let types = MarkupText.words(navigation.epubType)
        if !types.isEmpty { return types }
        if navigation.attribute("role").map(MarkupText.trimmed) == "doc-toc" { return ["toc"] }
        return isOnly ? ["toc"] : []
    }
}

extension XMLElement {
    /// EPUB requires `ol`; some books use `ul`.
    fileprivate var isList: Bool { name == "ol" || name == "ul" }

    /// `epub:type`, also where the prefix was not declared.
    var epubType: String? {
        attribute("type", namespace: "http://www.idpf.org/2007/ops") ?? attribute("type")
    }
}

/// Reads the nested lists of a navigation document.
private struct NavigationListReader {
    let references: EPUBReferences

    /// The document's limits bound the depth.
    func links(_ list: XMLElement) -> [Link] { list.all("li").compactMap(link) }

    /// The list below an item.
    private func list(in item: XMLElement) -> XMLElement? { item.children.first(where: \.isList) }

    /// Nil for an item without an address and children.
    private func link(_ item: XMLElement) -> Link? {
        let label = item.first("a") ?? item.first("span") ?? item.children.first { !$0.isList }
        let anchor = label.flatMap { $0.name == "a" ? $0 : $0.descendants("a").first } ?? label
        let children = list(in: item).map(links) ?? []
        let href = anchor?.attribute("href").flatMap(references.resolve)
        guard href != nil || !children.isEmpty else { return nil }
        let title = anchor.map(Self.title) ?? ""
        // The manifest requires an address; this one leads nowhere.
        return Link(
            href: href ?? "#", title: title.isEmpty ? nil : title, rels: MarkupText.words(anchor?.epubType),
            children: children)
    }

    /// The text without readings of ruby, with the alternative text of images, else the `title`.
    private static func title(_ element: XMLElement) -> String {
        var text = ""
        append(element, to: &text)
        let title = MarkupText.collapsed(text)
        return title.isEmpty ? MarkupText.collapsed(element.attribute("title") ?? "") : title
    }

    private static func append(_ element: XMLElement, to text: inout String) {
        for node in element.nodes {
            switch node {
            case .text(let part): text += part
            case .element(let child) where child.name == "rt" || child.name == "rp": break
            case .element(let child) where child.name == "img": text += child.attribute("alt") ?? ""
            case .element(let child) where child.name == "br": text += " "
            case .element(let child): append(child, to: &text)
            }
        }
    }
}

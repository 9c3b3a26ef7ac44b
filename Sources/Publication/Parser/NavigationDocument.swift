import SafeXML

/// The navigation document of EPUB 3: lists of links for people to find their way (EPUB 3.3, section 7).
struct NavigationDocument: Sendable {
    /// The lists by the first word of `epub:type`, such as `toc` or `page-list`. Of several with one type the first counts.
    let lists: [String: [Link]]

    /// - Parameter href: Where the document lies, for the references in it.
    init(_ root: XMLElement, href: String) {
        let reader = NavigationListReader(folder: EPUBPath.folder(of: href), document: href)
        var lists: [String: [Link]] = [:]
        let navigations = root.descendants("nav")
        for navigation in navigations {
            guard let list = navigation.descendants("ol").first else { continue }
            for type in Self.types(navigation, isOnly: navigations.count == 1) where lists[type] == nil {
                let links = reader.links(list)
                if !links.isEmpty { lists[type] = links }
            }
        }
        self.lists = lists
    }

    /// A lone list that does not say what it is can only be the table of contents.
    private static func types(_ navigation: XMLElement, isOnly: Bool) -> [String] {
        let types = EPUBText.words(navigation.epubType)
        if !types.isEmpty { return types }
        if navigation.attribute("role").map(EPUBText.trimmed) == "doc-toc" { return ["toc"] }
        return isOnly ? ["toc"] : []
    }
}

extension XMLElement {
    /// `epub:type`, also where the prefix was not declared.
    fileprivate var epubType: String? {
        attribute("type", "http://www.idpf.org/2007/ops") ?? attribute("type")
    }
}

/// Reads the nested lists of a navigation document.
private struct NavigationListReader {
    let folder: EPUBPath
    /// The document's own address, for references to places in it.
    let document: String

    /// As deep as the document may be, which its limits say.
    func links(_ list: XMLElement) -> [Link] { list.all("li").compactMap(link) }

    /// Nil for an item that leads nowhere and has nothing below it.
    private func link(_ item: XMLElement) -> Link? {
        let label = item.first("a") ?? item.first("span") ?? item.children.first { $0.name != "ol" }
        let anchor = label.flatMap { $0.name == "a" ? $0 : $0.descendants("a").first } ?? label
        let children = item.first("ol").map(links) ?? []
        let href = anchor?.attribute("href").flatMap(address)
        guard href != nil || !children.isEmpty else { return nil }
        let title = anchor.map(Self.title) ?? ""
        // The manifest demands an address; this one leads nowhere.
        return Link(
            href: href ?? "#", title: title.isEmpty ? nil : title, rels: EPUBText.words(anchor?.epubType), children: children)
    }

    private func address(_ reference: String) -> String? {
        let reference = EPUBText.trimmed(reference)
        if reference.hasPrefix("#") { return reference.utf8.count > 1 ? document + EPUBText.encoded(reference, .whole) : nil }
        return folder.resolve(reference)
    }

    /// The text without readings of ruby, with the alternative text of images, else the `title`.
    private static func title(_ element: XMLElement) -> String {
        var text = ""
        append(element, to: &text)
        let title = EPUBText.collapsed(text)
        return title.isEmpty ? EPUBText.collapsed(element.attribute("title") ?? "") : title
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

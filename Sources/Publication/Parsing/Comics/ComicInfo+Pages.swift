import Archives
import SafeXML

extension ComicInfo {
    /// One of the pictures, as `ComicInfo.xml` describes it.
    struct Page {
        /// The picture's place in their natural order, from 0.
        let index: Int
        let types: [String]
        let isDouble: Bool
        let width: Int?
        let height: Int?
        let bookmark: String?

        /// Nil without a number.
        init?(_ element: XMLElement) {
            guard let index = element.attribute("Image").flatMap({ Int(MarkupText.trimmed($0)) }),
                (0..<1_000_000).contains(index)
            else {
                return nil
            }
            self.index = index
            types = MarkupText.words(element.attribute("Type"))
            isDouble = ["true", "1"].contains(element.attribute("DoublePage")?.lowercased() ?? "")
            width = element.attribute("ImageWidth").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
            height = element.attribute("ImageHeight").flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
            let bookmark = MarkupText.collapsed(element.attribute("Bookmark") ?? "")
            self.bookmark = bookmark.isEmpty ? nil : bookmark
        }
    }

    /// Adds page details to the links, which are in the order of the pictures: sizes, double pages, the cover and the
    /// start of the story.
    func describe(_ links: inout [Link], warnings: WarningLog) {
        for page in pages {
            guard links.indices.contains(page.index) else {
                warnings.warn(
                    "invalid-page", severity: .minor,
                    message:
                        "ComicInfo.xml describes picture \(page.index + 1) of \(links.count); that description was ignored."
                )
                continue
            }
            links[page.index].width = page.width ?? links[page.index].width
            links[page.index].height = page.height ?? links[page.index].height
            if page.isDouble { links[page.index].properties.page = .center }
        }
        for (type, rel) in [("FrontCover", "cover"), ("Story", "start")] {
            let locations = pages.filter { $0.types.contains(type) && links.indices.contains($0.index) }.map(\.index)
            if let first = locations.min() { links[first].rels.append(rel) }
        }
    }

    /// The pages with a bookmark, as a table of contents.
    func bookmarks(_ links: [Link]) -> [Link] {
        let marked = pages.filter { $0.bookmark != nil && links.indices.contains($0.index) }.sorted {
            $0.index < $1.index
        }
        return marked.map { Link(href: links[$0.index].href, title: $0.bookmark) }
    }
}

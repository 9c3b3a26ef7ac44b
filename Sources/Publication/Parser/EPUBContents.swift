/// The lists of links that lead through an EPUB, from whichever document has them.
struct EPUBContents {
    private(set) var tableOfContents: [Link] = []
    private(set) var subcollections: [String: [PublicationCollection]] = [:]

    /// The manifest's roles for the lists of a navigation document (EPUB 3.3, section 7.4).
    private static let roles = [
        "page-list": "pageList", "landmarks": "landmarks", "loa": "loa", "loi": "loi", "lot": "lot", "lov": "lov",
    ]

    /// Reads the navigation document; the NCX only where that has no table of contents, and the guide where it has no landmarks.
    ///
    /// - Throws: The fetcher's errors; documents that are missing or damaged are passed over.
    init(_ package: PackageDocument, _ documents: EPUBDocuments) async throws {
        if let href = package.navigation?.href, let root = try await documents.optionalDocument(href) {
            let lists = NavigationDocument(root, href: href).lists
            tableOfContents = (lists["toc"] ?? []).map(Self.withoutRelations)
            for (type, role) in Self.roles {
                let links = lists[type] ?? []
                add(type == "landmarks" ? links : links.map(Self.withoutRelations), as: role)
            }
        }
        if tableOfContents.isEmpty, let href = package.ncx?.href, let root = try await documents.optionalDocument(href) {
            let ncx = NCXDocument(root, href: href)
            tableOfContents = ncx.tableOfContents
            if subcollections["pageList"] == nil { add(ncx.pageList, as: "pageList") }
        }
        if subcollections["landmarks"] == nil {
            add(package.guide.map { Link(href: $0.href, title: $0.title, rels: $0.type.isEmpty ? [] : [$0.type]) }, as: "landmarks")
        }
    }

    private mutating func add(_ links: [Link], as role: String) {
        if !links.isEmpty { subcollections[role] = [PublicationCollection(links: links)] }
    }

    /// Only in the landmarks does the type of a link say how the place relates to the book.
    private static func withoutRelations(_ link: Link) -> Link {
        var link = link
        link.rels = []
        link.children = link.children.map(withoutRelations)
        return link
    }
}

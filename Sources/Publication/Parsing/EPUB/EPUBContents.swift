/// The navigation lists of an EPUB, from whichever document has them.
struct EPUBContents {
    private(set) var tableOfContents: [Link] = []
    private(set) var subcollections: [String: [PublicationCollection]] = [:]

    /// The manifest's roles for the lists of a navigation document (EPUB 3.3, section 7.4).
    private static let roles = [
        "page-list": "pageList", "landmarks": "landmarks", "loa": "loa", "loi": "loi", "lot": "lot", "lov": "lov",
    ]

    /// Reads the navigation document; the NCX only if that has no table of contents, and the guide only if it has no
    /// landmarks.
    ///
    /// - Throws: The fetcher's errors; missing or damaged documents are ignored.
    init(_ package: PackageDocument, documents: EPUBDocuments) async throws {
        try await readNavigation(package, documents: documents)
        if tableOfContents.isEmpty { try await readNCX(package, documents: documents) }
        if subcollections["landmarks"] == nil {
            add(
                package.guide.map { Link(href: $0.href, title: $0.title, rels: $0.type.isEmpty ? [] : [$0.type]) },
                as: "landmarks")
        }
        if tableOfContents.isEmpty {
            documents.warnings.warn(
                "missing-table-of-contents", severity: .moderate,
                message: "The book has no table of contents that can be read; it was opened without one.")
        }
        noteDeadLinks(package, documents: documents)
    }

    private mutating func readNavigation(_ package: PackageDocument, documents: EPUBDocuments) async throws {
        guard let href = package.navigation?.href else {
            guard package.isEPUB3 else { return }
            let sentence = "The book names no navigation document, which EPUB 3 requires; an NCX was looked for."
            return documents.warnings.warn("missing-navigation", severity: .minor, message: sentence)
        }
        guard let root = try await documents.optionalDocument(href, consequence: "an NCX was looked for") else {
            return
        }
        let lists = NavigationDocument(root, references: documents.references(in: href)).lists
        tableOfContents = (lists["toc"] ?? []).map(Self.withoutRelations)
        if tableOfContents.isEmpty {
            documents.warnings.warn(
                "empty-navigation", severity: .minor,
                message: "“\(href)” has no table of contents; an NCX was looked for.")
        }
        for (type, role) in Self.roles {
            let links = lists[type] ?? []
            add(type == "landmarks" ? links : links.map(Self.withoutRelations), as: role)
        }
    }

    private mutating func readNCX(_ package: PackageDocument, documents: EPUBDocuments) async throws {
        guard let href = package.ncx?.href, let root = try await documents.optionalDocument(href) else { return }
        let ncx = NCXDocument(root, references: documents.references(in: href))
        tableOfContents = ncx.tableOfContents
        if subcollections["pageList"] == nil { add(ncx.pageList, as: "pageList") }
    }

    /// Warns of links to files that are neither in the manifest nor, as far as it is known, in the container.
    private func noteDeadLinks(_ package: PackageDocument, documents: EPUBDocuments) {
        let known = Set(package.items.map(\.href))
        let locations = documents.references(in: "")
        func check(_ links: [Link]) {
            for link in links {
                let resource = HREFBase.resource(of: link.href)
                if link.href != "#", !HREFBase.isRemote(resource), !known.contains(resource),
                    locations.inventory == nil || !locations.isThere(resource)
                {
                    documents.warnings.warn(
                        "unresolvable-link", severity: .moderate,
                        message: "The contents lead to “\(resource)”, which the book does not have; the entry was kept."
                    )
                }
                check(link.children)
            }
        }
        check(tableOfContents)
        for collection in subcollections.values.joined() { check(collection.links) }
    }

    private mutating func add(_ links: [Link], as role: String) {
        if !links.isEmpty { subcollections[role] = [PublicationCollection(links: links)] }
    }

    /// Relations of a link to the book appear only in the landmarks.
    private static func withoutRelations(_ link: Link) -> Link {
        var link = link
        link.rels = []
        link.children = link.children.map(withoutRelations)
        return link
    }
}

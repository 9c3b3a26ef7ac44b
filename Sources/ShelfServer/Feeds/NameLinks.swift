import Publication

/// Links from the names in a book's metadata to all books with the same name. Keys are made as the shelf makes them, so no
/// query is needed.
struct NameLinks {
    private var keys = NameKeys()
    private let addresses: FeedAddresses

    init(_ addresses: FeedAddresses) { self.addresses = addresses }

    /// Adds a link to each author, series, collection and subject. In OPDS 1.2, only those of authors are written.
    mutating func add(to metadata: inout Metadata) {
        let role = Self.authors(of: metadata)
        metadata[role] = metadata[role].map { author in
            var author = author
            author.links += links(author.name, .authors)
            return author
        }
        metadata.belongsToSeries = metadata.belongsToSeries.map { add(to: $0, .series) }
        metadata.belongsToCollections = metadata.belongsToCollections.map { add(to: $0, .collections) }
        metadata.subjects = metadata.subjects.map { subject in
            var subject = subject
            subject.links += links(subject.name, .subjects)
            return subject
        }
    }

    /// Returns links to the other books of the authors and series, for an entry of OPDS 1.2.
    mutating func links(of metadata: Metadata) -> [Link] {
        var result: [Link] = []
        for author in metadata[Self.authors(of: metadata)] { result += links(author.name, .authors) }
        for series in metadata.belongsToSeries { result += links(series.name, .series) }
        return result.map { link in
            var link = link
            link.rels = ["related"]
            return link
        }
    }

    /// A comic without authors is listed under those who drew it.
    private static func authors(of metadata: Metadata) -> ContributorRole {
        metadata.authors.isEmpty ? .artist : .author
    }

    private mutating func add(to parent: ParentCollection, _ division: ShelfDivision) -> ParentCollection {
        var parent = parent
        parent.links += links(parent.name, division)
        return parent
    }

    /// No link for an empty name.
    private mutating func links(_ name: LocalizedString?, _ division: ShelfDivision) -> [Link] {
        guard let (name, key) = keys.keyed(name?.string) else { return [] }
        let selection = BookSelection().choosing(key, of: division)
        return [Link(href: addresses.books(selection), type: addresses.version.type(.books), title: name)]
    }
}

/// The two forms in which a shelf's feeds are served. The raw value is a segment of their addresses.
enum FeedVersion: String, CaseIterable, Sendable {
    /// OPDS 1.2, in Atom.
    case atom = "1.2"
    /// OPDS 2.0, in JSON.
    case json = "2.0"

    /// The kinds of documents that feeds link to.
    enum Document {
        /// A feed of links to other feeds.
        case navigation
        /// A feed of books.
        case books
        /// One book with all its metadata.
        case book
    }

    /// The other form.
    var other: FeedVersion { self == .atom ? .json : .atom }

    /// The media type of a document, with its parameters in the order of the specification: readers compare it as text
    /// (OPDS 1.2, sections 2 and 7; OPDS 2.0, section 1).
    func type(_ document: Document) -> String {
        switch (self, document) {
        case (.atom, .navigation): "application/atom+xml;profile=opds-catalog;kind=navigation"
        case (.atom, .books): "application/atom+xml;profile=opds-catalog;kind=acquisition"
        case (.atom, .book): "application/atom+xml;type=entry;profile=opds-catalog"
        case (.json, .book): "application/opds-publication+json"
        case (.json, _): "application/opds+json"
        }
    }
}

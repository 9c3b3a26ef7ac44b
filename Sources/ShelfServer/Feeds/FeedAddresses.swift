import Shelf

/// The addresses of a shelf's feeds in one version. They are absolute: not every reader resolves a relative address, least
/// of all one in a template.
struct FeedAddresses: Sendable {
    /// The address of the server; ends with a slash.
    let server: String
    let version: FeedVersion

    init(_ context: ShelfContext, _ version: FeedVersion) {
        server = context.address
        self.version = version
    }

    /// The root of the catalogue.
    var root: String { server + "opds/\(version.rawValue)/" }

    /// The root in the other version.
    var otherRoot: String { server + "opds/\(version.other.rawValue)/" }

    /// The list of a division's values.
    func list(_ division: ShelfDivision, page: Int = 1) -> String {
        root + division.rawValue + RequestParameters.query(page > 1 ? [("page", String(page))] : [])
    }

    /// Books in any order.
    func books(_ selection: BookSelection = BookSelection()) -> String {
        root + "books" + RequestParameters.query(selection.items)
    }

    /// The newest books first.
    func new(page: Int = 1) -> String {
        root + "new" + RequestParameters.query(page > 1 ? [("page", String(page))] : [])
    }

    /// The books that the person is reading.
    var reading: String { root + "reading" }

    /// One book with all its metadata.
    func book(_ book: ShelfBook) -> String { root + "book/\(book.id)" }

    /// The OpenSearch description.
    var searchDescription: String { root + "search.xml" }

    /// The template of a search (OPDS 2.0, section 3).
    var searchTemplate: String { root + "books{?query}" }

    /// How to log in.
    var authentication: String { server + "opds/authentication.json" }
}

import Shelf

/// A link to another page.
struct PageLink: Sendable {
    let title: String
    let address: String
}

/// The addresses of a shelf's pages, as paths from the root of the host.
struct PageAddresses: Sendable {
    /// Begins and ends with a slash.
    let base: String

    /// The grid of books.
    func books(_ selection: BookSelection = BookSelection()) -> String {
        base + "books" + RequestParameters.query(selection.items)
    }

    /// The newest books first.
    var newest: String { books(BookSelection().sorted(by: .added)) }

    /// The books of one author, series or the like.
    func books(of key: String, _ division: ShelfDivision) -> String {
        books(BookSelection().choosing(key, of: division))
    }

    /// The list of a division's values.
    func list(_ division: ShelfDivision, page: Int = 1) -> String {
        base + division.rawValue + RequestParameters.query(page > 1 ? [("page", String(page))] : [])
    }

    /// The page about a book.
    func book(_ book: ShelfBook) -> String { base + BookAddress.page(of: book) }
}

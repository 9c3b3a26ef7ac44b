import Foundation
import ReaderMessages

/// The books of a device as the driver knows them. This is a value: changing it doesn't change the device.
public struct BookList: Hashable, Sendable, Codable {
    /// The books, in no particular order.
    public private(set) var books: [LibraryBook]

    /// Creates a list of the given books.
    public init(_ books: [LibraryBook] = []) { self.books = books }

    /// Returns the book that `reference` identifies: by uuid, else by file name, else by title and authors. Returns
    /// `nil` if there is none, or more than one.
    /// - Complexity: Linear in the number of books; for many look-ups use an `Index`.
    public func book(_ reference: BookReference) -> LibraryBook? {
        Index(self).position(of: reference).map { books[$0] }
    }

    /// Replaces the same book, or appends `book`.
    public mutating func put(_ book: LibraryBook) {
        if let position = Index(self).position(of: book.reference) {
            books[position] = book
        } else {
            books.append(book)
        }
    }

    /// Adds the results of an upload.
    public mutating func merge(_ report: UploadReport) {
        var index = Index(self)
        for entry in report.entries {
            guard let book = entry.book else { continue }
            switch entry.outcome {
            case .added, .replaced, .updated:
                if let position = index.position(of: book.reference) {
                    books[position] = book
                } else {
                    index.add(book, at: books.count)
                    books.append(book)
                }
            case .skipped, .rejected: break
            }
        }
    }

    /// Removes the identified books. References to missing books are ignored.
    public mutating func remove(_ references: [BookReference]) {
        let index = Index(self)
        let gone = Set(references.compactMap { index.position(of: $0) })
        books = books.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
    }

    /// Finds books in a list, as of the time the index was created.
    struct Index {
        private var byUUID: [String: [Int]] = [:]
        private var byFilename: [String: [Int]] = [:]
        private var byTitle: [TitleKey: [Int]] = [:]
        private var withUUID: Set<Int> = []

        private struct TitleKey: Hashable {
            let title: String
            let author: String
        }

        init(_ list: BookList) {
            for (position, book) in list.books.enumerated() { add(book, at: position) }
        }

        mutating func add(_ book: LibraryBook, at position: Int) {
            let uuid = BookUUID.canonical(book.uuid)
            if !uuid.isEmpty {
                byUUID[uuid, default: []].append(position)
                withUUID.insert(position)
            }
            // Swift compares strings by canonical equivalence, so NFC and NFD are equal.
            byFilename[book.filename, default: []].append(position)
            byTitle[TitleKey(title: book.title, author: book.reference.author), default: []].append(position)
        }

        /// If several books have the uuid, the file name decides. Otherwise the file name counts only if one of the two
        /// uuids is empty, since names are reused. Title and authors count only for a reference without a uuid.
        func position(of reference: BookReference) -> Int? {
            let uuid = BookUUID.canonical(reference.uuid)
            let named = reference.filename.isEmpty ? [] : byFilename[reference.filename] ?? []
            if !uuid.isEmpty, let same = byUUID[uuid] {
                return same.count == 1 ? same[0] : same.first { named.contains($0) }
            }
            if named.count == 1, uuid.isEmpty || !withUUID.contains(named[0]) { return named[0] }
            guard uuid.isEmpty else { return nil }
            return only(byTitle[TitleKey(title: reference.title, author: reference.author)])
        }

        /// Returns the book that this metadata describes: by uuid, else by exactly the same title and authors. Two
        /// books with different uuids are two editions, as for an application, which ignores a malformed uuid.
        func position(of metadata: BookMetadata) -> Int? {
            let uuid = BookUUID.canonical(metadata.uuid)
            if !uuid.isEmpty, let same = byUUID[uuid] { return same.first }
            let alike = byTitle[TitleKey(title: metadata.title, author: metadata.authors.joined(separator: ", "))]
            let hasUUID = BookUUID.shaped(uuid) != nil
            return only(alike?.filter { !hasUUID || !withUUID.contains($0) })
        }

        private func only(_ positions: [Int]?) -> Int? { positions?.count == 1 ? positions?[0] : nil }
    }
}

/// The differences between two lists of the same device.
struct BookListDifferences: Sendable {
    /// Books whose metadata differs.
    private(set) var updates: [UpdatedBook] = []
    /// Books whose collections differ.
    private(set) var collections: [CollectedBook] = []

    /// Finds the differences of `wanted` from `present`. Books in only one of the lists are ignored.
    init(wanted: BookList, present: BookList) {
        let index = BookList.Index(present)
        for book in wanted.books {
            guard let position = index.position(of: book.reference) else { continue }
            let previous = present.books[position]
            let (wanted, known) = (BookMetadata(book).compared, BookMetadata(previous).compared)
            if wanted != known {
                var update = UpdatedBook(BookMetadata(book), of: previous)
                update.collections = nil
                // If left out, it would stay and differ forever.
                if wanted.pubDate == nil, known.pubDate != nil { update.pubDate = "" }
                updates.append(update)
            }
            if Set(ReaderCommand.collections(book.collections)) != Set(ReaderCommand.collections(previous.collections))
            {
                var reference = previous.reference
                reference.title = book.title
                reference.author = book.reference.author
                collections.append(CollectedBook(reference, collections: book.collections))
            }
        }
    }
}

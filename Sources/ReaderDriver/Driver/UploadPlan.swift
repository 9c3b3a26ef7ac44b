import Foundation
import ReaderMessages

/// What is done with each book of an upload; decided from lists alone.
struct UploadPlan: Sendable {
    /// What is done with one book.
    enum Action: Equatable, Sendable {
        /// Its file is sent; the book there that it takes the place of, if any.
        case send(replacing: LibraryBook?)
        /// The book there gets its metadata.
        case update(LibraryBook)
        /// The book there stays.
        case skip(LibraryBook)
        /// The same book comes once more, and that one is taken.
        case repeated
        /// The application does not take it, for this reason.
        case refused(String)
    }

    /// One for each book, in their order.
    let actions: [Action]

    /// - Parameter refused: The places of books that the application does not take, and why.
    init(_ books: [BookMetadata], list: BookList, policy: ExistingBookPolicy, refused: [Int: String] = [:]) {
        let known = BookList.Index(list)
        let taken = books.enumerated().filter { refused[$0.offset] == nil }
        let last = Dictionary(taken.map { (Identity($0.element), $0.offset) }, uniquingKeysWith: max)
        actions = books.enumerated().map { index, book in
            if let reason = refused[index] { return .refused(reason) }
            guard last[Identity(book)] == index else { return .repeated }
            guard let position = known.position(of: book) else { return .send(replacing: nil) }
            let existing = list.books[position]
            switch policy {
            case .protect: return .skip(existing)
            case .update: return .update(existing)
            case .replace: return .send(replacing: existing)
            }
        }
    }

    /// The places of the books whose files are sent.
    var sent: [Int] {
        actions.indices.filter {
            if case .send = actions[$0] { true } else { false }
        }
    }

    /// The places of the books that are updated, with those there.
    var updated: [(index: Int, book: LibraryBook)] {
        actions.enumerated().compactMap { index, action in
            if case .update(let book) = action { (index, book) } else { nil }
        }
    }

    /// What is known to become of the others.
    var settled: [UploadReport.Entry] {
        actions.enumerated().compactMap { index, action in
            switch action {
            case .skip(let book):
                UploadReport.Entry(
                    index: index, outcome: .skipped, book: book, warnings: ["It is on the device already."])
            case .repeated:
                UploadReport.Entry(index: index, outcome: .skipped, warnings: ["The same book was given once more."])
            case .refused(let reason): UploadReport.Entry(index: index, outcome: .rejected(reason))
            case .send, .update: nil
            }
        }
    }

    /// Which books of one upload are the same.
    private struct Identity: Hashable {
        let uuid: String
        let title: String
        let authors: [String]

        init(_ book: BookMetadata) {
            uuid = BookUUID.canonical(book.uuid)
            title = uuid.isEmpty ? book.title : ""
            authors = uuid.isEmpty ? book.authors : []
        }
    }

    /// The name under which the file of the book at `index` is staged. One that takes the place of another goes by that
    /// one's uuid: the application knows by it which one is meant.
    func stagedName(of item: UploadItem, at index: Int) -> String {
        guard case .send(let previous?) = actions[index], BookUUID.shaped(previous.uuid) != nil else {
            return Self.stagedName(uuid: item.metadata.uuid, fileExtension: item.fileExtension)
        }
        return Self.stagedName(uuid: previous.uuid, fileExtension: item.fileExtension)
    }

    /// The name under which a book's file is staged: its uuid where that is one, else a random one. Nothing else of it
    /// is the caller's.
    static func stagedName(uuid: String, fileExtension: String) -> String {
        let uuid = BookUUID.shaped(uuid) ?? UUID()
        let end = fileExtension.lowercased()
        return uuid.uuidString.lowercased() + "." + (SafeFileName.isExtension(end) && end != "tmp" ? end : "epub")
    }
}

extension BookUUID {
    /// The uuid that `text` is; nil for anything else that identifies a book, which applications don't know books by.
    static func shaped(_ text: String) -> UUID? { UUID(uuidString: canonical(text)) }
}

import Foundation
import ReaderMessages

/// Decides what to do with each book of an upload, from lists alone.
struct UploadPlan: Sendable {
    /// The action for one book.
    enum Action: Equatable, Sendable {
        /// Send its file, which replaces the given book, if any.
        case send(replacing: LibraryBook?)
        /// Update the existing book with its metadata.
        case update(LibraryBook)
        /// Keep the existing book.
        case skip(LibraryBook)
        /// The same book occurs again later in the upload, and the later one is used.
        case repeated
        /// The application doesn't accept it, for this reason.
        case refused(String)
    }

    /// The actions in the order of the books.
    let actions: [Action]

    /// - Parameter refused: The indexes of the books that the application doesn't accept, with the reasons.
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

    /// The indexes of the books whose files are sent.
    var sent: [Int] {
        actions.indices.filter {
            if case .send = actions[$0] { true } else { false }
        }
    }

    /// The indexes of the books that are updated, with the existing books.
    var updated: [(index: Int, book: LibraryBook)] {
        actions.enumerated().compactMap { index, action in
            if case .update(let book) = action { (index, book) } else { nil }
        }
    }

    /// The results that are known before anything is sent.
    var settled: [UploadReport.Entry] {
        actions.enumerated().compactMap { index, action in
            switch action {
            case .skip(let book):
                UploadReport.Entry(
                    index: index, outcome: .skipped, book: book, warnings: ["The book is already on the device."])
            case .repeated:
                UploadReport.Entry(index: index, outcome: .skipped, warnings: ["The same book was given twice."])
            case .refused(let reason): UploadReport.Entry(index: index, outcome: .rejected(reason))
            case .send, .update: nil
            }
        }
    }

    /// The identity of a book within one upload.
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

    /// Returns the name for staging the file of the book at `index`. A book that replaces another is named after that
    /// one's uuid, by which the application recognizes it.
    func stagedName(of item: UploadItem, at index: Int) -> String {
        guard case .send(let previous?) = actions[index], BookUUID.shaped(previous.uuid) != nil else {
            return Self.stagedName(uuid: item.metadata.uuid, fileExtension: item.fileExtension)
        }
        return Self.stagedName(uuid: previous.uuid, fileExtension: item.fileExtension)
    }

    /// Returns the name for staging a book's file: its uuid if well-formed, else a random one. The caller controls
    /// nothing else of the name.
    static func stagedName(uuid: String, fileExtension: String) -> String {
        let uuid = BookUUID.shaped(uuid) ?? UUID()
        let end = fileExtension.lowercased()
        return uuid.uuidString.lowercased() + "." + (SafeFileName.isExtension(end) && end != "tmp" ? end : "epub")
    }
}

extension BookUUID {
    /// Returns `text` as a uuid, or `nil` for any other identifier, which applications ignore.
    static func shaped(_ text: String) -> UUID? { UUID(uuidString: canonical(text)) }
}

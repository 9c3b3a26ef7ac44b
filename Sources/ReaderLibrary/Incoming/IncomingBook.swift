import Foundation
import Publication
import ReaderLink
import SQLiteStorage

/// A verified book with its metadata.
struct IncomingBook: Sendable {
    /// The book, still without a file name.
    var book: LibraryBook
    /// The uuids of the book in normalized form, the most important one first.
    var uuids: [String]
    var cover: CoverPicture?
    var warnings: [String]
    /// Whether the command says if the book is locked.
    var isLockGiven = false

    /// Creates a book from the metadata of the document that was staged as `name`.
    init(_ metadata: Metadata, named name: String, size: Int64, at time: Date) {
        let stem = name.lowercased().hasSuffix(".epub") ? String(name.dropLast(5)) : name
        let title = BookText.nonEmpty(metadata.title.string) ?? BookText.nonEmpty(StagedName.shown(stem)) ?? "Book"
        uuids = Self.uuids(metadata, stem: stem)
        warnings = []
        book = LibraryBook(filename: "", title: title, uuid: uuids.first ?? "", size: size, added: time)
        book.titleSort = BookText.nonEmpty(metadata.sortAs?.string) ?? title
        let authors = metadata.contributorsByRole[.author] ?? []
        book.authors = BookText.list(authors.map(\.name.string))
        book.authorSort = BookText.clean(
            BookText.list(authors.map { ($0.sortAs ?? $0.name).string }).joined(separator: " & "))
        if let series = metadata.belongsToSeries.first, let name = BookText.nonEmpty(series.name?.string) {
            book.series = name
            book.seriesIndex = series.position.flatMap { $0.isFinite ? $0 : nil }
        }
        book.publisher = BookText.nonEmpty(metadata.contributorsByRole[.publisher]?.first?.name.string)
        book.pubDate = metadata.published.flatMap { BookValues.day($0) }
        book.subjects = BookText.list(metadata.subjects.map(\.name.string))
        describe(metadata.description)
    }

    private mutating func describe(_ text: String?) {
        let (description, isTooLong) = BookText.description(text ?? "")
        book.description = description
        if isTooLong { warnings.append("The description is too long and was dropped.") }
    }

    /// Returns the uuid in the document's name, then those in the book: plain ones and those with `urn:uuid:`.
    private static func uuids(_ metadata: Metadata, stem: String) -> [String] {
        let own = [metadata.identifier].compactMap(\.self) + metadata.alternateIdentifiers.map(\.value)
        var seen: Set<String> = []
        return ([stem] + own).map(BookUUID.canonical).filter { BookValues.isUUID($0) && seen.insert($0).inserted }
    }
}

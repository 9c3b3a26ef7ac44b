import Carrel
import Foundation

/// A book of a device in the contract's JSON.
struct ShownBook: Encodable {
    var filename: String
    var uuid: String?
    var title: String
    var titleSort: String
    var authors: [String]
    var authorSort: String
    var series: String?
    var seriesIndex: Double?
    var publisher: String?
    var pubDate: String?
    var description: String?
    var subjects: [String]
    var collections: [String]
    var coverHash: String?
    var rating: Double?
    var size: Int64
    var added: String?
    var modified: String?
    var isLocked: Bool
    var wordCount: Int?
    var isNew: Bool
    var isRead: Bool
    var isOnReadingList: Bool

    init(_ book: LibraryBook) {
        filename = book.filename
        uuid = book.uuid.isEmpty ? nil : book.uuid
        title = book.title
        titleSort = book.titleSort
        authors = book.authors
        authorSort = book.authorSort
        series = book.series
        seriesIndex = book.seriesIndex.flatMap(Self.finite)
        publisher = book.publisher
        pubDate = book.pubDate
        description = book.description
        subjects = book.subjects
        collections = book.collections
        coverHash = book.coverHash
        rating = book.rating.flatMap(Self.finite)
        size = book.size
        added = Self.text(book.added)
        modified = Self.text(book.modified)
        isLocked = book.isLocked
        wordCount = book.wordCount
        isNew = book.isNew
        isRead = book.isRead
        isOnReadingList = book.isOnReadingList
    }

    /// JSON can't represent other numbers.
    private static func finite(_ number: Double) -> Double? { number.isFinite ? number : nil }

    /// Formats a date as RFC 3339, in UTC. The start of 1970 means an unknown time, and a peer may send any number.
    private static func text(_ date: Date) -> String? {
        let seconds = date.timeIntervalSince1970
        guard seconds > 0, seconds < 253_402_300_800 else { return nil }
        return date.formatted(Date.ISO8601FormatStyle())
    }
}

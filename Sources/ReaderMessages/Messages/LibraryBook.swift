public import Foundation

/// A book of a library, as listed by the driver and stored in the snapshot.
public struct LibraryBook: Hashable, Sendable, Codable {
    /// The path of its file below the library's folder for books, with `/` between the parts.
    public var filename: String
    /// The uuid that calibre gave it, or the publication's own; may be empty.
    public var uuid: String
    /// The title.
    public var title: String
    /// The sort text of the title.
    public var titleSort: String
    /// The authors, one element each.
    public var authors: [String]
    /// The sort text of the authors.
    public var authorSort: String
    /// The series; nil for none.
    public var series: String?
    /// The position in the series; 0 is a valid position.
    public var seriesIndex: Double?
    /// The publisher.
    public var publisher: String?
    /// The day of publication, as `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    public var pubDate: String?
    /// The description in HTML, not sanitized.
    public var description: String?
    /// calibre's tags.
    public var subjects: [String]
    /// The collections that it is in.
    public var collections: [String]
    /// The driver's token for the cover.
    public var coverHash: String?
    /// The rating from 0 to 5, or `nil` for none.
    public var rating: Double?
    /// The size of the file in bytes.
    public var size: Int64
    /// The time at which the book was added to the library.
    public var added: Date
    /// The time at which its metadata last changed.
    public var modified: Date
    /// Whether the user locked it.
    public var isLocked: Bool
    /// The number of words, if known.
    public var wordCount: Int?
    /// Whether it is new to the user.
    public var isNew: Bool
    /// Whether the user read it.
    public var isRead: Bool
    /// Whether it is on the user's reading list.
    public var isOnReadingList: Bool

    /// Creates a book with file and title; set other values afterwards.
    public init(filename: String, title: String, uuid: String = "", size: Int64 = 0, added: Date) {
        self.filename = filename
        self.uuid = uuid
        self.title = title
        self.titleSort = title
        self.authors = []
        self.authorSort = ""
        self.subjects = []
        self.collections = []
        self.size = size
        self.added = added
        self.modified = added
        self.isLocked = false
        self.isNew = false
        self.isRead = false
        self.isOnReadingList = false
    }

    /// The reference to this book for commands.
    public var reference: BookReference {
        BookReference(author: authors.joined(separator: ", "), filename: filename, title: title, uuid: uuid)
    }
}

/// Normalizes a book's uuid for comparisons.
public enum BookUUID {
    /// Returns `text` in lower case, without surrounding white space and without the prefixes `urn:uuid:` and `uuid:`.
    public static func canonical(_ text: String) -> String {
        var text = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        if text.hasPrefix("urn:") { text.removeFirst(4) }
        if text.hasPrefix("uuid:") { text.removeFirst(5) }
        return text
    }
}

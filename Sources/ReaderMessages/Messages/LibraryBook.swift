public import Foundation

/// A book of a library, as the driver lists it and the snapshot holds it.
public struct LibraryBook: Hashable, Sendable, Codable {
    /// The path of its file below the library's folder for books, with `/` between the parts.
    public var filename: String
    /// The uuid that calibre gave it, or the publication's own; may be empty.
    public var uuid: String
    /// The title.
    public var title: String
    /// The text by which the title is sorted.
    public var titleSort: String
    /// The authors one by one.
    public var authors: [String]
    /// The text by which the authors are sorted.
    public var authorSort: String
    /// The series; nil for none.
    public var series: String?
    /// The place in the series; 0 is one.
    public var seriesIndex: Double?
    /// The publisher.
    public var publisher: String?
    /// The day of publication, as `YYYY-MM-DD`, `YYYY-MM` or `YYYY`.
    public var pubDate: String?
    /// The description in HTML, not made safe.
    public var description: String?
    /// calibre's tags.
    public var subjects: [String]
    /// The collections that it is in.
    public var collections: [String]
    /// What the driver calls the cover.
    public var coverHash: String?
    /// From 0 to 5; nil for none.
    public var rating: Double?
    /// Bytes of the file.
    public var size: Int64
    /// When the library took it.
    public var added: Date
    /// When its metadata changed last.
    public var modified: Date
    /// Whether the user locked it.
    public var isLocked: Bool
    /// Words, where somebody counted.
    public var wordCount: Int?
    /// Whether it is new to the user.
    public var isNew: Bool
    /// Whether the user read it.
    public var isRead: Bool
    /// Whether it is on the user's reading list.
    public var isOnReadingList: Bool

    /// A book of which only file and title are known, unless more is given afterwards.
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

    /// How a command means this book.
    public var reference: BookReference {
        BookReference(author: authors.joined(separator: ", "), filename: filename, title: title, uuid: uuid)
    }
}

/// A book's uuid as two writers of it are compared.
public enum BookUUID {
    /// `text` without white space around it, without `urn:uuid:` or `uuid:` before it, in lower case.
    public static func canonical(_ text: String) -> String {
        var text = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        if text.hasPrefix("urn:") { text.removeFirst(4) }
        if text.hasPrefix("uuid:") { text.removeFirst(5) }
        return text
    }
}

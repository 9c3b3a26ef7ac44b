/// Which book a command means. Everything may be empty; the application decides by uuid, else by file name, else by
/// title and author.
public struct BookReference: Hashable, Sendable, Codable {
    /// The authors in one text.
    public var author: String
    /// The path of the book's file below the library's folder, with `/` between the parts.
    public var filename: String
    /// The title.
    public var title: String
    /// The book's uuid in calibre, as calibre writes it.
    public var uuid: String

    /// Everything is empty unless given.
    public init(author: String = "", filename: String = "", title: String = "", uuid: String = "") {
        self.author = author
        self.filename = filename
        self.title = title
        self.uuid = uuid
    }
}

/// A book of ``UploadBooks``. Title and authors are not in it: the application reads them from the file.
public struct UploadedBook: Hashable, Sendable {
    /// The name of its file in the document staging folder: one name, no path.
    public var filename: String
    /// What the driver calls the cover it knows; to be kept and given back, not checked. Nil where the book has none.
    public var coverHash: String?
    /// The collections that the book is put into.
    public var collections: [String]
    /// Whether the application is to lock the book; an extension.
    public var isLocked: Bool?
    /// The number of words; an extension.
    public var wordCount: Int?
    /// A cover for a book whose file has none that can be replaced; an extension.
    public var cover: EncodedCover?

    /// A book of which only the file is known, unless more is given.
    public init(
        filename: String, coverHash: String? = nil, collections: [String] = [], isLocked: Bool? = nil,
        wordCount: Int? = nil,
        cover: EncodedCover? = nil
    ) {
        self.filename = filename
        self.coverHash = coverHash
        self.collections = collections
        self.isLocked = isLocked
        self.wordCount = wordCount
        self.cover = cover
    }
}

/// A book of ``RebuildCollections``.
public struct CollectedBook: Hashable, Sendable {
    /// Which book is meant.
    public var reference: BookReference
    /// All the collections that it is to be in.
    public var collections: [String]

    /// A book and its collections.
    public init(_ reference: BookReference, collections: [String]) {
        self.reference = reference
        self.collections = collections
    }
}

/// A book of ``UpdateMetadata``: nil leaves a value as it is, an empty one clears it.
public struct UpdatedBook: Hashable, Sendable {
    /// Which book is meant; its title and author are also the new ones.
    public var reference: BookReference
    /// Whether the message has a title, which is then the new one.
    public var hasTitle: Bool
    /// Whether the message has authors, which are then the new ones.
    public var hasAuthor: Bool
    /// The authors one by one, where the message tells them apart; an extension.
    public var authors: [String]?
    /// The text by which the authors are sorted.
    public var authorSort: String?
    /// The text by which the title is sorted.
    public var titleSort: String?
    /// The day of publication, as `YYYY-MM-DD`.
    public var pubDate: String?
    /// The publisher.
    public var publisher: String?
    /// The series.
    public var series: String?
    /// The place in the series, a decimal number; 0 is one.
    public var seriesIndex: String?
    /// The description in HTML, to be made safe before it is shown.
    public var description: String?
    /// All the collections that the book is to be in.
    public var collections: [String]?
    /// All the subjects, calibre's tags.
    public var subjects: [String]?
    /// A new cover; nil leaves the old one.
    public var cover: EncodedCover?
    /// The rating from 0 to 5, a decimal number; an extension.
    public var rating: String?
    /// Whether the book is locked; an extension.
    public var isLocked: Bool?
    /// The number of words; an extension.
    public var wordCount: Int?
    /// The uuid that the book gets in place of its present one; an extension.
    public var newUUID: String?

    /// A book of which everything stays as it is.
    public init(_ reference: BookReference, hasTitle: Bool = true, hasAuthor: Bool = true) {
        self.reference = reference
        self.hasTitle = hasTitle
        self.hasAuthor = hasAuthor
    }
}

/// A picture in a message.
public struct EncodedCover: Hashable, Sendable {
    /// What the sender calls the picture. A receiver keeps it and gives it back; it need not be a hash of these bytes.
    public var hash: String?
    /// How the bytes are written; only `base64` is known.
    public var encoding: String
    /// The bytes as they stand in the message; white space among them means nothing.
    public var text: String

    /// A picture as it stands in a message.
    public init(hash: String?, encoding: String = "base64", text: String) {
        self.hash = hash
        self.encoding = encoding
        self.text = text
    }
}

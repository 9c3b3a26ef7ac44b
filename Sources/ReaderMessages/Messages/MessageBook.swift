/// A reference to a book in a command. All values may be empty. The application decides by uuid, else by file name,
/// else by title and author.
public struct BookReference: Hashable, Sendable, Codable {
    /// The authors in one text.
    public var author: String
    /// The path of the book's file below the library's folder, with `/` between the parts.
    public var filename: String
    /// The title.
    public var title: String
    /// The book's uuid in calibre, as calibre writes it.
    public var uuid: String

    /// Creates a reference; values that are not given are empty.
    public init(author: String = "", filename: String = "", title: String = "", uuid: String = "") {
        self.author = author
        self.filename = filename
        self.title = title
        self.uuid = uuid
    }
}

/// A book of ``UploadBooks``. Title and authors are not in it: the application reads them from the file.
public struct UploadedBook: Hashable, Sendable {
    /// The name of its file in the document staging folder, not a path.
    public var filename: String
    /// The driver's token for the cover, to be stored and returned without a check. `nil` if the book has none.
    public var coverHash: String?
    /// The collections that the book is put into.
    public var collections: [String]
    /// Whether the application locks the book; an extension.
    public var isLocked: Bool?
    /// The number of words; an extension.
    public var wordCount: Int?
    /// A cover for a book whose file has no replaceable one; an extension.
    public var cover: EncodedCover?

    /// Creates a book; by default only its file is known.
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
    /// The reference to the book.
    public var reference: BookReference
    /// All collections that the book belongs to.
    public var collections: [String]

    /// Creates a book with its collections.
    public init(_ reference: BookReference, collections: [String]) {
        self.reference = reference
        self.collections = collections
    }
}

/// A book of ``UpdateMetadata``: `nil` keeps a value, an empty one clears it.
public struct UpdatedBook: Hashable, Sendable {
    /// The reference to the book. Its title and author are also the new ones.
    public var reference: BookReference
    /// Whether the message has a title, which is then the new one.
    public var hasTitle: Bool
    /// Whether the message has authors, which are then the new ones.
    public var hasAuthor: Bool
    /// The authors, one element each, if the message separates them; an extension.
    public var authors: [String]?
    /// The sort text of the authors.
    public var authorSort: String?
    /// The sort text of the title.
    public var titleSort: String?
    /// The day of publication, as `YYYY-MM-DD`.
    public var pubDate: String?
    /// The publisher.
    public var publisher: String?
    /// The series.
    public var series: String?
    /// The position in the series, a decimal number; 0 is a valid position.
    public var seriesIndex: String?
    /// The description in HTML; sanitize it before showing it.
    public var description: String?
    /// All collections that the book belongs to.
    public var collections: [String]?
    /// All the subjects, calibre's tags.
    public var subjects: [String]?
    /// A new cover, or `nil` to keep the old one.
    public var cover: EncodedCover?
    /// The rating from 0 to 5, a decimal number; an extension.
    public var rating: String?
    /// Whether the book is locked; an extension.
    public var isLocked: Bool?
    /// The number of words; an extension.
    public var wordCount: Int?
    /// The uuid that replaces the book's present one; an extension.
    public var newUUID: String?

    /// Creates an update. By default it sets title and author; other values stay.
    public init(_ reference: BookReference, hasTitle: Bool = true, hasAuthor: Bool = true) {
        self.reference = reference
        self.hasTitle = hasTitle
        self.hasAuthor = hasAuthor
    }
}

/// A picture in a message.
public struct EncodedCover: Hashable, Sendable {
    /// The sender's token for the picture. A receiver stores and returns it; it need not be a hash of these bytes.
    public var hash: String?
    /// The encoding of the bytes; only `base64` is known.
    public var encoding: String
    /// The encoded bytes as in the message; white space among them is ignored.
    public var text: String

    /// Creates a picture from its form in a message.
    public init(hash: String?, encoding: String = "base64", text: String) {
        self.hash = hash
        self.encoding = encoding
        self.text = text
    }
}

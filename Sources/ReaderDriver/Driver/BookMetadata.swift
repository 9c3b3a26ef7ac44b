/// What the driver's library knows of a book, in calibre's words.
///
/// Where it goes to an application as an update every value is sent: nil and empty ones clear what the application has.
public struct BookMetadata: Hashable, Sendable, Codable {
    /// The book's uuid, as calibre writes it; may be empty.
    public var uuid: String
    /// The title.
    public var title: String
    /// The text by which the title is sorted; nil for the title itself.
    public var titleSort: String?
    /// The authors one by one.
    public var authors: [String]
    /// The text by which the authors are sorted.
    public var authorSort: String?
    /// The series; nil for none.
    public var series: String?
    /// The place in the series; 0 is one.
    public var seriesIndex: Double?
    /// The publisher.
    public var publisher: String?
    /// The day of publication, as `YYYY-MM-DD`.
    public var pubDate: String?
    /// The description in HTML.
    public var description: String?
    /// calibre's tags.
    public var subjects: [String]
    /// The collections that the book is to be in.
    public var collections: [String]
    /// From 0 to 5; nil for none.
    public var rating: Double?
    /// What the driver calls the cover: a token that the application keeps and gives back. Nil where the book has none.
    public var coverHash: String?

    /// A book of which only title and authors are known, unless more is given afterwards.
    public init(title: String, authors: [String] = [], uuid: String = "") {
        self.uuid = uuid
        self.title = title
        self.authors = authors
        self.subjects = []
        self.collections = []
    }
}

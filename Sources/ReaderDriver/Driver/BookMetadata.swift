/// A book's metadata in the driver's library, in calibre's terms.
///
/// When it is sent as an update, every value is sent: `nil` and empty values clear those of the application.
public struct BookMetadata: Hashable, Sendable, Codable {
    /// The book's uuid, as calibre writes it; may be empty.
    public var uuid: String
    /// The title.
    public var title: String
    /// The sort text of the title; `nil` for the title itself.
    public var titleSort: String?
    /// The authors, one element each.
    public var authors: [String]
    /// The sort text of the authors.
    public var authorSort: String?
    /// The series; nil for none.
    public var series: String?
    /// The position in the series; 0 is a valid position.
    public var seriesIndex: Double?
    /// The publisher.
    public var publisher: String?
    /// The day of publication, as `YYYY-MM-DD`.
    public var pubDate: String?
    /// The description in HTML.
    public var description: String?
    /// calibre's tags.
    public var subjects: [String]
    /// The collections that the book belongs to.
    public var collections: [String]
    /// The rating from 0 to 5, or `nil` for none.
    public var rating: Double?
    /// The driver's token for the cover, which the application stores and returns. `nil` if the book has no cover.
    public var coverHash: String?

    /// Creates metadata with title and authors; set other values afterwards.
    public init(title: String, authors: [String] = [], uuid: String = "") {
        self.uuid = uuid
        self.title = title
        self.authors = authors
        self.subjects = []
        self.collections = []
    }
}

public import Foundation
public import Publication

/// How the pages of a publication are requested one by one (OPDS Page Streaming Extension 1.1).
///
/// The link has the relation ``CatalogRelation/pageStream``, the media type of the pages, and a template as its href:
/// `{pageNumber}` stands for the page, the first being 0, and `{maxWidth}` for the greatest width in pixels.
///
/// The extension is for Atom alone. In JSON these values are the members `count`, `lastRead` and `lastReadDate` of an
/// object `pageStreaming` among the link's properties.
public struct PageStreaming: Hashable, Sendable {
    /// The number of pages.
    public var count: Int
    /// The page that was read last; the first is 1.
    public var lastRead: Int?
    /// When that page was read.
    public var lastReadDate: Date?

    /// Pages, and which was read last.
    public init(count: Int, lastRead: Int? = nil, lastReadDate: Date? = nil) {
        self.count = count
        self.lastRead = lastRead
        self.lastReadDate = lastReadDate
    }

    /// Reads the object; nil if it has no count above zero.
    init?(json: JSONValue) {
        guard let count = json["count"]?.count, count > 0 else { return nil }
        self.init(
            count: count, lastRead: json["lastRead"]?.count,
            lastReadDate: json["lastReadDate"]?.stringValue.flatMap(Date.init(manifestText:)))
    }

    /// The object.
    var json: JSONValue {
        .object(present: [
            "count": .count(count),
            "lastRead": .count(lastRead),
            "lastReadDate": lastReadDate.map { .string($0.manifestText) },
        ])
    }
}

public import Foundation
public import Publication

/// The metadata of a feed, a group or a facet (OPDS 2.0).
public struct FeedMetadata: Hashable, Sendable {
    /// The title. Text, whatever characters it holds.
    public var title: LocalizedString
    /// The subtitle.
    public var subtitle: LocalizedString?
    /// A URI that identifies the feed.
    public var identifier: String?
    /// A description in prose; may hold HTML.
    public var description: String?
    /// When the feed last changed.
    public var modified: Date?
    /// The number of items on all pages.
    public var numberOfItems: Int?
    /// The number of items on a full page.
    public var itemsPerPage: Int?
    /// The number of this page; the first is 1.
    public var currentPage: Int?
    /// The members that have no property here, unchanged.
    public var otherMetadata: [String: JSONValue] = [:]

    /// Metadata with a title, the one required member.
    public init(title: LocalizedString) {
        self.title = title
    }
}

extension FeedMetadata {
    /// Reads a metadata object. Members of the wrong kind are left out, and a missing title becomes an empty one.
    public init(json: JSONValue) {
        title = json["title"].flatMap(LocalizedString.init(catalog:)) ?? ""
        subtitle = json["subtitle"].flatMap(LocalizedString.init(catalog:))
        identifier = json["identifier"]?.stringValue
        description = json["description"].flatMap(LocalizedString.init(catalog:))?.string
        modified = json["modified"]?.stringValue.flatMap(Date.init(manifestText:))
        numberOfItems = json["numberOfItems"]?.count
        itemsPerPage = json["itemsPerPage"]?.count.flatMap { $0 > 0 ? $0 : nil }
        currentPage = json["currentPage"]?.count.flatMap { $0 > 0 ? $0 : nil }
        otherMetadata = json.members(besides: Self.keys)
    }

    /// The metadata object. Counts below zero, and a page or a page size of zero, are left out, because OPDS allows
    /// none.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "title": title.json,
            "subtitle": subtitle?.json,
            "identifier": identifier.map(JSONValue.string),
            "description": description.map(JSONValue.string),
            "modified": modified.map { .string($0.manifestText) },
            "numberOfItems": .count(numberOfItems),
            "itemsPerPage": itemsPerPage == 0 ? nil : .count(itemsPerPage),
            "currentPage": currentPage == 0 ? nil : .count(currentPage),
        ]
        return .object(present: own, others: otherMetadata)
    }

    private static let keys: Set<String> = [
        "title", "subtitle", "identifier", "description", "modified", "numberOfItems", "itemsPerPage", "currentPage",
    ]
}

extension JSONValue {
    /// A whole number that is not below zero; nil for anything else.
    var count: Int? {
        integerValue.flatMap { $0 >= 0 ? Int(exactly: $0) : nil }
    }

    /// The number, nil if it is below zero.
    static func count(_ number: Int?) -> JSONValue? {
        guard let number, number >= 0 else { return Optional.none }
        return .integer(Int64(number))
    }
}

extension LocalizedString {
    /// Reads a text, an object of texts, or the first text of an array, which the schema of OPDS allows for titles.
    init?(catalog json: JSONValue) {
        guard let text = json.oneOrMany.lazy.compactMap(LocalizedString.init(json:)).first else { return nil }
        self = text
    }
}

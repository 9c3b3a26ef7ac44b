import Foundation

/// A place in a publication, to store and share (Readium locator model).
public struct Locator: Hashable, Sendable {
    /// The address of the resource, without a fragment.
    public var href: String
    /// The media type of the resource, as written.
    public var type: String
    /// The title of the chapter or section around the place.
    public var title: String?
    /// The position in the resource, in one or more forms.
    public var locations: Locations
    /// The text around the place.
    public var text: Text
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A place in the resource at `href`.
    public init(
        href: String, type: String, title: String? = nil, locations: Locations = Locations(), text: Text = Text()
    ) {
        self.href = href
        self.type = type
        self.title = title
        self.locations = locations
        self.text = text
    }

    /// Returns a copy of this locator, changed by `change`.
    public func copy(_ change: (inout Locator) throws -> Void) rethrows -> Locator {
        var copy = self
        try change(&copy)
        return copy
    }

    /// The text at a place and around it.
    public struct Text: Hashable, Sendable {
        /// The text before the place.
        public var before: String?
        /// The text at the place.
        public var highlight: String?
        /// The text after the place.
        public var after: String?
        /// The members that have no property here, unchanged.
        public var otherProperties: [String: JSONValue] = [:]

        /// A text, all parts of which are optional.
        public init(before: String? = nil, highlight: String? = nil, after: String? = nil) {
            self.before = before
            self.highlight = highlight
            self.after = after
        }
    }
}

extension Locator {
    /// Reads a locator object. Members of the wrong kind are ignored, and so are progressions outside 0…1 and positions
    /// below 1.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `json` is not an object with `href` and `type`.
    public init(json: JSONValue) throws {
        guard let href = json["href"]?.stringValue, let type = json["type"]?.stringValue else {
            throw CocoaError.unreadable("A locator must have “href” and “type”.")
        }
        self.init(
            href: href, type: type, title: json["title"]?.stringValue,
            locations: Locations(json: json["locations"] ?? [:]),
            text: Text(json: json["text"] ?? [:]))
        otherProperties = json.members(besides: ["href", "type", "title", "locations", "text"])
    }

    /// The locator object.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "href": .string(href),
            "type": .string(type),
            "title": title.map(JSONValue.string),
            "locations": .nonEmpty(locations.json),
            "text": .nonEmpty(text.json),
        ]
        return .object(present: own, others: otherProperties)
    }
}

extension Locator.Text {
    /// Reads a text object; empty if `json` is not one.
    init(json: JSONValue) {
        self.init(
            before: json["before"]?.stringValue, highlight: json["highlight"]?.stringValue,
            after: json["after"]?.stringValue)
        otherProperties = json.members(besides: ["before", "highlight", "after"])
    }

    var json: JSONValue {
        let own: [String: JSONValue?] = [
            "before": before.map(JSONValue.string), "highlight": highlight.map(JSONValue.string),
            "after": after.map(JSONValue.string),
        ]
        return .object(present: own, others: otherProperties)
    }
}

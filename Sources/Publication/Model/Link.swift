import Foundation
import MediaTypes

/// A reference to a resource (Readium Web Publication Manifest, link object).
public struct Link: Hashable, Sendable {
    /// The address of the resource, as written: a URI reference, or a URI template if ``templated``.
    public var href: String
    /// Whether ``href`` is a URI template (RFC 6570).
    public var templated = false
    /// The media type of the resource, as written. See ``mediaType``.
    public var type: String?
    /// The name to show for the resource.
    public var title: String?
    /// The relations of the resource to what contains the link, such as `self` or `cover`.
    public var rels: [String] = []
    /// Further facts about the resource.
    public var properties = Properties()
    /// The height in pixels.
    public var height: Int?
    /// The width in pixels.
    public var width: Int?
    /// The size in bytes, before compression and encryption.
    public var size: Int64?
    /// The length in seconds.
    public var duration: Double?
    /// The bit rate in kilobits per second.
    public var bitrate: Double?
    /// The languages as BCP 47 tags.
    public var languages: [String] = []
    /// Other forms of the same resource.
    public var alternates: [Link] = []
    /// Links below this one, in a table of contents for instance.
    public var children: [Link] = []
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue] = [:]

    /// A link to `href`; everything else can be set afterwards.
    public init(
        href: String, type: String? = nil, title: String? = nil, rels: [String] = [],
        properties: Properties = Properties(), alternates: [Link] = [], children: [Link] = []
    ) {
        self.href = href
        self.type = type
        self.title = title
        self.rels = rels
        self.properties = properties
        self.alternates = alternates
        self.children = children
    }

    /// A link to `href` of a known media type.
    public init(href: String, mediaType: MediaType, title: String? = nil, rels: [String] = []) {
        self.init(href: href, type: mediaType.string, title: title, rels: rels)
    }

    /// The canonical media type that ``type`` spells; ``/MediaTypes/MediaType/binary`` if it spells none.
    public var mediaType: MediaType {
        guard let type else { return .binary }
        return MediaType.known(type) ?? MediaType(type) ?? .binary
    }
}

extension Link {
    /// Reads a link object. Members of the wrong kind are ignored, and so are numbers that are not above zero.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `json` is not an object with an `href`.
    public init(json: JSONValue) throws {
        guard let href = json["href"]?.stringValue else {
            throw CocoaError.unreadable("A link in the manifest has no “href”.")
        }
        self.init(href: href)
        templated = json["templated"]?.boolValue ?? false
        type = json["type"]?.stringValue
        title = json["title"].flatMap(LocalizedString.init(json:))?.string
        rels = json["rel"]?.strings ?? []
        properties = Properties(json["properties"]?.objectValue ?? [:])
        height = json["height"]?.positiveInteger.flatMap(Int.init(exactly:))
        width = json["width"]?.positiveInteger.flatMap(Int.init(exactly:))
        size = json["size"]?.positiveInteger
        duration = json["duration"]?.positiveNumber
        bitrate = json["bitrate"]?.positiveNumber
        languages = json["language"]?.strings ?? []
        alternates = [Link](json: json["alternate"])
        children = [Link](json: json["children"])
        otherProperties = json.members(besides: Self.keys)
    }

    /// The link object. Numbers that are not above zero are left out, because the manifest allows none.
    public var json: JSONValue {
        let own: [String: JSONValue?] = [
            "href": .string(href),
            "templated": templated ? true : nil,
            "type": type.map(JSONValue.string),
            "title": title.map(JSONValue.string),
            "rel": .oneOrMany(rels),
            "properties": properties.values.isEmpty ? nil : .object(properties.values),
            "height": .positive(height),
            "width": .positive(width),
            "size": .positive(size),
            "duration": .positive(duration),
            "bitrate": .positive(bitrate),
            "language": .oneOrMany(languages),
            "alternate": .nonEmpty(alternates.map(\.json)),
            "children": .nonEmpty(children.map(\.json)),
        ]
        return .object(present: own, others: otherProperties)
    }

    private static let keys: Set<String> = [
        "href", "templated", "type", "title", "rel", "properties", "height", "width", "size", "duration", "bitrate",
        "language",
        "alternate", "children",
    ]
}

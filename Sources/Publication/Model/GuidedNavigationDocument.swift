public import Foundation
import MediaTypes

/// Another way through a publication: fragments of media that are presented in order, some of them together (Readium
/// Guided Navigation, section 1.1). Read-aloud books and panel-by-panel comics use it.
public struct GuidedNavigationDocument: Hashable, Sendable {
    /// The media type of the document.
    public static let mediaType = MediaType.guidedNavigation
    /// The largest document that is read by default: 16 MiB.
    public static let defaultMaximumSize = 16 << 20

    /// Documents around this one, such as the `next` one.
    public var links: [Link]
    /// The steps, in order.
    public var guided: [GuidedNavigationObject]
    /// The members that have no property here, unchanged.
    public var otherProperties: [String: JSONValue]

    /// A document put together by a program.
    public init(guided: [GuidedNavigationObject], links: [Link] = [], otherProperties: [String: JSONValue] = [:]) {
        self.guided = guided
        self.links = links
        self.otherProperties = otherProperties
    }

    /// Reads a document. Ignores links and objects that are malformed.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `json` is not an object with an array `guided`.
    public init(json: JSONValue) throws {
        guard let guided = json["guided"]?.arrayValue else {
            throw CocoaError.unreadable("The document is not a guided navigation document: it has no “guided” array.")
        }
        self.init(
            guided: guided.compactMap(GuidedNavigationObject.init(json:)), links: [Link](json: json["links"]),
            otherProperties: json.members(besides: ["guided", "links"]))
    }

    /// Reads a document from JSON text. Errors are those of ``JSONValue/init(data:maximumSize:)`` and ``init(json:)``;
    /// `maximumSize` is in bytes.
    public init(data: Data, maximumSize: Int = GuidedNavigationDocument.defaultMaximumSize) throws {
        try self.init(json: JSONValue(data: data, maximumSize: maximumSize))
    }

    /// The document as JSON; ``JSONValue/data`` turns it into text.
    public var json: JSONValue {
        .object(
            present: ["guided": .array(guided.map(\.json)), "links": .nonEmpty(links.map(\.json))],
            others: otherProperties)
    }
}

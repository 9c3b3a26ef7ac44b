public import Foundation
import MediaTypes

/// Another way through a publication: fragments of media to be presented one after the other, some of them together
/// (Readium Guided Navigation, section 1.1). Read-aloud books and the panels of comics are told this way.
public struct GuidedNavigationDocument: Hashable, Sendable {
    /// The media type of the document.
    public static let mediaType = MediaType.guidedNavigation
    /// The largest document that is read unless the caller says otherwise: 16 MiB.
    public static let defaultMaximumSize = 16 << 20

    /// Documents around this one, such as the `next` one.
    public var links: [Link]
    /// What is presented, in order.
    public var guided: [GuidedNavigationObject]
    /// Every member that has no property here, as it came.
    public var otherProperties: [String: JSONValue]

    /// A document put together by a program.
    public init(guided: [GuidedNavigationObject], links: [Link] = [], otherProperties: [String: JSONValue] = [:]) {
        self.guided = guided
        self.links = links
        self.otherProperties = otherProperties
    }

    /// Reads a document, passing over links and objects that are none.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when `json` is no object with an array `guided`.
    public init(json: JSONValue) throws {
        guard let guided = json["guided"]?.arrayValue else {
            throw CocoaError.unreadable("The document is no guided navigation: it has no “guided” array.")
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

import FileProviderCore
import Foundation
import SafeXML

/// How much one resource may hold before its content is refused with `CocoaError(.fileReadTooLarge)`.
public struct ContentLimits: Hashable, Sendable {
    /// Bytes of the resource.
    public var bytes = 64 << 20
    /// Bytes (UTF-8) of its text.
    public var text = 32 << 20
    /// Paragraphs, images and other elements of content.
    public var elements = 500_000
    /// Elements of its markup.
    public var nodes = 2_000_000
    /// Elements inside one another.
    public var depth = 1_000

    /// Limits, each with its usual value: 64 MiB, 32 MiB of text, 500,000 elements of content, two million of markup,
    /// 1,000 levels.
    public init() {}

    static func exceeded(_ what: String) -> CocoaError {
        CocoaError(.fileReadTooLarge, userInfo: [NSLocalizedDescriptionKey: "The resource has \(what)."])
    }

    var xml: XMLLimits {
        XMLLimits(bytes: bytes, depth: depth, text: min(bytes, text), attributes: 256, elements: nodes)
    }
}

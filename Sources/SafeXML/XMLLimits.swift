/// The limits for parsing a document. The defaults suit documents that describe books and folders.
public struct XMLLimits: Hashable, Sendable {
    /// Bytes of the document as received.
    public var bytes: Int
    /// The depth of nested elements.
    public var depth: Int
    /// Bytes (UTF-8) of one run of text between two tags, and of one attribute.
    public var text: Int
    /// Attributes of one element.
    public var attributes: Int
    /// Elements in the whole document.
    public var elements: Int

    /// Limits with their defaults: 32 MiB, 256 levels, 16 MiB of text, 256 attributes, a million elements.
    public init(
        bytes: Int = 32 << 20, depth: Int = 256, text: Int = 16 << 20, attributes: Int = 256, elements: Int = 1_000_000
    ) {
        self.bytes = bytes
        self.depth = depth
        self.text = text
        self.attributes = attributes
        self.elements = elements
    }
}

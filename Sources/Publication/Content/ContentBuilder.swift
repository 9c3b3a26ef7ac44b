import SafeXML

/// Hands what a parser reads to a ``ContentWriter``.
final class ContentBuilder: XMLEventHandler {
    private var writer: ContentWriter

    /// What was read so far; whole after ``finish()``.
    var document: ContentDocument { writer.document }

    init(limits: ContentLimits) { writer = ContentWriter(limits: limits) }

    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        try writer.start(element: element, namespace: namespace, attributes: attributes)
    }

    func text(utf8 bytes: UnsafeBufferPointer<UInt8>) throws { try writer.text(utf8: bytes) }

    func end(element: String, namespace: String) throws { try writer.end(element: element, namespace: namespace) }

    /// Ends the document.
    func finish() { writer.finish() }
}

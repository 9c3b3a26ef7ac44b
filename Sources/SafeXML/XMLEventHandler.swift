/// Who is told what a document contains, in its order. An error that is thrown ends the parsing and reaches its caller.
///
/// Names are split as Namespaces in XML 1.0 says. A prefix that nothing declares is dropped, as if there were none:
/// real documents forget the declaration.
public protocol XMLEventHandler: AnyObject {
    /// An element begins. `namespace` is empty for none.
    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws

    /// All text up to the next tag, in one piece, with the text of CDATA sections; comments between leave no trace.
    func text(_ text: String) throws

    /// The same, as the bytes of its UTF-8, which are valid during the call only: for handlers that need few texts of
    /// many.
    func text(utf8 bytes: UnsafeBufferPointer<UInt8>) throws

    /// An element ends.
    func end(element: String, namespace: String) throws
}

extension XMLEventHandler {
    /// Takes no notice of text.
    public func text(_ text: String) throws {}

    /// Makes a string for ``text(_:)``.
    public func text(utf8 bytes: UnsafeBufferPointer<UInt8>) throws { try text(String(decoding: bytes, as: UTF8.self)) }

    /// Takes no notice of ends.
    public func end(element: String, namespace: String) throws {}
}

/// An attribute of an element; those that a DTD would add are not there.
public struct XMLAttribute: Hashable, Sendable {
    /// The name without a prefix.
    public var name: String
    /// The namespace, empty for none, which is the usual case.
    public var namespace: String
    /// The value after normalisation (XML 1.0, section 3.3.3).
    public var value: String

    /// An attribute put together by a program.
    public init(name: String, namespace: String = "", value: String) {
        self.name = name
        self.namespace = namespace
        self.value = value
    }
}

/// Receives the content of a document in its order. An error that a method throws ends the parsing and is rethrown to
/// the caller.
///
/// Names are split as Namespaces in XML 1.0 defines. An undeclared prefix is dropped, because real documents forget the
/// declaration.
public protocol XMLEventHandler: AnyObject {
    /// Called when an element begins. `namespace` is empty for none.
    func start(element: String, namespace: String, attributes: [XMLAttribute]) throws

    /// Called with all text up to the next tag, in one piece, including CDATA sections; comments in between are
    /// dropped.
    func text(_ text: String) throws

    /// Called with the same text as UTF-8 bytes, which are valid only during the call: for handlers that need few of
    /// many texts.
    func text(utf8 bytes: UnsafeBufferPointer<UInt8>) throws

    /// Called when an element ends.
    func end(element: String, namespace: String) throws
}

extension XMLEventHandler {
    /// Ignores text.
    public func text(_ text: String) throws {}

    /// Makes a string for ``text(_:)``.
    public func text(utf8 bytes: UnsafeBufferPointer<UInt8>) throws { try text(String(decoding: bytes, as: UTF8.self)) }

    /// Ignores ends.
    public func end(element: String, namespace: String) throws {}
}

/// An attribute of an element. Attributes that a DTD would add are not included.
public struct XMLAttribute: Hashable, Sendable {
    /// The name without a prefix.
    public var name: String
    /// The namespace, empty for none, which is usual.
    public var namespace: String
    /// The value after normalisation (XML 1.0, section 3.3.3).
    public var value: String

    /// An attribute made by a program.
    public init(name: String, namespace: String = "", value: String) {
        self.name = name
        self.namespace = namespace
        self.value = value
    }
}

/// The limits for messages. A message over a limit is hostile.
public struct MessageLimits: Hashable, Sendable {
    /// The most bytes of a command, as received.
    public var command = 64 << 20
    /// The most bytes of `connected.xml` and of `status.xml`.
    public var report = 1 << 20
    /// The deepest nesting of elements.
    public var depth = 32
    /// The most elements of a message.
    public var elements = 1_000_000
    /// The most books of one command.
    public var books = 10_000
    /// The most bytes (UTF-8) of one attribute.
    public var attribute = 64 << 10
    /// The most attributes of one element.
    public var attributes = 256
    /// The most bytes of a decoded cover.
    public var cover = 16 << 20

    /// Creates the default limits.
    public init() {}
}

/// How much of a message is taken. Over a limit a message is hostile.
public struct MessageLimits: Hashable, Sendable {
    /// Bytes of a command, as they come.
    public var command = 64 << 20
    /// Bytes of `connected.xml` and of `status.xml`.
    public var report = 1 << 20
    /// Elements inside one another.
    public var depth = 32
    /// Elements in all.
    public var elements = 1_000_000
    /// Books of one command.
    public var books = 10_000
    /// Bytes (UTF-8) of one attribute.
    public var attribute = 64 << 10
    /// Attributes of one element.
    public var attributes = 256
    /// Bytes of a cover when it is decoded.
    public var cover = 16 << 20

    /// The usual limits.
    public init() {}
}

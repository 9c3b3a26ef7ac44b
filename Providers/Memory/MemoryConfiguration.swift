/// The name and the capacity of a ``MemoryFileProvider``.
public struct MemoryConfiguration: Sendable, Hashable, Codable {
    /// The host in the provider's URL.
    public var name: String
    /// The most bytes of all files together, unfinished ones included; nil for no limit.
    public var capacity: Int64?

    /// - Parameter capacity: Bytes; a write beyond it fails with `CocoaError(.fileWriteOutOfSpace)`.
    public init(name: String = "memory", capacity: Int64? = nil) {
        self.name = name
        self.capacity = capacity
    }
}

/// Which memory a ``MemoryFileProvider`` shows, and how much of it there is.
public struct MemoryConfiguration: Sendable, Hashable, Codable {
    /// What stands as the host in the provider's URL.
    public var name: String
    /// Bytes of all files together, those on their way included; nil for no limit.
    public var capacity: Int64?

    /// - Parameter capacity: Bytes; a write that would go over it fails with `CocoaError(.fileWriteOutOfSpace)`.
    public init(name: String = "memory", capacity: Int64? = nil) {
        self.name = name
        self.capacity = capacity
    }
}

/// What a remote provider may answer from memory: listings and attributes, never the bytes of files.
public struct CachePolicy: Sendable, Hashable, Codable {
    /// How long an answer is taken for true, in seconds. 0, the default, asks every time.
    ///
    /// A provider's own changes are seen at once; those of others only after this time.
    public var lifetime: Double
    /// The most items that are remembered.
    public var mostItems: Int

    /// The defaults remember nothing; with a lifetime, up to 20,000 items.
    public init(lifetime: Double = 0, mostItems: Int = 20_000) {
        self.lifetime = lifetime
        self.mostItems = mostItems
    }

    /// Asks every time.
    public static let none = CachePolicy()
}

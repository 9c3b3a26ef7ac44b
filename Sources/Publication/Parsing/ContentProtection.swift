import Archives

/// Opens publications that are protected by one scheme (Readium's content protection proposal).
///
/// Protections are asked before the parsers, in order; the first that knows the scheme answers. Detection of the usual
/// schemes always comes last, so that a book without a protection to unlock it still opens to its metadata and says why
/// its text is locked.
public protocol ContentProtection: Sendable {
    /// Opens `asset` if it is protected by this scheme; returns nil if it is not.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if the protection itself is damaged; errors of the storage.
    func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset?
}

/// A protected publication: the parts that can be read, and the protection of the others.
public struct ProtectedAsset: Sendable {
    /// The asset. Its fetcher decrypts, or refuses with `CocoaError(.fileReadNoPermission)`.
    public var asset: PublicationAsset
    /// The scheme, and whether it is unlocked.
    public var protection: Protection

    /// Adds the protection's services to those that the parser chose; ``OpeningOptions/services`` comes after it.
    public var services: @Sendable (inout PublicationServices) -> Void

    /// An asset whose fetcher handles the protection.
    public init(
        asset: PublicationAsset, protection: Protection,
        services: @escaping @Sendable (inout PublicationServices) -> Void = { _ in }
    ) {
        self.asset = asset
        self.protection = protection
        self.services = services
    }
}

import Archives

/// Opens publications that a scheme protects against being read by anyone (Readium's content protection proposal).
///
/// Asked before the parsers, in order; the first that knows the scheme answers. Detection of the usual schemes is
/// always asked last, so that a book nobody can unlock opens to its metadata and says why its text is locked.
public protocol ContentProtection: Sendable {
    /// What `asset` is protected by; nil where it is not, or not by this scheme.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when the protection itself is damaged; errors of the storage.
    func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset?
}

/// A protected publication: its parts as far as they can be read, and what keeps the rest.
public struct ProtectedAsset: Sendable {
    /// Its fetcher decrypts, or refuses with `CocoaError(.fileReadNoPermission)`.
    public var asset: PublicationAsset
    /// The scheme, and whether it is open.
    public var protection: Protection

    /// An asset with a fetcher that knows what to do about the protection.
    public init(asset: PublicationAsset, protection: Protection) {
        self.asset = asset
        self.protection = protection
    }
}

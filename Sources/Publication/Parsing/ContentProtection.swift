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

/// What protects a publication, and whether it can be read all the same.
public struct Protection: Hashable, Sendable {
    /// A scheme of protection.
    public enum Scheme: Hashable, Sendable {
        /// Readium LCP.
        case lcp
        /// Adobe ADEPT.
        case adept
        /// Any other: encrypted in a way that is not known here, with the name that a protection of the app's own gives
        /// it.
        case other(String?)
    }

    /// Who protects it.
    public let scheme: Scheme
    /// Whether its text stays out of reach.
    public let isLocked: Bool
    /// Why it is locked, in one sentence for people; nil where it is not.
    public let reason: String?

    /// A protection that keeps the text, for the reason given.
    public static func locked(_ scheme: Scheme, reason: String) -> Protection {
        Protection(scheme: scheme, isLocked: true, reason: reason)
    }

    /// A protection that was opened.
    public static func unlocked(_ scheme: Scheme) -> Protection {
        Protection(scheme: scheme, isLocked: false, reason: nil)
    }
}

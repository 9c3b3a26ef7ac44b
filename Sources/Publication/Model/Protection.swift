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

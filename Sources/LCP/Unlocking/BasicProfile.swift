/// The profile for tests and for open licences: the user key is the SHA-256 of the passphrase (LCP 1.0, section 6.3).
public struct BasicProfile: LCPProfile {
    /// `http://readium.org/lcp/basic-profile`.
    public static let identifier = "http://readium.org/lcp/basic-profile"

    /// The same as the type's.
    public var identifier: String { Self.identifier }

    /// The profile, which keeps no state.
    public init() {}

    /// Returns the hash itself.
    public func userKey(of hashedPassphrase: [UInt8]) -> [UInt8] { hashedPassphrase }
}

/// An encryption profile: how a passphrase becomes the key of a licence (LCP 1.0, section 6).
///
/// Carrel contains the basic profile. The transforms of the other profiles are secret; an app that has one adds it to
/// ``LicenseUnlocking/profiles``.
public protocol LCPProfile: Sendable {
    /// The URI that licences name the profile by.
    var identifier: String { get }

    /// Returns the user key that belongs to the SHA-256 of a passphrase.
    ///
    /// - Parameter hashedPassphrase: 32 bytes.
    /// - Returns: 32 bytes, a key of AES-256. With any other number no passphrase fits.
    func userKey(of hashedPassphrase: [UInt8]) -> [UInt8]
}

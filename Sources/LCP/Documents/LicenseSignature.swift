public import Foundation

/// The signature of a licence (LCP 1.0, section 3.8).
public struct LicenseSignature: Hashable, Sendable {
    /// The URI of the algorithm.
    public let algorithm: String
    /// The certificate of the provider (X.509 in DER).
    public let certificate: Data
    /// The signature of ``LicenseDocument/canonicalForm``.
    public let value: Data

    init(_ members: DocumentMembers) throws {
        algorithm = try members.uri("algorithm")
        certificate = try members.base64("certificate")
        value = try members.base64("value")
    }
}

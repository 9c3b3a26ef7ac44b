import Cryptography
public import Foundation

/// The certificates that an app trusts, by which licences are validated (LCP 1.0, section 5).
public struct LicenseTrust: Sendable {
    private static let algorithms: [String: SignatureAlgorithm] = [
        "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": .rsaSHA256,
        "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256": .ecdsaSHA256,
    ]

    private let roots: [Certificate]
    private let revocation: RevocationCheck?

    /// Trust in some root certificates. The system's certificates don't count; without roots every licence is refused.
    ///
    /// - Parameters:
    ///   - roots: Self-signed certificates, each in DER or PEM.
    ///   - revocationList: Where the list of revoked certificates comes from; nil to use none. Copies of a trust share
    ///     the list that was received.
    ///   - clock: The time by which that list grows old.
    /// - Throws: ``LCPProblem`` of the kind `untrustedCertificate` for a root that cannot be read.
    public init(
        roots: [Data], revocationList: RevocationSource? = nil, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        let certificates = try roots.enumerated().map { index, data in
            guard let root = Certificate(der: data) ?? Certificate(pem: String(decoding: data, as: UTF8.self)) else {
                throw LCPProblem(
                    .untrustedCertificate,
                    sentence:
                        "Root certificate \(index + 1) of \(roots.count) cannot be read: it must be one X.509 certificate in DER or PEM, of at most 64 KiB."
                )
            }
            return root
        }
        self.roots = certificates
        revocation = revocationList.map { RevocationCheck(source: $0, roots: certificates, clock: clock) }
    }

    /// Checks that a licence was signed by a provider under one of the roots, and was not changed since.
    ///
    /// The provider's certificate must lead to a root. Both must be valid at the time of the licence's last change, not
    /// now: a licence outlives its provider's certificate. A revoked certificate is refused whenever the licence was
    /// issued. The licence's own start and end are not checked.
    ///
    /// - Throws: ``LCPProblem`` of the kinds `unknownAlgorithm`, `untrustedCertificate` (also for a certificate or a
    ///   revocation list that cannot be read), `expiredCertificate`, `invalidSignature`, `revokedCertificate`, and
    ///   `statusUnavailable` if there is no revocation list yet. `CancellationError` of the revocation source.
    /// - Complexity: No request, except for the list of revoked certificates if it is too old.
    public func validate(_ license: LicenseDocument) async throws {
        let signature = license.signature
        guard let algorithm = Self.algorithms[signature.algorithm] else {
            throw LCPProblem(.unknownAlgorithm(signature.algorithm))
        }
        guard let certificate = Certificate(der: signature.certificate) else {
            throw LCPProblem(
                .untrustedCertificate, sentence: "The certificate that the licence is signed with cannot be read.")
        }
        // Only then its key is used: keys of strangers may be made to be slow.
        try verify(certificate, at: license.date)
        guard certificate.isSignature(signature.value, of: license.canonicalForm, by: algorithm) else {
            throw LCPProblem(.invalidSignature)
        }
        if let revocation, try await revocation.isRevoked(certificate) {
            throw LCPProblem(
                .revokedCertificate,
                sentence:
                    "The certificate “\(certificate.subject)”, which the licence is signed with, was revoked. Ask the provider for a new licence."
            )
        }
    }

    private func verify(_ certificate: Certificate, at date: Date) throws {
        do {
            try certificate.verify(intermediates: [], roots: roots, at: date)
        } catch let failure as CertificateFailure {
            throw Self.problem(failure, certificate, date)
        }
    }

    private static func problem(_ failure: CertificateFailure, _ certificate: Certificate, _ date: Date) -> LCPProblem {
        let name = "The certificate “\(certificate.subject)”, which the licence is signed with,"
        switch failure {
        case .untrusted:
            return LCPProblem(
                .untrustedCertificate, sentence: "\(name) was not issued under one of this app's root certificates.")
        case .expired:
            return LCPProblem(
                .expiredCertificate,
                sentence: "\(name) or its root was no longer valid on \(text(date)), when the licence was issued.")
        case .notYetValid:
            return LCPProblem(
                .expiredCertificate,
                sentence: "\(name) or its root was not valid yet on \(text(date)), when the licence was issued.")
        case .invalid(let reason):
            return LCPProblem(.untrustedCertificate, sentence: "\(name) breaks a rule of X.509: \(reason).")
        }
    }

    /// The date in UTC, without a fraction of a second.
    private static func text(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle()) }
}

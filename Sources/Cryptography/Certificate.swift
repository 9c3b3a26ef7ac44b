import CCrypto
package import Foundation

/// An X.509 certificate (RFC 5280).
package struct Certificate: Sendable {
    /// The most bytes of a certificate in DER; larger ones are refused.
    package static let largest = 64 << 10

    /// The certificate as it was read.
    package let der: Data
    /// The name of the owner as RFC 2253 writes it, of at most 1,024 bytes.
    package let subject: String
    /// The name of the signer, written in the same way.
    package let issuer: String
    /// Upper-case hexadecimal digits, two for each byte.
    package let serialNumber: String
    /// The time from which on the certificate is valid.
    package let notBefore: Date
    /// The time from which on it has expired.
    package let notAfter: Date
    let context: CertificateContext

    /// Nil if `der` is not exactly one certificate or has more than ``largest`` bytes.
    package init?(der: Data) {
        guard der.count <= Self.largest, let context = der.withUnsafeBytes({ CertificateContext(der: $0) }),
            let notBefore = ASN1.date(X509_get0_notBefore(context.pointer)),
            let notAfter = ASN1.date(X509_get0_notAfter(context.pointer))
        else { return nil }
        self.der = der
        subject = ASN1.text(of: X509_get_subject_name(context.pointer))
        issuer = ASN1.text(of: X509_get_issuer_name(context.pointer))
        serialNumber = ASN1.hexadecimal(X509_get0_serialNumber(context.pointer))
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.context = context
    }

    /// Nil if `pem` has no part `CERTIFICATE` or several, or if ``init(der:)`` refuses its data.
    package init?(pem: String) {
        guard let der = PEM.data(of: pem, label: "CERTIFICATE", limit: Self.largest) else { return nil }
        self.init(der: der)
    }
}

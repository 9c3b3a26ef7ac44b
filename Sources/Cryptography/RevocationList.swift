import CCrypto
package import Foundation

/// A list of certificates that their signer has revoked: an X.509 CRL (RFC 5280, section 5).
package struct RevocationList: Sendable {
    /// The most bytes of a list in DER; larger ones are refused.
    package static let largest = 16 << 20

    /// The time at which the list was made.
    package let thisUpdate: Date
    /// The time by which the next list is made; nil if it doesn't say.
    package let nextUpdate: Date?
    private let context: RevocationListContext

    /// Nil if `der` is not exactly one list, if it has more than ``largest`` bytes, or if it has a critical extension
    /// that makes it another kind of list: one of changes only, for example.
    package init?(der: Data) {
        guard der.count <= Self.largest, let context = der.withUnsafeBytes({ RevocationListContext(der: $0) }),
            Self.isUnderstood(context.pointer), let thisUpdate = ASN1.date(X509_CRL_get0_lastUpdate(context.pointer))
        else { return nil }
        self.thisUpdate = thisUpdate
        nextUpdate = ASN1.date(X509_CRL_get0_nextUpdate(context.pointer))
        self.context = context
    }

    /// Nil if `pem` has no part `X509 CRL` or several, or if ``init(der:)`` refuses its data.
    package init?(pem: String) {
        guard let der = PEM.data(of: pem, label: "X509 CRL", limit: Self.largest) else { return nil }
        self.init(der: der)
    }

    /// Whether the list has the name of `issuer` and a signature by its key, which must be one for lists.
    ///
    /// Whether `issuer` is to be trusted is the caller's matter. Source: X509_CRL_verify(3).
    package func isSigned(by issuer: Certificate) -> Bool {
        HashLibrary.withoutErrors {
            let certificate = issuer.context.pointer
            guard X509_NAME_cmp(X509_CRL_get_issuer(context.pointer), X509_get_subject_name(certificate)) == 0,
                X509_get_key_usage(certificate) & UInt32(KU_CRL_SIGN) != 0, let key = X509_get0_pubkey(certificate)
            else { return false }
            return X509_CRL_verify(context.pointer, key) == 1
        }
    }

    /// Whether the list has `certificate`, which the signer of the list has signed, too.
    ///
    /// - Complexity: The first call sorts the list.
    ///
    /// Source: X509_CRL_get0_by_cert(3), which returns 2 for an entry that ends an earlier one.
    package func contains(_ certificate: Certificate) -> Bool {
        var entry: OpaquePointer?
        return X509_CRL_get0_by_cert(context.pointer, &entry, certificate.context.pointer) == 1
    }

    /// A list with another critical extension must not be used (RFC 5280, section 5.2).
    private static func isUnderstood(_ list: OpaquePointer) -> Bool {
        let understood = [NID_authority_key_identifier, NID_issuing_distribution_point]
        return (0..<X509_CRL_get_ext_count(list)).allSatisfy { index in
            guard let item = X509_CRL_get_ext(list, index), X509_EXTENSION_get_critical(item) != 0 else { return true }
            return understood.contains(OBJ_obj2nid(X509_EXTENSION_get_object(item)))
        }
    }
}

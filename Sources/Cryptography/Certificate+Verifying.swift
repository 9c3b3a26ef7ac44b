import CCrypto
package import Foundation

/// The reason why a certificate is not accepted.
package enum CertificateFailure: Error, Hashable {
    /// No chain leads to one of the roots.
    case untrusted
    /// The certificate, or one above it, was no longer valid at the date.
    case expired
    /// The certificate, or one above it, was not valid yet.
    case notYetValid
    /// Another rule of RFC 5280 is broken; libcrypto's words.
    case invalid(String)
}

extension Certificate {
    /// The most certificates between a certificate and its root.
    package static let deepestChain = 4

    /// Checks the chain from the certificate to one of `roots` (RFC 5280, section 6.1).
    ///
    /// The system's own roots don't count, and a root must be self-signed. All certificates of the chain, with the root,
    /// must be valid at `date`. Revocation is not checked.
    ///
    /// - Parameter intermediates: Certificates that may stand between; they come from strangers, as this one does.
    /// - Throws: ``CertificateFailure``.
    ///
    /// Source: X509_verify_cert(3).
    package func verify(intermediates: [Certificate], roots: [Certificate], at date: Date) throws {
        let code = HashLibrary.withoutErrors {
            withUnsafeVerification(intermediates, roots) { verification -> Int32 in
                guard let parameters = X509_STORE_CTX_get0_param(verification),
                    X509_VERIFY_PARAM_set_purpose(parameters, X509_PURPOSE_ANY) == 1
                else { HashLibrary.fail("verify a certificate") }
                X509_VERIFY_PARAM_set_depth(parameters, Int32(Self.deepestChain))
                // libcrypto refuses a time that no calendar has.
                let seconds = Int(exactly: date.timeIntervalSince1970.rounded(.down)) ?? .max
                X509_VERIFY_PARAM_set_time(parameters, seconds)
                if X509_verify_cert(verification) == 1 { return X509_V_OK }
                let code = X509_STORE_CTX_get_error(verification)
                return code == X509_V_OK ? X509_V_ERR_UNSPECIFIED : code
            }
        }
        // The owners of the pointers in the verification.
        withExtendedLifetime((self, intermediates, roots)) {}
        if code != X509_V_OK { throw CertificateFailure(code: code) }
    }

    private func withUnsafeVerification<Value>(
        _ intermediates: [Certificate], _ roots: [Certificate], _ body: (OpaquePointer) -> Value
    ) -> Value {
        let library = HashLibrary.shared
        guard let store = X509_STORE_new(), let others = OPENSSL_sk_new_null(),
            let verification = X509_STORE_CTX_new_ex(library.context, HashLibrary.properties)
        else { HashLibrary.fail("verify a certificate") }
        defer {
            X509_STORE_CTX_free(verification)
            OPENSSL_sk_free(others)
            X509_STORE_free(store)
        }
        for root in roots where X509_STORE_add_cert(store, root.context.pointer) != 1 {
            HashLibrary.fail("verify a certificate")
        }
        for other in intermediates where OPENSSL_sk_push(others, UnsafeRawPointer(other.context.pointer)) < 1 {
            HashLibrary.fail("verify a certificate")
        }
        guard X509_STORE_CTX_init(verification, store, context.pointer, others) == 1 else {
            HashLibrary.fail("verify a certificate")
        }
        return body(verification)
    }
}

extension CertificateFailure {
    /// Source: X509_STORE_CTX_get_error(3).
    fileprivate init(code: Int32) {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED: self = .expired
        case X509_V_ERR_CERT_NOT_YET_VALID: self = .notYetValid
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
            X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN, X509_V_ERR_CERT_SIGNATURE_FAILURE, X509_V_ERR_CERT_UNTRUSTED,
            X509_V_ERR_CERT_REJECTED, X509_V_ERR_CERT_CHAIN_TOO_LONG:
            self = .untrusted
        default: self = .invalid(String(cString: X509_verify_cert_error_string(Int(code))))
        }
    }
}

import Foundation

/// The functions of OpenSSL that look at a server's certificate, of the library that libcurl has loaded.
///
/// They are looked up at run time: a libcurl with another TLS library has none of them. Source:
/// SSL_CTX_set_cert_verify_callback(3), X509_STORE_CTX_get0_cert(3), X509_verify_cert(3), i2d_X509(3),
/// X509_get_X509_PUBKEY(3), EVP_Digest(3).
struct TLSLibrary: @unchecked Sendable {
    // Unchecked: functions of C, which have no state here.
    /// Called in each handshake that shows a certificate; 1 to go on.
    typealias Verify = @convention(c) (_ store: UnsafeMutableRawPointer?, _ context: UnsafeMutableRawPointer?) -> Int32

    private typealias SetVerify =
        @convention(c) (UnsafeMutableRawPointer?, Verify?, UnsafeMutableRawPointer?) -> Void
    private typealias Get = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
    private typealias SetError = @convention(c) (UnsafeMutableRawPointer?, Int32) -> Void
    private typealias Check = @convention(c) (UnsafeMutableRawPointer?) -> Int32
    private typealias Encode =
        @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    private typealias Make = @convention(c) () -> UnsafeMutableRawPointer?
    private typealias Hash =
        @convention(c) (
            UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?,
            UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
        ) -> Int32

    private let setVerify: SetVerify
    private let certificate: Get
    private let publicKey: Get
    private let setError: SetError
    private let verifyChain: Check
    private let encodeCertificate: Encode
    private let encodeKey: Encode
    private let sha256: Make
    private let digest: Hash

    /// Nil where libcurl has another TLS library.
    static let shared = TLSLibrary()

    private init?() {
        func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
            dlsym(nil, name).map { unsafeBitCast($0, to: type) }
        }
        guard let setVerify = symbol("SSL_CTX_set_cert_verify_callback", as: SetVerify.self),
            let certificate = symbol("X509_STORE_CTX_get0_cert", as: Get.self),
            let publicKey = symbol("X509_get_X509_PUBKEY", as: Get.self),
            let setError = symbol("X509_STORE_CTX_set_error", as: SetError.self),
            let verifyChain = symbol("X509_verify_cert", as: Check.self),
            let encodeCertificate = symbol("i2d_X509", as: Encode.self),
            let encodeKey = symbol("i2d_X509_PUBKEY", as: Encode.self),
            let sha256 = symbol("EVP_sha256", as: Make.self), let digest = symbol("EVP_Digest", as: Hash.self)
        else { return nil }
        (self.setVerify, self.certificate, self.publicKey) = (setVerify, certificate, publicKey)
        (self.setError, self.verifyChain) = (setError, verifyChain)
        (self.encodeCertificate, self.encodeKey) = (encodeCertificate, encodeKey)
        (self.sha256, self.digest) = (sha256, digest)
    }

    /// Has `verify` decide about the certificates of the connections of `tls`, an `SSL_CTX`. `context` has to live as
    /// long as `tls`.
    func install(_ verify: Verify, in tls: UnsafeMutableRawPointer?, context: UnsafeMutableRawPointer) {
        setVerify(tls, verify, context)
    }

    /// The hashes of the server's own certificate in `store`, an `X509_STORE_CTX`; nil if there is none.
    func hashes(in store: UnsafeMutableRawPointer?) -> ServerHashes? {
        guard let certificate = certificate(store), let key = publicKey(certificate),
            let whole = hash(certificate, encodeCertificate), let own = hash(key, encodeKey)
        else { return nil }
        return ServerHashes(certificate: whole, publicKey: own)
    }

    private func hash(_ object: UnsafeMutableRawPointer, _ encode: Encode) -> [UInt8]? {
        let length = encode(object, nil)
        // No certificate of a server is as long.
        guard (1...(1 << 20)).contains(length) else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(length))
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            return encode(object, &end)
        }
        guard written == length else { return nil }
        var hash = [UInt8](repeating: 0, count: 32)
        return digest(bytes, bytes.count, &hash, nil, sha256(), nil) == 1 ? hash : nil
    }

    /// Whether OpenSSL's own check of the chain in `store` holds; where not, `store` has the reason.
    func isTrusted(_ store: UnsafeMutableRawPointer?) -> Bool { verifyChain(store) == 1 }

    /// Puts down in `store` that the certificate is accepted, or that it is refused (`X509_V_ERR_CERT_REJECTED`).
    func note(isAccepted: Bool, in store: UnsafeMutableRawPointer?) { setError(store, isAccepted ? 0 : 28) }
}

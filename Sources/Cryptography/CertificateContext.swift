import CCrypto

/// The owner of an `X509`. Sources: X509_new(3), d2i_X509(3).
final class CertificateContext: @unchecked Sendable {
    // Unchecked: nothing changes a certificate after `init`, except for caches that libcrypto locks.
    let pointer: OpaquePointer

    /// Nil if the bytes are not one certificate in DER.
    init?(der: UnsafeRawBufferPointer) {
        guard let start = der.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let library = HashLibrary.shared
        guard let empty = X509_new_ex(library.context, HashLibrary.properties) else {
            HashLibrary.fail("read a certificate")
        }
        // libcrypto frees the certificate and clears this variable for some faults, not for all.
        var object: OpaquePointer? = empty
        var next: UnsafePointer<UInt8>? = start
        let isRead = HashLibrary.withoutErrors { d2i_X509(&object, &next, der.count) != nil }
        guard isRead, next == start + der.count, let certificate = object else {
            X509_free(object)
            return nil
        }
        pointer = certificate
    }

    deinit { X509_free(pointer) }
}

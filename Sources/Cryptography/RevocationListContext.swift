import CCrypto

/// The owner of an `X509_CRL`. Sources: X509_CRL_new(3), d2i_X509(3).
final class RevocationListContext: @unchecked Sendable {
    // Unchecked: nothing changes a list after `init`, except for its order, which libcrypto locks.
    let pointer: OpaquePointer

    /// Nil if the bytes are not one list in DER.
    init?(der: UnsafeRawBufferPointer) {
        guard let start = der.bindMemory(to: UInt8.self).baseAddress else { return nil }
        let library = HashLibrary.shared
        guard let empty = X509_CRL_new_ex(library.context, HashLibrary.properties) else {
            HashLibrary.fail("read a revocation list")
        }
        // As for certificates: libcrypto frees it for some faults.
        var object: OpaquePointer? = empty
        var next: UnsafePointer<UInt8>? = start
        let isRead = HashLibrary.withoutErrors { d2i_X509_CRL(&object, &next, der.count) != nil }
        guard isRead, next == start + der.count, let list = object else {
            X509_CRL_free(object)
            return nil
        }
        pointer = list
    }

    deinit { X509_CRL_free(pointer) }
}

import CCrypto

/// The owner of an `EVP_MD_CTX`. Source: EVP_DigestInit(3).
final class HashContext: @unchecked Sendable {
    // Unchecked: `Hash` changes a context only while it is its only owner, and contexts with several owners are only
    // copied.
    private let pointer: OpaquePointer

    init(_ algorithm: HashAlgorithm) {
        guard let pointer = EVP_MD_CTX_new(), EVP_DigestInit_ex(pointer, HashLibrary.shared[algorithm], nil) == 1 else {
            HashLibrary.fail("compute a hash")
        }
        self.pointer = pointer
    }

    init(copying other: HashContext) {
        guard let pointer = EVP_MD_CTX_new(), EVP_MD_CTX_copy_ex(pointer, other.pointer) == 1 else {
            HashLibrary.fail("compute a hash")
        }
        self.pointer = pointer
    }

    deinit { EVP_MD_CTX_free(pointer) }

    func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(pointer, bytes.baseAddress, bytes.count) == 1 else { HashLibrary.fail("compute a hash") }
    }

    /// Ends the hash: afterwards the context can only be freed.
    func finish(count: Int) -> Digest {
        Digest(count: count) { output in
            guard EVP_DigestFinal_ex(pointer, output, nil) == 1 else { HashLibrary.fail("compute a hash") }
        }
    }
}

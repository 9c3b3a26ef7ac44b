import CCrypto

/// libcrypto's hash functions, HMAC and AES, each fetched once for the whole process and never freed.
///
/// They are fetched in a library context that has only the default provider, which is a part of libcrypto. The system's
/// `openssl.cnf` applies to the process's own context, so a machine in FIPS mode still has MD5 and SHA-1, which serve
/// as checksums here. At exit(3) OpenSSL frees the process's own context and not this one, so another thread may still
/// compute a hash then.
///
/// Sources: OSSL_LIB_CTX(3), OSSL_PROVIDER-default(7), property(7).
struct HashLibrary: @unchecked Sendable {
    // Unchecked: libcrypto changes only their reference counts, which are atomic.
    let context: OpaquePointer
    /// The `EVP_MAC` of HMAC.
    let hmac: OpaquePointer
    private let functions: [HashAlgorithm: OpaquePointer]
    private let ciphers: [Int: OpaquePointer]

    static let shared = HashLibrary()

    /// Removes `fips=yes` from the properties of each fetch, because the libcrypto of some systems has it as a default.
    static let properties = "-fips"

    private init() {
        guard let context = OSSL_LIB_CTX_new(), OSSL_PROVIDER_load(context, "default") != nil else {
            HashLibrary.fail("load its functions")
        }
        guard let hmac = EVP_MAC_fetch(context, "HMAC", HashLibrary.properties) else { HashLibrary.fail("give HMAC") }
        self.context = context
        self.hmac = hmac
        functions = HashAlgorithm.allCases.reduce(into: [:]) {
            $0[$1] = EVP_MD_fetch(context, $1.rawValue, HashLibrary.properties)
        }
        ciphers = [16, 24, 32].reduce(into: [:]) {
            $0[$1] = EVP_CIPHER_fetch(context, "AES-\(8 * $1)-CBC", HashLibrary.properties)
        }
    }

    /// Returns the `EVP_MD` of `algorithm`.
    subscript(_ algorithm: HashAlgorithm) -> OpaquePointer {
        guard let function = functions[algorithm] else { HashLibrary.fail("give \(algorithm.rawValue)") }
        return function
    }

    /// Returns the `EVP_CIPHER` of AES-CBC with a key of `keyLength` bytes.
    func aes(keyLength: Int) -> OpaquePointer {
        precondition([16, 24, 32].contains(keyLength), "A key of AES has 16, 24 or 32 bytes, not \(keyLength).")
        guard let cipher = ciphers[keyLength] else { HashLibrary.fail("give AES") }
        return cipher
    }

    /// Calls `body`, and removes the errors that libcrypto keeps for this thread meanwhile: refused certificates and
    /// signatures leave some.
    static func withoutErrors<Value>(_ body: () throws -> Value) rethrows -> Value {
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return try body()
    }

    /// Ends the process, as Swift does when memory runs out: with the fetched functions and valid buffers, calls of
    /// libcrypto fail for no other reason.
    static func fail(_ task: String) -> Never {
        fatalError("This system's libcrypto could not \(task) (error \(String(ERR_get_error(), radix: 16))).")
    }
}

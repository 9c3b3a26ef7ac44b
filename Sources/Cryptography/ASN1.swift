import CCrypto
import Foundation

/// Values of certificates and revocation lists, in Swift's types.
enum ASN1 {
    /// The most bytes of a name that ``text(of:)`` returns.
    private static let longestName = 1_024

    /// Returns the time; nil for none and for one that is damaged. Source: ASN1_TIME_to_tm(3).
    static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
        var parts = tm()
        // For a null pointer, libcrypto would give the current time.
        guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
        return Date(timeIntervalSince1970: Double(timegm(&parts)))
    }

    /// Returns a distinguished name as RFC 2253 writes it, without control characters; the beginning of a long one.
    /// Source: X509_NAME_print_ex(3).
    static func text(of name: OpaquePointer?) -> String {
        guard let name else { return "" }
        guard let memory = BIO_new(BIO_s_mem()) else { HashLibrary.fail("write a name") }
        defer { BIO_free(memory) }
        guard carrel_name_print(memory, name) >= 0 else { return "" }
        var bytes = [UInt8](repeating: 0, count: longestName)
        let count = BIO_read(memory, &bytes, Int32(longestName))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }

    /// Returns the number in upper-case hexadecimal digits, two for each byte. Source: BN_bn2hex(3).
    static func hexadecimal(_ number: UnsafePointer<ASN1_INTEGER>?) -> String {
        guard let value = ASN1_INTEGER_to_BN(number, nil) else { return "" }
        defer { BN_free(value) }
        guard let text = BN_bn2hex(value) else { HashLibrary.fail("write a number") }
        defer { CRYPTO_free(text, nil, 0) }
        return String(cString: text)
    }
}

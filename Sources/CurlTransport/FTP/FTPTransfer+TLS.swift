import CCurl
import Foundation

/// The TLS options of FTP connections, besides trust.
enum FTPSecurity {
    /// Treats the end of a data connection as a normal end even without TLS's closing message, so that the control
    /// connection survives it.
    ///
    /// Used only for exchanges that know how many bytes they want, so that an attacker's early end is not accepted.
    /// Source: SSL_CTX_set_options(3), `SSL_OP_IGNORE_UNEXPECTED_EOF`.
    static func takeEndAsEnd(_ tls: UnsafeMutableRawPointer?) {
        typealias SetOptions = @convention(c) (UnsafeMutableRawPointer?, UInt64) -> UInt64
        // Looked up at run time: a libcurl without OpenSSL does not have it, and its connections end with the transfer.
        guard let symbol = dlsym(nil, "SSL_CTX_set_options") else { return }
        _ = unsafeBitCast(symbol, to: SetOptions.self)(tls, 1 << 7)
    }
}

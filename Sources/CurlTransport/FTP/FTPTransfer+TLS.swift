import CCurl
import Foundation

/// What a connection of FTP needs of TLS besides trust.
enum FTPSecurity {
    /// Has a data connection that this side ends before TLS does end like any other, so that the control connection
    /// outlives it.
    ///
    /// Only of exchanges that know how many bytes they want: for them, an end that somebody on the way has made is no
    /// end. Source: SSL_CTX_set_options(3), `SSL_OP_IGNORE_UNEXPECTED_EOF`.
    static func takeEndAsEnd(_ tls: UnsafeMutableRawPointer?) {
        typealias SetOptions = @convention(c) (UnsafeMutableRawPointer?, UInt64) -> UInt64
        // Looked up at run time: a libcurl without OpenSSL does not have it, and its connections end with the transfer.
        guard let symbol = dlsym(nil, "SSL_CTX_set_options") else { return }
        _ = unsafeBitCast(symbol, to: SetOptions.self)(tls, 1 << 7)
    }
}

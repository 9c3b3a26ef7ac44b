import CSSH2
import FileProviderCore
import Foundation

/// libssh2 as it is found at run time.
package enum SSHLibrary {
    /// libssh2_init(3) must not be called twice at once. OpenSSL starts with it, before the first thread that is to end
    /// before OpenSSL does.
    private static let code = libssh2_init(0)

    /// Such as `1.10.0`.
    package static let version = libssh2_version(0).map { String(cString: $0) } ?? ""

    /// Whether it signs with RSA and SHA-2 (RFC 8332), which came with 1.11.
    package static let signsRSAWithSHA2 = libssh2_version(0x010B00) != nil

    /// - Throws: `CocoaError(.fileReadUnknown)` where it cannot be started.
    static func start() throws {
        guard code == 0 else {
            throw FileError.make(.fileReadUnknown, path: "", sentence: "libssh2 could not be started (\(code)).")
        }
    }
}

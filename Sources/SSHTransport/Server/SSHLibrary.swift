import CSSH2
import FileProviderCore
import Foundation

/// libssh2, in the version found at run time.
package enum SSHLibrary {
    /// libssh2_init(3) must not run twice at once. It starts OpenSSL, before the first thread that must end before
    /// OpenSSL does.
    private static let code = libssh2_init(0)

    /// Such as `1.10.0`.
    package static let version = libssh2_version(0).map { String(cString: $0) } ?? ""

    /// Whether it signs with RSA and SHA-2 (RFC 8332), as versions since 1.11 do.
    package static let signsRSAWithSHA2 = libssh2_version(0x010B00) != nil

    /// - Throws: `CocoaError(.fileReadUnknown)` if it cannot be started.
    static func start() throws {
        guard code == 0 else {
            throw FileError.make(.fileReadUnknown, path: "", sentence: "libssh2 could not be started (\(code)).")
        }
    }
}

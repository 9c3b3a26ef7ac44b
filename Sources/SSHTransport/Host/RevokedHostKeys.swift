import FileProviderCore
package import Foundation

/// The keys that no host may have, from the file of `RevokedHostKeys` in ssh's configuration: one public key on each
/// line.
package struct RevokedHostKeys: Sendable, Hashable {
    /// A path of this machine.
    package let file: String

    /// The first bytes of a list in binary form. Source: PROTOCOL.krl of OpenSSH.
    private static let binary = Array("SSHKRL\n\0".utf8)
    private static let maxSize = 4 << 20

    /// Checks a key. Reads from the disk.
    ///
    /// - Throws: `URLError(.serverCertificateUntrusted)` for a key in the file. As in ssh, every key is refused if the
    ///   file cannot be read; here also if it is in the binary form.
    package func check(_ key: HostKey, host: String, url: URL?) throws {
        func refused(_ why: String) -> URLError {
            FileError.make(
                .serverCertificateUntrusted, url: url,
                sentence: "“\(host)” shows the key \(key.fingerprint), and \(why).")
        }
        guard let bytes = FileManager.default.contents(atPath: file), bytes.count <= Self.maxSize else {
            throw refused("the list of revoked keys, “\(file)”, cannot be read")
        }
        if bytes.starts(with: Self.binary) {
            throw refused(
                "the list of revoked keys, “\(file)”, is in a form that only the ssh program reads (transport=ssh)"
            )
        }
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = line.split { [0x20, 0x09, 0x0D].contains($0) }
            if words.contains(where: { HostKey(base64: String(decoding: $0, as: UTF8.self)) == key }) {
                throw refused("it was revoked by “\(file)”")
            }
        }
    }
}

import Cryptography
import Foundation

/// The public key that identifies an SSH server.
package struct HostKey: Hashable, Sendable {
    /// The algorithm's name as in the key itself, like `ssh-ed25519` (RFC 4253, section 6.6).
    package let type: String
    /// The key in its wire format.
    package let blob: [UInt8]

    /// No valid key is longer; RSA with 16,384 bits has 2 KiB.
    private static let maxSize = 32 << 10
    private static let maxTypeLength = 64

    /// Creates a key from its wire format; nil if the bytes are not a key.
    package init?(blob: some Collection<UInt8>) {
        guard blob.count <= Self.maxSize else { return nil }
        var fields = SSHFieldReader(blob)
        guard let name = fields.string(), (1...Self.maxTypeLength).contains(name.count),
            name.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            return nil
        }
        type = String(decoding: name, as: UTF8.self)
        self.blob = Array(blob)
        // Certificates have numbers between their strings.
        if isCertificate { return }
        var count = 0
        while !fields.isAtEnd {
            guard fields.string() != nil else { return nil }
            count += 1
        }
        if count == 0 { return nil }
    }

    /// Creates a key from base64 (RFC 4648, section 4), as in files; nil if the text is not a key.
    package init?(base64: some StringProtocol) {
        guard base64.utf8.count <= Self.maxSize * 2, let data = Data(base64Encoded: String(base64)) else { return nil }
        self.init(blob: data)
    }

    /// The key in base64, as in files.
    package var base64: String { Data(blob).base64EncodedString() }

    /// `SHA256:` and the hash in base64 without padding, as ssh shows it.
    package var fingerprint: String {
        let hash = Digest(.sha256, of: blob).base64
        return "SHA256:" + hash.prefix { $0 != "=" }
    }

    /// Whether the key is a certificate, signed by an authority.
    package var isCertificate: Bool { type.hasSuffix("-cert-v01@openssh.com") }

    /// The common name of the algorithm: `ED25519`, `ECDSA`, `RSA`, `DSA`.
    package var algorithm: String { Self.algorithm(of: type) }

    static func algorithm(of type: String) -> String {
        switch type {
        case "ssh-rsa", "rsa-sha2-256", "rsa-sha2-512": "RSA"
        case "ssh-dss": "DSA"
        case "ssh-ed25519": "ED25519"
        case "sk-ssh-ed25519@openssh.com": "ED25519-SK"
        case "sk-ecdsa-sha2-nistp256@openssh.com": "ECDSA-SK"
        default: type.hasPrefix("ecdsa-sha2-") ? "ECDSA" : type
        }
    }
}

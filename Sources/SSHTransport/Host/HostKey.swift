import Cryptography
import Foundation

/// The public key by which an SSH server shows who it is.
package struct HostKey: Hashable, Sendable {
    /// The algorithm's name as in the key itself, like `ssh-ed25519` (RFC 4253, section 6.6).
    package let type: String
    /// The key as it goes over the wire.
    package let blob: [UInt8]

    /// Longer ones are no keys; RSA with 16,384 bits has 2 KiB.
    private static let maxSize = 32 << 10
    private static let maxTypeLength = 64

    /// A key from its bytes on the wire; nil where they do not form one.
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

    /// A key from base64 (RFC 4648, section 4), as files have it; nil where it does not form one.
    package init?(base64: some StringProtocol) {
        guard base64.utf8.count <= Self.maxSize * 2, let data = Data(base64Encoded: String(base64)) else { return nil }
        self.init(blob: data)
    }

    /// The key as files have it.
    package var base64: String { Data(blob).base64EncodedString() }

    /// `SHA256:` and the hash in base64 without padding, as ssh shows it.
    package var fingerprint: String {
        let hash = Digest(.sha256, of: blob).base64
        return "SHA256:" + hash.prefix { $0 != "=" }
    }

    /// Whether an authority vouches for it inside of it.
    package var isCertificate: Bool { type.hasSuffix("-cert-v01@openssh.com") }

    /// The algorithm in the words that people know: `ED25519`, `ECDSA`, `RSA`, `DSA`.
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

import FileProviderCore
import Foundation

/// The properties of a private key file that can be read without its passphrase.
package struct SSHPrivateKey: Sendable, Hashable {
    package enum Algorithm: Sendable, Hashable {
        case ed25519, ecdsa, rsa, dsa
        /// The private half is in a hardware key.
        case securityKey
        /// Another algorithm, by its name.
        case other(String)

        /// From a key's type, as `ssh-ed25519`.
        init(type: String) {
            switch type {
            case "ssh-ed25519": self = .ed25519
            case "ssh-rsa": self = .rsa
            case "ssh-dss": self = .dsa
            default:
                if type.hasPrefix("sk-") {
                    self = .securityKey
                } else {
                    self = type.hasPrefix("ecdsa-sha2-") ? .ecdsa : .other(type)
                }
            }
        }
    }

    /// A path of this machine.
    package let file: String
    /// Nil if only the passphrase, or a public key beside the file, would show it.
    package let algorithm: Algorithm?
    package let isEncrypted: Bool
    /// From the file itself or from the `.pub` beside it; nil if neither has it.
    package let publicKey: HostKey?

    /// The type for a login, such as `ssh-rsa`, where it is known.
    package var loginType: String? { publicKey?.type ?? (algorithm == .rsa ? "ssh-rsa" : nil) }

    /// Whether libssh2 can log in with it: not with keys in hardware, nor with old or unknown kinds.
    package var isForLibrary: Bool {
        switch algorithm {
        case .ed25519, .ecdsa, .rsa, nil: true
        case .dsa, .securityKey, .other: false
        }
    }

    package static let maxSize = 256 << 10

    /// Reads a key file from the disk.
    ///
    /// - Throws: The error of open(2); `CocoaError(.fileReadNoPermission)` if other users may read the file, as in ssh;
    ///   `CocoaError(.fileReadCorruptFile)` for a file that is not a private key, or is one of PuTTY;
    ///   `CocoaError(.fileReadTooLarge)` over 256 KiB.
    package init(file: String) throws {
        let bytes = try Self.bytes(file, isSecret: true)
        let beside = (try? Self.bytes(file + ".pub", isSecret: false)).flatMap(Self.publicKey)
        guard let key = SSHPrivateKey(bytes, file: file, beside: beside) else {
            throw FileError.make(
                .fileReadCorruptFile, path: file, sentence: "“\(file)” \(Self.fault(of: bytes)).")
        }
        self = key
    }

    /// The public key that belongs to a file: in it, beside it, or the file itself, which need not contain the private
    /// one. Reads from the disk.
    package static func publicHalf(of file: String) -> HostKey? {
        (try? SSHPrivateKey(file: file))?.publicKey ?? (try? bytes(file + ".pub", isSecret: false)).flatMap(publicKey)
            ?? publicKey(in: file)
    }

    /// Whether a file contains a public key and no private one. Reads from the disk.
    package static func isPublic(_ file: String) -> Bool { publicKey(in: file) != nil }

    private static func publicKey(in file: String) -> HostKey? {
        (try? bytes(file, isSecret: false)).flatMap(publicKey)
    }

    /// Why bytes cannot be used as a private key: a verb and its object.
    package static func fault(of bytes: [UInt8]) -> String {
        if bytes.starts(with: "PuTTY-User-Key-File-".utf8) {
            return "is a PuTTY key; convert it with “puttygen … -O private-openssh”"
        }
        return publicKey(bytes) == nil ? "is not a private key" : "is a public key, not a private one"
    }

    /// Returns nil for bytes that are not a private key.
    ///
    /// - Parameter beside: The public key in the file beside it.
    package init?(_ bytes: [UInt8], file: String, beside: HostKey?) {
        guard let pem = PEMText(bytes) else { return nil }
        self.file = file
        var own: HostKey?
        var found: Algorithm?
        switch pem.label {
        case "OPENSSH PRIVATE KEY":
            guard let envelope = OpenSSHEnvelope(pem.bytes) else { return nil }
            isEncrypted = envelope.cipher != "none"
            own = envelope.publicKey
        // PKCS #1 (RFC 8017), SEC 1 (RFC 5915) and DSA's own.
        case "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY":
            isEncrypted = pem.isEncrypted
            found = pem.label.hasPrefix("RSA") ? .rsa : pem.label.hasPrefix("EC") ? .ecdsa : .dsa
        // PKCS #8 (RFC 5958).
        case "PRIVATE KEY":
            isEncrypted = false
            found = Self.algorithm(ofPKCS8: pem.bytes)
        case "ENCRYPTED PRIVATE KEY":
            isEncrypted = true
        default: return nil
        }
        publicKey = own ?? beside
        algorithm = found ?? publicKey.map { Algorithm(type: $0.type) }
    }

    /// ssh's usual keys in its order, but those first that every version of libssh2 can use. Keys in hardware need the
    /// ssh program.
    package static func usualFiles(home: String) -> [String] {
        ["id_ed25519", "id_ecdsa", "id_rsa", "id_ecdsa_sk", "id_ed25519_sk", "id_dsa"].map { "\(home)/.ssh/\($0)" }
    }

    // MARK: Files

    private static func bytes(_ path: String, isSecret: Bool) throws -> [UInt8] {
        let file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
        let errorPath = (try? ProviderPath(path)) ?? .root
        var status = stat()
        guard fstat(file.raw, &status) == 0 else { throw FileError.make(errno: errno, path: errorPath, writing: false) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is not a file.")
        }
        if isSecret, status.st_uid == getuid(), status.st_mode & 0o077 != 0 {
            throw FileError.make(
                .fileReadNoPermission, path: path,
                sentence:
                    "The private key “\(path)” is not used, because other users can read it. Run “chmod 600 \(path)”."
            )
        }
        guard status.st_size <= maxSize else { throw FileError.make(.fileReadTooLarge, path: path) }
        return try withUnsafeTemporaryAllocation(byteCount: maxSize, alignment: 16) { buffer in
            var count = 0
            while count < maxSize {
                let step = try file.read(
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]), at: Int64(count), path: errorPath)
                if step == 0 { break }
                count += step
            }
            return [UInt8](buffer[..<count])
        }
    }

    /// From the first line of a `.pub`.
    private static func publicKey(_ bytes: [UInt8]) -> HostKey? {
        let words = bytes.prefix { $0 != UInt8(ascii: "\n") }.split {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
        }
        guard words.count >= 2, let key = HostKey(base64: String(decoding: words[1], as: UTF8.self)) else { return nil }
        return Array(words[0]) == Array(key.type.utf8) ? key : nil
    }

    /// The algorithm's object identifier is near the start: SEQUENCE, INTEGER, SEQUENCE, OBJECT IDENTIFIER (RFC 5958,
    /// section 2).
    private static func algorithm(ofPKCS8 bytes: [UInt8]) -> Algorithm? {
        let identifiers: [([UInt8], Algorithm)] = [
            ([0x2B, 0x65, 0x70], .ed25519), ([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01], .ecdsa),
            ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], .rsa),
            ([0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x01], .dsa),
        ]
        var rest = bytes.prefix(64)
        guard DERHead.take(&rest, tag: 0x30) != nil, let version = DERHead.take(&rest, tag: 0x02), version <= rest.count
        else { return nil }
        rest = rest.dropFirst(version)
        guard DERHead.take(&rest, tag: 0x30) != nil, let length = DERHead.take(&rest, tag: 0x06) else { return nil }
        return identifiers.first { $0.0.elementsEqual(rest.prefix(length)) }?.1
    }
}

/// Reads the tag and the length before a value (X.690, section 8.1).
private enum DERHead {
    /// The length of the value that follows; nil for another tag.
    static func take(_ rest: inout ArraySlice<UInt8>, tag: UInt8) -> Int? {
        guard rest.popFirst() == tag, let first = rest.popFirst() else { return nil }
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
    }
}

/// Base64 text between two lines (RFC 7468), perhaps with the older headers (RFC 1421).
private struct PEMText {
    let label: String
    let isEncrypted: Bool
    let bytes: [UInt8]

    init?(_ text: [UInt8]) {
        let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map {
            String(decoding: $0, as: UTF8.self)
        }
        guard
            let start = lines.firstIndex(where: {
                $0.hasPrefix("-----BEGIN ") && $0.hasSuffix("-----") && $0.count >= 16
            })
        else {
            return nil
        }
        let label = String(lines[start].dropFirst(11).dropLast(5))
        guard let end = lines[start...].firstIndex(of: "-----END \(label)-----") else { return nil }
        let body = lines[(start + 1)..<end]
        let headers = body.filter { $0.contains(":") }
        let isEncrypted = headers.contains { $0.hasPrefix("Proc-Type:") && $0.hasSuffix("ENCRYPTED") }
        let encoded = isEncrypted ? "" : body.filter { !$0.contains(":") }.joined()
        guard let data = Data(base64Encoded: encoded), isEncrypted || !data.isEmpty else { return nil }
        self.label = label
        self.isEncrypted = isEncrypted
        bytes = Array(data)
    }
}

/// The part of OpenSSH's format that is never encrypted. Source: PROTOCOL.key of OpenSSH.
private struct OpenSSHEnvelope {
    let cipher: String
    let publicKey: HostKey

    init?(_ bytes: [UInt8]) {
        let magic = Array("openssh-key-v1".utf8) + [0]
        guard bytes.starts(with: magic) else { return nil }
        var fields = SSHFieldReader(bytes.dropFirst(magic.count))
        guard let cipher = fields.string(), fields.string() != nil, fields.string() != nil, fields.number() == 1,
            let blob = fields.string(), let key = HostKey(blob: blob)
        else { return nil }
        self.cipher = String(decoding: cipher, as: UTF8.self)
        publicKey = key
    }
}

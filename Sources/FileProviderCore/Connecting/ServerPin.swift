import Foundation

/// The SHA-256 of a TLS server's public key or certificate, by which to trust it without an authority.
///
/// A pin of the key still holds after the certificate is renewed with the same key. A pin of the certificate is what
/// browsers and `openssl x509 -fingerprint -sha256` show.
public enum ServerPin: Sendable, Hashable {
    /// Of the public key with its algorithm (`SubjectPublicKeyInfo` in DER; RFC 7469, section 2.4). 32 bytes.
    case publicKey([UInt8])
    /// Of the whole certificate in DER. 32 bytes.
    case certificate([UInt8])

    /// Reads `sha256//` and Base64 for a key, as curl writes it, or 64 hexadecimal digits for a certificate, with or
    /// without colons between the bytes, and with or without `SHA256:` or openssl's `SHA256 Fingerprint=` in front. Nil
    /// for any other text.
    public init?(_ text: String) {
        let text = text.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("sha256//") {
            guard let hash = Data(base64Encoded: String(text.dropFirst(8))), hash.count == 32 else { return nil }
            self = .publicKey(Array(hash))
            return
        }
        let name = ["sha256 fingerprint=", "sha256:"].first { text.lowercased().hasPrefix($0) }
        let digits = text.dropFirst(name?.count ?? 0)
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 1 || parts.allSatisfy({ $0.count == 2 }), let hash = Hexadecimal.bytes(parts.joined()),
            hash.count == 32
        else { return nil }
        self = .certificate(hash)
    }

    /// Reads the pin in `text`.
    ///
    /// - Throws: `URLError(.badURL)` if `text` is no pin.
    public init(checking text: String) throws {
        guard let pin = ServerPin(text) else {
            throw FileError.make(
                .badURL, url: nil,
                sentence: "“\(text)” is not a pin: use sha256//… with the Base64 hash of a key, or the 64 hexadecimal "
                    + "digits of a certificate's SHA-256 fingerprint.")
        }
        self = pin
    }
}

extension ServerPin: CustomStringConvertible {
    /// The text that ``init(_:)`` reads; a certificate's fingerprint in capitals with colons.
    public var description: String {
        switch self {
        case .publicKey(let hash): "sha256//\(Data(hash).base64EncodedString())"
        case .certificate(let hash): hash.map { Hexadecimal.text([$0]).uppercased() }.joined(separator: ":")
        }
    }
}

extension ServerPin: Codable {
    /// Reads the text of a pin.
    ///
    /// - Throws: `DecodingError` if the text is no pin.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        do { try self.init(checking: text) } catch {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: error.sentence)
        }
    }

    /// Writes the text of the pin.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

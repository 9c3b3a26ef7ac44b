public import Foundation

/// A licence of the basic profile (LCP 1.0, section 3), signed by a provider of ``LCPVectors``, of which everything that
/// tests look at can be chosen.
public struct SampleLicense: Sendable {
    /// A link of a licence.
    public struct Link: Sendable {
        /// The relation.
        public var rel: String
        /// The address, or a template.
        public var href: String
        /// The media type.
        public var type: String?
        /// Whether ``href`` is a template.
        public var isTemplated = false

        /// A link with an address.
        public init(rel: String, href: String, type: String? = nil, isTemplated: Bool = false) {
            self.rel = rel
            self.href = href
            self.type = type
            self.isTemplated = isTemplated
        }
    }

    /// The identifier, which the key check encrypts.
    public var id = "urn:uuid:2f0a4f4e-54c8-4bd3-9d7b-9a5f2e4c1b7d"
    /// Who gives the licence.
    public var provider = "https://books.example.org"
    /// 2026-01-01.
    public var issued = Date(timeIntervalSince1970: 1_767_225_600)
    /// When the licence was last changed; nil for never.
    public var updated: Date?
    /// The profile's URI.
    public var profile = "http://readium.org/lcp/basic-profile"
    /// What opens the licence.
    public var passphrase = LCPVectors.passphrase
    /// The hash of ``passphrase``, or another key.
    public var userKey: Data?
    /// The words about the passphrase.
    public var hint = "Which colour is it?"
    /// The key of the resources.
    public var contentKey = LCPVectors.contentKey
    /// Where the publication is.
    public var publicationHref = "https://books.example.org/moby.epub"
    /// The publication's media type.
    public var publicationType = "application/epub+zip"
    /// The publication's title; nil for none.
    public var publicationTitle: String?
    /// The publication's length in bytes.
    public var publicationLength: Int64?
    /// The SHA-256 of the publication, in hexadecimal digits.
    public var publicationHash: String?
    /// Where the status document is; nil for none.
    public var statusHref: String?
    /// Further links.
    public var links: [Link] = []
    /// The user's identifier; nil for none.
    public var userID: String?
    /// How many pages may be printed; nil for any number.
    public var print: Int64?
    /// How many characters may be copied; nil for any number.
    public var copy: Int64?
    /// When the licence begins.
    public var start: Date?
    /// When the licence ends.
    public var end: Date?
    /// The private key that signs, in PEM: of RSA, or of an elliptic curve.
    public var signingKey = LCPVectors.rsaKeyPEM
    /// The certificate of that key, in PEM.
    public var certificate = LCPVectors.rsaCertificatePEM

    /// A licence without limits and without a status document.
    public init() {}

    /// The licence as a document.
    ///
    /// - Throws: `CocoaError(.formatting)` if the signing key and the certificate are exchanged.
    public func signed() throws -> Data {
        guard signingKey.contains("PRIVATE KEY"), certificate.contains("CERTIFICATE") else {
            throw CocoaError(.formatting)
        }
        let (signature, isRSA) = SampleCipher.sign(Data(SampleJSON.object(members).text.utf8), key: signingKey)
        var members = members
        members["signature"] = .object([
            "algorithm": .text("http://www.w3.org/2001/04/xmldsig-more#\(isRSA ? "rsa" : "ecdsa")-sha256"),
            "certificate": .text(SampleCipher.der(ofPEM: certificate).base64EncodedString()),
            "value": .text(signature.base64EncodedString()),
        ])
        return Data(SampleJSON.object(members).text.utf8)
    }

    /// All but the signature.
    private var members: [String: SampleJSON] {
        let userKey = userKey ?? SampleCipher.hash(Data(passphrase.utf8))
        var members: [String: SampleJSON] = [
            "id": .text(id), "provider": .text(provider), "issued": .date(issued),
            "encryption": .object([
                "profile": .text(profile),
                "content_key": .object([
                    "algorithm": .text("http://www.w3.org/2001/04/xmlenc#aes256-cbc"),
                    "encrypted_value": .text(
                        SampleCipher.encrypt(contentKey, key: userKey, seed: 2).base64EncodedString()),
                ]),
                "user_key": .object([
                    "algorithm": .text("http://www.w3.org/2001/04/xmlenc#sha256"), "text_hint": .text(hint),
                    "key_check": .text(
                        SampleCipher.encrypt(Data(id.utf8), key: userKey, seed: 3).base64EncodedString()),
                ]),
            ]),
            "links": .list(allLinks),
        ]
        members["updated"] = updated.map { .date($0) }
        members["user"] = userID.map { .object(["id": .text($0)]) }
        var rights: [String: SampleJSON] = [:]
        rights["print"] = print.map { .number($0) }
        rights["copy"] = copy.map { .number($0) }
        rights["start"] = start.map { .date($0) }
        rights["end"] = end.map { .date($0) }
        if !rights.isEmpty { members["rights"] = .object(rights) }
        return members
    }

    private var allLinks: [SampleJSON] {
        var publication: [String: SampleJSON] = [
            "rel": .text("publication"), "href": .text(publicationHref), "type": .text(publicationType),
        ]
        publication["title"] = publicationTitle.map { .text($0) }
        publication["length"] = publicationLength.map { .number($0) }
        publication["hash"] = publicationHash.map { .text($0) }
        var all = [Link(rel: "hint", href: "https://books.example.org/hint", type: "text/html")] + links
        if let statusHref {
            let type = "application/vnd.readium.license.status.v1.0+json"
            all.append(Link(rel: "status", href: statusHref, type: type))
        }
        return [.object(publication)] + all.map(\.json)
    }
}

extension SampleLicense.Link {
    fileprivate var json: SampleJSON {
        var members: [String: SampleJSON] = ["rel": .text(rel), "href": .text(href)]
        members["type"] = type.map { .text($0) }
        if isTemplated { members["templated"] = .truth(true) }
        return .object(members)
    }
}

/// JSON in the canonical form of LCP 1.0, section 5.3, written apart from the product's.
indirect enum SampleJSON: Sendable {
    case text(String)
    case number(Int64)
    case truth(Bool)
    case list([SampleJSON])
    case object([String: SampleJSON])

    /// A time of whole seconds (RFC 3339).
    static func date(_ date: Date) -> SampleJSON { .text(date.formatted(.iso8601)) }

    /// Members sorted by code point, without white space.
    var text: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number(let number): "\(number)"
        case .truth(let isTrue): isTrue ? "true" : "false"
        case .list(let elements): "[" + elements.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            // The order of UTF-8 is that of code points.
            "{"
                + members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { Self.quoted($0.key) + ":" + $0.value.text }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

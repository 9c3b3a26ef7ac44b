public import Foundation
public import Publication

/// A licence to read one protected publication (LCP 1.0, section 3).
///
/// Reading a licence checks its form only: neither its signature nor its dates, and not whether a passphrase fits.
public struct LicenseDocument: Sendable {
    /// The media type of licence documents.
    public static let mediaType = "application/vnd.readium.lcp.license.v1.0+json"
    /// The most bytes that a licence may have; 1 MiB.
    public static let largest = 1 << 20

    /// The bytes that were read. Write these to store the licence.
    public let data: Data
    /// All of the document, with members that have no property here.
    public let json: JSONValue
    /// The identifier, which no other licence of any provider has.
    public let id: String
    /// The URI of the provider.
    public let provider: String
    /// When the licence was first issued.
    public let issued: Date
    /// When the licence was last changed; nil if it never was.
    public let updated: Date?
    /// The URI of the encryption profile.
    public let profile: String
    /// The encrypted content key: an initialization vector of 16 bytes, then 32, 48 or 64 bytes.
    public let contentKey: Data
    /// The URI of the algorithm that encrypts the content key.
    public let contentKeyAlgorithm: String
    /// The URI of the algorithm that makes the user key from a passphrase.
    public let userKeyAlgorithm: String
    /// The words that help the user to remember the passphrase. They may be empty.
    public let hint: String
    /// The encrypted ``id``, which shows whether a user key is the right one: an initialization vector of 16 bytes,
    /// then at least one block of 16 bytes.
    public let keyCheck: Data
    /// The links, in the order of the document. At least one `hint` and one `publication`.
    public let links: [LicenseLink]
    /// What the licence says about its user.
    public let user: LicenseUser
    /// What the user may do, and when.
    public let rights: LicenseRights
    /// The provider's signature, which is not checked.
    public let signature: LicenseSignature
    /// The bytes that the signature signs: the document without its signature, members sorted by code point, without
    /// white space (LCP 1.0, section 5.3).
    ///
    /// Members that have no property here are part of it. Numbers stay as they are written. Of control characters
    /// without a short escape, the hexadecimal digits are in lower case, as licence servers write them.
    public let canonicalForm: Data

    /// Reads a licence document.
    ///
    /// Members with other names than the specification's are kept and not checked. An optional member that is `null`
    /// counts as missing.
    /// - Throws: ``LCPProblem`` of the kind `invalidLicense`, which names the first member that is missing or wrong.
    ///   Refused are also more than ``largest`` bytes, text that is not UTF-8, a name that occurs twice in one object,
    ///   more than ``LicenseLink/largestCount`` links, and more levels than `JSONValue.maximumDepth`.
    public init(data: Data) throws {
        let document = try DocumentMembers.parse(.license, data, limit: Self.largest)
        let members = try DocumentMembers(.license, document.json)
        self.data = data
        json = members.json
        id = try members.text("id")
        issued = try members.date("issued")
        updated = try members.optionalDate("updated")
        provider = try members.uri("provider")
        let encryption = try members.object("encryption")
        profile = try encryption.uri("profile")
        let contentMembers = try encryption.object("content_key")
        contentKeyAlgorithm = try contentMembers.uri("algorithm")
        contentKey = try Self.contentKey(contentMembers)
        let userMembers = try encryption.object("user_key")
        userKeyAlgorithm = try userMembers.uri("algorithm")
        hint = try userMembers.string("text_hint")
        keyCheck = try Self.keyCheck(userMembers)
        links = try Self.requiredLinks(members)
        user = try LicenseUser(members.optionalObject("user"))
        rights = try LicenseRights(members.optionalObject("rights"))
        signature = try LicenseSignature(members.object("signature"))
        canonicalForm = document.canonicalForm(without: "signature")
    }

    /// When this version of the licence was made: ``updated``, or ``issued`` if it was never changed.
    public var date: Date { updated ?? issued }

    /// The links with a relation, in the order of the document: `hint`, `publication`, `self`, `status`, `support`, or
    /// a URI of a provider's own.
    public func links(_ rel: String) -> [LicenseLink] { links.filter { $0.rel.contains(rel) } }

    /// The first link with a relation.
    public func link(_ rel: String) -> LicenseLink? { links.first { $0.rel.contains(rel) } }
}

/// Two licences are equal if they have the same bytes.
extension LicenseDocument: Hashable {
    /// Whether two documents have the same bytes.
    public static func == (left: LicenseDocument, right: LicenseDocument) -> Bool { left.data == right.data }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(data) }
}

/// The rules for single members.
extension LicenseDocument {
    private static let blockSize = 16
    /// An initialization vector and a key of 32 bytes: with padding, without, and of 64 bytes without or 48 with.
    private static let contentKeyLengths = [48, 64, 80]

    private static func contentKey(_ members: DocumentMembers) throws -> Data {
        let key = try members.base64("encrypted_value")
        guard contentKeyLengths.contains(key.count) else {
            throw members.fault("encrypted_value", "has \(key.count) bytes and not 48, 64 or 80")
        }
        return key
    }

    private static func keyCheck(_ members: DocumentMembers) throws -> Data {
        let check = try members.base64("key_check")
        guard check.count >= 2 * blockSize, check.count.isMultiple(of: blockSize) else {
            throw members.fault("key_check", "has \(check.count) bytes and not a multiple of 16 from 32")
        }
        return check
    }

    /// LCP 1.0, section 3.5, requires a link `hint` and a link `publication`.
    private static func requiredLinks(_ members: DocumentMembers) throws -> [LicenseLink] {
        let links = try members.links()
        for rel in ["hint", "publication"] {
            let required = links.filter { $0.rel.contains(rel) }
            guard !required.isEmpty else { throw members.fault("links", "has no link “\(rel)”") }
            guard required.allSatisfy({ $0.type?.isEmpty == false }) else {
                throw members.fault("links", "has a link “\(rel)” without “type”")
            }
        }
        return links
    }
}

import Foundation
import Publication

/// The members of one object in a licence or a status document. Each refusal names the member.
struct DocumentMembers {
    /// A kind of document, as messages name it.
    enum Kind {
        case license
        case status

        var name: String {
            switch self {
            case .license: "licence"
            case .status: "status document"
            }
        }

        /// Returns the problem of a document that is refused.
        ///
        /// - Parameter reason: The rest of a sentence that begins with the document, without its full stop.
        func problem(_ reason: String, underlying: (any Error)? = nil) -> LCPProblem {
            let kind: LCPProblem.Kind =
                switch self {
                case .license: .invalidLicense
                case .status: .invalidStatus
                }
            return LCPProblem(kind, sentence: "The \(name) \(reason).", underlying: underlying)
        }
    }

    let kind: Kind
    /// The members; a member that is `null` counts as missing.
    let json: JSONValue
    /// The members around this object, as in `encryption.content_key.`; empty for the document itself.
    private let prefix: String

    /// The document's outermost object.
    ///
    /// - Throws: ``LCPProblem`` if it is no object.
    init(_ kind: Kind, _ json: JSONValue) throws {
        guard json.objectValue != nil else { throw kind.problem("is not a JSON object") }
        self.init(kind, json, prefix: "")
    }

    private init(_ kind: Kind, _ json: JSONValue, prefix: String) {
        self.kind = kind
        self.json = json
        self.prefix = prefix
    }

    /// Parses a document's text.
    ///
    /// - Throws: ``LCPProblem`` over `limit` bytes, and for a text that ``CanonicalJSON`` refuses.
    static func parse(_ kind: Kind, _ data: Data, limit: Int) throws -> CanonicalJSON {
        guard data.count <= limit else {
            throw kind.problem("has \(data.count) bytes, and at most \(limit) are accepted")
        }
        do {
            return try CanonicalJSON(data: data)
        } catch let fault as CanonicalJSON.Fault {
            throw kind.problem(fault.reason)
        }
    }

    /// Returns the problem of the member called `name`.
    ///
    /// - Parameter reason: What the member is or lacks, such as “is missing”.
    func fault(_ name: String, _ reason: String) -> LCPProblem {
        let path = "\(prefix)\(name)"
        return kind.problem("is damaged: its member “\(path.prefix(200))” \(reason)")
    }

    /// The members of `value`, which is at `name`, such as `links[3]`.
    func object(_ value: JSONValue, at name: String) throws -> DocumentMembers {
        guard value.objectValue != nil else { throw fault(name, "is not an object") }
        return DocumentMembers(kind, value, prefix: "\(prefix)\(name).")
    }

    /// The members of a required object.
    func object(_ name: String) throws -> DocumentMembers {
        try object(required(name), at: name)
    }

    /// The members of an object; nil if it is missing.
    func optionalObject(_ name: String) throws -> DocumentMembers? {
        try json[name].map { try object($0, at: name) }
    }

    /// The members that are not called like one of `names`.
    func others(_ names: Set<String>) -> [String: JSONValue] {
        (json.objectValue ?? [:]).filter { !names.contains($0.key) }
    }

    /// Whether there is a member called `name`.
    func has(_ name: String) -> Bool { json[name].map { _ in true } ?? false }

    /// The value of a required member.
    func required(_ name: String) throws -> JSONValue {
        guard let value = json[name] else { throw fault(name, "is missing") }
        return value
    }
}

/// Values of members.
extension DocumentMembers {
    /// A required text that is not empty.
    func text(_ name: String) throws -> String {
        let value = try string(name)
        guard !value.isEmpty else { throw fault(name, "is empty") }
        return value
    }

    /// A required text that may be empty.
    func string(_ name: String) throws -> String {
        guard let text = try required(name).stringValue else { throw fault(name, "is not a text") }
        return text
    }

    /// A text; nil if it is missing.
    func optionalString(_ name: String) throws -> String? {
        has(name) ? try string(name) : nil
    }

    /// A required URI, which begins with a scheme (RFC 3986, section 3). Characters outside of ASCII are accepted.
    func uri(_ name: String) throws -> String {
        let value = try text(name)
        guard URIText.isURI(value) else { throw fault(name, "is not a URI") }
        return value
    }

    /// Required bytes in Base64 (RFC 4648, section 4), with padding and without white space. At least one.
    func base64(_ name: String) throws -> Data {
        let value = try text(name)
        // Compared, because other spellings of the same bytes may be read, too.
        guard let data = Data(base64Encoded: value), data.base64EncodedString() == value else {
            throw fault(name, "is not Base64")
        }
        return data
    }

    /// A required date and time.
    func date(_ name: String) throws -> Date {
        guard let value = Date(internetText: try string(name)) else {
            throw fault(name, "is not a date and time with an offset, such as 2026-01-31T08:30:00Z")
        }
        return value
    }

    /// A date and time; nil if it is missing.
    func optionalDate(_ name: String) throws -> Date? {
        has(name) ? try date(name) : nil
    }

    /// A whole number from 0; nil if it is missing.
    func optionalCount(_ name: String) throws -> Int64? {
        guard let value = json[name] else { return nil }
        guard let count = value.integerValue, count >= 0 else { throw fault(name, "is not a whole number from 0") }
        return count
    }

    /// A truth value; false if it is missing.
    func flag(_ name: String) throws -> Bool {
        guard let value = json[name] else { return false }
        guard let isSet = value.boolValue else { throw fault(name, "is neither true nor false") }
        return isSet
    }

    /// Texts in an array; none if it is missing.
    func texts(_ name: String) throws -> [String] {
        guard let value = json[name] else { return [] }
        guard let elements = value.arrayValue else { throw fault(name, "is not an array") }
        return try elements.map { element in
            guard let text = element.stringValue else { throw fault(name, "has an element that is not a text") }
            return text
        }
    }
}

/// The form of a URI.
enum URIText {
    /// Whether `text` has a scheme and something behind it, and no white space or control characters.
    static func isURI(_ text: String) -> Bool {
        guard isClean(text), let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return false }
        let scheme = text.utf8[..<colon]
        guard let first = scheme.first, isLetter(first), text.utf8.index(after: colon) < text.utf8.endIndex else {
            return false
        }
        return scheme.allSatisfy { byte in
            isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "+-.".utf8.contains(byte)
        }
    }

    /// Whether `text` has no white space and no control characters of ASCII.
    static func isClean(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}

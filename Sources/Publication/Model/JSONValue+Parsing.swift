public import Foundation

extension JSONValue {
    /// The deepest nesting of arrays and objects that is accepted: 64 levels.
    public static let maximumDepth = 64

    /// Parses a JSON document in UTF-8, UTF-16 or UTF-32.
    ///
    /// If a key is repeated, its first value counts.
    /// - Parameter maximumSize: The largest document that is accepted, in bytes.
    /// - Throws: `CocoaError(.fileReadTooLarge)` if `data` is larger than `maximumSize`;
    ///   `CocoaError(.fileReadCorruptFile)` if it is not JSON, is nested deeper than ``maximumDepth`` or holds a number
    ///   beyond the range of `Double`.
    public init(data: Data, maximumSize: Int) throws {
        guard data.count <= maximumSize else {
            let sentence = "The JSON document has \(data.count) bytes; at most \(maximumSize) are accepted."
            throw CocoaError(.fileReadTooLarge, userInfo: [NSLocalizedDescriptionKey: sentence])
        }
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: data)
        } catch DecodingError.dataCorrupted(let context) where context.debugDescription == Self.tooDeep {
            throw CocoaError.unreadable(Self.tooDeep)
        } catch {
            throw CocoaError.unreadable("The JSON document cannot be parsed.", cause: error)
        }
    }

    /// Parses the JSON document in `string`; limits and errors are those of ``init(data:maximumSize:)``.
    public init(string: String, maximumSize: Int) throws {
        try self.init(data: Data(string.utf8), maximumSize: maximumSize)
    }

    fileprivate static var tooDeep: String {
        "The JSON document is nested more than \(maximumDepth) levels deep."
    }
}

extension JSONValue: Codable {
    private struct MemberName: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// Decodes the value at the decoder's position. Doesn't limit its size, as ``init(data:maximumSize:)`` does.
    ///
    /// - Throws: `DecodingError.dataCorrupted` over ``maximumDepth``, the levels around the value counted; the
    ///   decoder's errors.
    public init(from decoder: any Decoder) throws {
        // A decoder doesn't report the kind of a value, so try the kinds, the frequent ones first.
        let single = try decoder.singleValueContainer()
        if let text = try? single.decode(String.self) {
            self = .string(text)
        } else if let container = try? decoder.container(keyedBy: MemberName.self) {
            try Self.checkDepth(of: decoder)
            self = .object(try Self.members(of: container))
        } else if let container = try? decoder.unkeyedContainer() {
            try Self.checkDepth(of: decoder)
            self = .array(try Self.elements(of: container))
        } else {
            self = try Self.scalar(in: single)
        }
    }

    /// The path has one part for each array or object around the one being decoded.
    private static func checkDepth(of decoder: any Decoder) throws {
        guard decoder.codingPath.count < maximumDepth else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: tooDeep))
        }
    }

    private static func members(of container: KeyedDecodingContainer<MemberName>) throws -> [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        for key in container.allKeys {
            members[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
        }
        return members
    }

    private static func elements(of container: any UnkeyedDecodingContainer) throws -> [JSONValue] {
        var container = container
        var elements: [JSONValue] = []
        while !container.isAtEnd {
            elements.append(try container.decode(JSONValue.self))
        }
        return elements
    }

    private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let value = try? container.decode(Bool.self) { return .bool(value) }
        let number = try container.decode(Double.self)
        // JSON5 has literals for infinity and not-a-number. They are written as `null`, so they are read as `null`,
        // too.
        return number.isFinite ? JSONValue(number) : .null
    }

    /// Encodes the value itself, without a container around it.
    ///
    /// - Throws: The encoder's errors. `JSONEncoder` refuses infinity and not-a-number, for which ``jsonString`` has
    ///   `null`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let number): try container.encode(number)
        case .double(let number): try container.encode(number)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension CocoaError {
    /// Returns the error for a document, or a part of one, that lacks something required.
    static func unreadable(_ sentence: String, cause: (any Error)? = nil) -> CocoaError {
        var info: [String: Any] = [NSLocalizedDescriptionKey: sentence]
        info[NSUnderlyingErrorKey] = cause
        return CocoaError(.fileReadCorruptFile, userInfo: info)
    }
}

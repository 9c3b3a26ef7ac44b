public import Foundation

/// The kind of a document or resource, named by a media type (RFC 6838).
///
/// Two values are equal if type, subtype and parameters are. The order of parameters is ignored, and so are the case of
/// everything but parameter values, ``name`` and ``fileExtension``.
public struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// The normalised text: type, subtype and parameter names in lower case, parameters sorted by name,
    /// no white space, the value of `charset` in upper case, other values as given.
    public let string: String
    /// The name of the format for people, such as "Comic Book Archive".
    public let name: String?
    /// The usual file extension, without a dot.
    public let fileExtension: String?
    /// The part before the slash, such as `application`.
    public let type: String
    /// The part between the slash and the parameters, such as `epub+zip`.
    public let subtype: String
    /// The parameters by lower-case name. If a parameter is repeated, the first one counts.
    public let parameters: [String: String]

    /// Reads a media type such as `text/html; charset=utf-8`.
    ///
    /// Type and subtype must be tokens (RFC 9110, section 5.6.2) with one slash between them, otherwise the result is
    /// nil. Invalid parameters are left out, because servers often send them.
    public init?(_ string: String) {
        self.init(parsing: string, name: nil, fileExtension: nil)
    }

    /// Reads a media type and adds a name and a file extension.
    ///
    /// A literal calls ``init(_:name:fileExtension:)-(StaticString,_,_)`` instead, which is never nil.
    @_disfavoredOverload
    public init?(_ string: String, name: String? = nil, fileExtension: String? = nil) {
        self.init(parsing: string, name: name, fileExtension: fileExtension)
    }

    /// A media type written as a literal, such as an app's own constant.
    ///
    /// Without a name, a literal calls the failable initializer, unless the context requires a value that is not
    /// optional.
    /// - Precondition: `literal` is a media type.
    public init(_ literal: StaticString, name: String? = nil, fileExtension: String? = nil) {
        guard let parsed = MediaType(parsing: "\(literal)", name: name, fileExtension: fileExtension) else {
            preconditionFailure("\(literal) is not a media type")
        }
        self = parsed
    }

    private init?(parsing string: String, name: String?, fileExtension: String?) {
        var string = string
        let parsed = string.withUTF8 { bytes in
            var scanner = MediaTypeScanner(bytes)
            return scanner.scan()
        }
        guard let parsed else { return nil }
        self.type = parsed.type
        self.subtype = parsed.subtype
        self.parameters = parsed.parameters
        self.string = parsed.normalised
        self.name = name
        self.fileExtension = fileExtension
    }

    /// The same as ``string``.
    public var description: String { string }

    /// The type and subtype without parameters, such as `text/html`.
    public var essence: String { parameters.isEmpty ? string : "\(type)/\(subtype)" }

    /// The last suffix of the subtype with its plus sign, such as `+zip` (RFC 6838, section 4.2.8).
    public var structuredSyntaxSuffix: String? {
        guard let plus = subtype.utf8.lastIndex(of: UInt8(ascii: "+")) else { return nil }
        return String(subtype[plus...])
    }

    /// The text encoding that the `charset` parameter names; nil if it is unknown.
    public var encoding: String.Encoding? {
        guard let charset = parameters["charset"] else { return nil }
        return charset == "UTF8" ? .utf8 : String.Encoding(ianaName: charset)
    }

    /// Compares only ``string``, the normalised text.
    public static func == (left: MediaType, right: MediaType) -> Bool { left.string == right.string }

    /// Hashes only ``string``, as `==` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(string) }
}

extension MediaType {
    /// Returns whether `other` is of this kind: it has the same type and subtype, or this one has `*`, and it has every
    /// parameter of this one. It may have more.
    ///
    /// `text/html` contains `text/html;charset=utf-8`, not the other way round; `*/*` contains everything.
    public func contains(_ other: MediaType) -> Bool {
        (type == other.type || type == "*")
            && (subtype == other.subtype || subtype == "*")
            && parameters.allSatisfy { other.parameters[$0.key] == $0.value }
    }

    /// Returns whether the media type in `other` is of this kind; false if `other` is not a media type.
    public func contains(_ other: String) -> Bool {
        MediaType(other).map(contains) ?? false
    }

    /// Returns whether one of the two contains the other, so that they differ at most in parameters that only one has.
    public func matches(_ other: MediaType) -> Bool {
        contains(other) || other.contains(self)
    }

    /// Returns whether this media type and the one in `other` match; false if `other` is not a media type.
    public func matches(_ other: String) -> Bool {
        MediaType(other).map(matches) ?? false
    }

    /// Returns whether at least one of `others` matches.
    public func matchesAny(_ others: MediaType...) -> Bool { matchesAny(others) }

    /// Returns whether at least one of `others` matches.
    public func matchesAny(_ others: [MediaType]) -> Bool { others.contains(where: matches) }

    /// Returns whether at least one of the media types in `others` matches.
    public func matchesAny(_ others: String...) -> Bool { others.contains { matches($0) } }
}

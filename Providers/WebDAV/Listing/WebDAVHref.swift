import FileProviderCore

/// How often a server percent-encodes the names in its hrefs.
enum HrefEncoding: Int, CaseIterable, Sendable {
    /// As RFC 4918, section 8.3.1, wants it.
    case once
    /// Encoded names encoded again: `%2520` for a space.
    case twice
    /// Not at all: `%20` means these three characters.
    case never
}

/// An href taken apart, not decoded yet (RFC 4918, section 8.3; RFC 3986, section 4.1).
struct WebDAVHref {
    /// How many names of the request's folder stand in front; 0 where the href is not relative.
    private let inherited: Int
    private let names: [ArraySlice<UInt8>]

    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")
    private static let percent = UInt8(ascii: "%")

    /// Whether it says nothing but “here”: empty, or `./`.
    let isHere: Bool
    /// Whether it counts from the request's folder.
    let isRelative: Bool

    /// - Parameters:
    ///   - text: An absolute URL, an absolute path, or one relative to the request's URL.
    ///   - folder: How many names the folder has that relative hrefs are counted from; nil where a path that begins
    ///     without a slash counts from the server's root all the same.
    ///   - keepsQuery: Whether a question mark was not encoded and belongs to a name, instead of beginning a query.
    /// - Returns: nil for one that leads out of the server.
    init?(_ text: ArraySlice<UInt8>, folder: Int?, keepsQuery: Bool = false) {
        let path = Self.path(in: text, keepsQuery: keepsQuery)
        var names = path.split(separator: Self.slash)
        let isRelative = path.first != Self.slash && folder != nil
        var inherited = isRelative ? folder ?? 0 : 0
        if isRelative {
            while let first = names.first, first.elementsEqual([Self.dot]) || first.elementsEqual([Self.dot, Self.dot])
            {
                if first.count == 2 { inherited -= 1 }
                names.removeFirst()
            }
        }
        guard inherited >= 0 else { return nil }
        isHere = isRelative && names.isEmpty && inherited == folder
        self.isRelative = isRelative
        self.inherited = inherited
        self.names = names
    }

    /// The part after scheme and host, up to a query. There are no fragments in hrefs: a `#` was not encoded, and
    /// belongs to a name.
    static func path(in text: ArraySlice<UInt8>, keepsQuery: Bool = false) -> ArraySlice<UInt8> {
        var path = text
        if let colon = path.firstIndex(of: UInt8(ascii: ":")), path[colon...].starts(with: "://".utf8),
            path[..<colon].allSatisfy(isOfScheme)
        {
            let rest = path[(colon + 3)...]
            path = rest.firstIndex { $0 == slash || $0 == UInt8(ascii: "?") }.map { rest[$0...] } ?? []
            if path.first != slash { return [slash] }
        }
        return keepsQuery ? path : path.prefix { $0 != UInt8(ascii: "?") }
    }

    /// An href with slashes where the server has encoded these, too: `%2Fdav%2Fname`, `http%3A%2F%2Fhost%2Fname`. No
    /// name can begin with a slash, so that nothing else is meant by one.
    static func withSlashes(_ href: [UInt8]) -> [UInt8] {
        guard !href.contains(slash), isEncodedWhole(href[...]) else { return href }
        var result: [UInt8] = []
        var rest = href[...]
        while let byte = rest.popFirst() {
            let escape = byte == percent ? rest.prefix(2).map { $0 | 0x20 } : []
            let isColon =
                escape == Array("3a".utf8)
                && rest.dropFirst(2).prefix(6).map { $0 | 0x20 } == Array("%2f%2f".utf8).map { $0 | 0x20 }
            if escape == Array("2f".utf8).map({ $0 | 0x20 }) || isColon {
                result.append(isColon ? UInt8(ascii: ":") : slash)
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func isEncodedWhole(_ href: ArraySlice<UInt8>) -> Bool {
        let start = String(decoding: href.prefix(16), as: UTF8.self).lowercased()
        return start.hasPrefix("%2f") || start.hasPrefix("http%3a%2f%2f") || start.hasPrefix("https%3a%2f%2f")
    }

    /// Scheme and host of an absolute URL; nil for any other href.
    static func origin(in href: ArraySlice<UInt8>) -> String? {
        let path = path(in: href)
        guard let start = href.firstIndex(of: slash), href[..<start].last == UInt8(ascii: ":"), path.startIndex > start
        else { return nil }
        return String(validating: href[..<path.startIndex], as: UTF8.self)
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte | 0x20 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }

    /// The names from the server's root down; nil where `encoding` does not fit, or one of them cannot be a name: `.`,
    /// `..`, or with a slash or NUL in it.
    ///
    /// - Parameter folder: The names of the folder that relative hrefs are counted from.
    func decoded(_ encoding: HrefEncoding, in folder: [[UInt8]]) -> [[UInt8]]? {
        var all = Array(folder.prefix(inherited))
        for name in names {
            guard let name = Self.decode(name, encoding), Self.isName(name) else { return nil }
            all.append(name)
        }
        return all
    }

    /// The last name as bytes, if it is one that no item can have: `..`, or with a slash or NUL in it. Nil for any
    /// other.
    ///
    /// - Parameter parent: The names that have to stand before it.
    func unusableName(_ encoding: HrefEncoding, in folder: [[UInt8]], below parent: [[UInt8]]) -> [UInt8]? {
        guard let last = names.last, inherited + names.count == parent.count + 1 else { return nil }
        let before = names.dropLast().compactMap { Self.decode($0, encoding) }
        guard Self.areAlike(folder.prefix(inherited) + before, parent),
            let name = Self.decode(last, encoding) ?? Self.decode(last, .once), !Self.isName(name), name != [Self.dot]
        else { return nil }
        return name
    }

    /// - Returns: nil for what cannot have been encoded so.
    static func decode(_ name: ArraySlice<UInt8>, _ encoding: HrefEncoding) -> [UInt8]? {
        if encoding == .never || !name.contains(percent) { return Array(name) }
        let once = decode(name).bytes
        if encoding == .once { return once }
        let twice = decode(once[...])
        return twice.escapes > 0 && twice.isWellFormed ? twice.bytes : nil
    }

    /// A percent sign that two hexadecimal digits do not follow stays: the server forgot to encode it.
    private static func decode(_ name: ArraySlice<UInt8>) -> (bytes: [UInt8], escapes: Int, isWellFormed: Bool) {
        var decoded: [UInt8] = []
        var escapes = 0
        var isWellFormed = true
        var rest = name
        while let byte = rest.popFirst() {
            if byte == percent, let value = Hexadecimal.byte(rest.prefix(2)) {
                decoded.append(value)
                rest = rest.dropFirst(2)
                escapes += 1
            } else {
                decoded.append(byte)
                if byte == percent { isWellFormed = false }
            }
        }
        return (decoded, escapes, isWellFormed)
    }

    static func isName(_ name: [UInt8]) -> Bool {
        !name.isEmpty && !name.contains(0) && !name.contains(slash) && name != [dot] && name != [dot, dot]
    }

    /// Whether two lists of names are the same but for letter case and the Unicode form of accents.
    static func areAlike(_ one: some Collection<[UInt8]>, _ other: some Collection<[UInt8]>) -> Bool {
        guard one.count == other.count else { return false }
        return zip(one, other).allSatisfy { one, other in
            if one == other { return true }
            guard let one = String(validating: one, as: UTF8.self), let other = String(validating: other, as: UTF8.self)
            else {
                return false
            }
            // Strings are equal when Unicode calls them canonically equivalent.
            return one == other || one.lowercased() == other.lowercased()
        }
    }
}

import Foundation

/// The form of a document, by what it begins with. What the server claims plays no part, because many claim
/// `text/xml`, `application/json` or nothing.
enum CatalogForm {
    /// A JSON object.
    case json
    /// An Atom feed.
    case feed
    /// An Atom entry.
    case entry
    /// An OpenSearch description.
    case openSearch
    /// A web page.
    case webPage
    /// XML with another root, or with one that is too far away.
    case xml
    /// Anything else.
    case unknown

    /// The bytes in which the root element of XML is looked for: 64 KiB.
    private static let searched = 64 << 10

    init(of data: Data) {
        // Without zeros, UTF-16 and UTF-32 look like ASCII.
        let bytes = Array(data.prefix(Self.searched)).filter { $0 != 0 }
        let rest = Self.withoutSpace(bytes[...])
        switch rest.first {
        case UInt8(ascii: "{"): self = .json
        case UInt8(ascii: "<"): self = Self.xml(rest)
        default: self = .unknown
        }
    }

    private static func xml(_ bytes: ArraySlice<UInt8>) -> CatalogForm {
        var rest = bytes
        while rest.first == UInt8(ascii: "<") {
            if rest.starts(with: "<?".utf8) {
                rest = after("?>", in: rest)
            } else if rest.starts(with: "<!--".utf8) {
                rest = after("-->", in: rest)
            } else if rest.starts(with: "<!".utf8) {
                if isHTMLDoctype(rest) { return .webPage }
                rest = afterDoctype(rest)
            } else {
                return form(ofRoot: rest)
            }
            rest = withoutSpace(rest)
        }
        return .xml
    }

    private static func form(ofRoot tag: ArraySlice<UInt8>) -> CatalogForm {
        let name = tag.dropFirst().prefix { !isSpace($0) && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "/") }
        let local = name.split(separator: UInt8(ascii: ":")).last ?? []
        return switch String(decoding: local, as: UTF8.self) {
        case "feed": .feed
        case "entry": .entry
        case "OpenSearchDescription": .openSearch
        case "html", "HTML", "Html": .webPage
        default: .xml
        }
    }

    private static func isHTMLDoctype(_ bytes: ArraySlice<UInt8>) -> Bool {
        String(decoding: bytes.prefix(14), as: UTF8.self).lowercased() == "<!doctype html"
    }

    /// Skips a document type declaration, with declarations in brackets if it has any.
    private static func afterDoctype(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let head = bytes.prefix { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "[") }
        let rest = bytes[head.endIndex...]
        return after(">", in: rest.first == UInt8(ascii: "[") ? after("]", in: rest) : rest)
    }

    /// What follows `mark`; nothing if it is missing.
    private static func after(_ mark: String, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.firstRange(of: Array(mark.utf8)).map { bytes[$0.upperBound...] } ?? []
    }

    /// Skips white space and the bytes of byte order marks.
    private static func withoutSpace(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.drop { isSpace($0) || [0xEF, 0xBB, 0xBF, 0xFE, 0xFF].contains($0) }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

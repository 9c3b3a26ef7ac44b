import Foundation
import MediaTypes

/// A document's bytes in a form in which markup is ASCII, and the conversion back.
struct HTMLForm {
    private enum Encoding {
        case utf8
        /// An encoding that has ASCII's characters at ASCII's places, and uses those bytes for nothing else that is
        /// searched for.
        case extendedASCII
        case utf16(isBigEndian: Bool, hasMark: Bool)
    }

    /// UTF-8 if the document is UTF-16, else its own encoding.
    let bytes: [UInt8]
    let isXML: Bool
    private let encoding: Encoding

    /// By byte order mark, the link's `charset`, the XML declaration, then HTML's `meta`; nil for encodings in which
    /// markup is not ASCII.
    init?(_ document: Data, of link: Link) {
        let bytes = [UInt8](document)
        if let isBigEndian = Self.byteOrder(of: bytes) {
            let hasMark = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
            guard let text = Self.utf16(bytes.dropFirst(hasMark ? 2 : 0), isBigEndian: isBigEndian) else { return nil }
            self.bytes = Array(text.utf8)
            encoding = .utf16(isBigEndian: isBigEndian, hasMark: hasMark)
        } else {
            let name = Self.name(bytes, link)
            let unknown = [
                "utf-16", "utf16", "utf-32", "utf-7", "ucs-", "iso-10646", "iso-2022", "hz-gb", "ebcdic", "cp037",
                "ibm037",
            ]
            if let name, unknown.contains(where: name.hasPrefix) { return nil }
            self.bytes = bytes
            encoding = name.map { ["utf-8", "utf8"].contains($0) } ?? true ? .utf8 : .extendedASCII
        }
        isXML = Self.isXML(self.bytes, link)
    }

    /// Returns `markup` in the encoding of ``bytes``. In encodings other than Unicode's, characters beyond ASCII become
    /// references.
    func spelt(_ markup: String) -> [UInt8] {
        guard case .extendedASCII = encoding else { return Array(markup.utf8) }
        return markup.unicodeScalars.flatMap { $0.isASCII ? [UInt8($0.value)] : Array("&#\($0.value);".utf8) }
    }

    /// Returns the changed `bytes` in the document's encoding.
    func encoded(_ bytes: [UInt8]) -> Data {
        guard case .utf16(let isBigEndian, let hasMark) = encoding else { return Data(bytes) }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2 + 2)
        for unit in (hasMark ? [0xFEFF] : []) + Array(String(decoding: bytes, as: UTF8.self).utf16) {
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            result += isBigEndian ? [high, low] : [low, high]
        }
        return Data(result)
    }

    /// Whether UTF-16 has its high bytes first; nil for other encodings.
    private static func byteOrder(of bytes: [UInt8]) -> Bool? {
        guard bytes.count >= 4 else { return nil }
        if bytes.starts(with: [0xFE, 0xFF]) { return true }
        if bytes.starts(with: [0xFF, 0xFE]) { return bytes[2] == 0 && bytes[3] == 0 ? nil : false }
        let open = UInt8(ascii: "<")
        if bytes[0] == 0, bytes[1] == open { return true }
        return bytes[0] == open && bytes[1] == 0 ? false : nil
    }

    /// Whether a document is XHTML, by its link or its declaration.
    static func isXML(_ document: Data, of link: Link) -> Bool { isXML(Array(document.prefix(64)), link) }

    /// The `charset` of the link's media type.
    static func declaredCharset(of link: Link) -> String? {
        link.type.flatMap { MediaType($0) }?.parameters["charset"]
    }

    /// The encoding of a document of HTML by its IANA name: by byte order mark, the link's `charset`, the XML
    /// declaration or `meta`; nil for UTF-8. What says nothing and is not UTF-8 is Windows-1252, as HTML demands.
    static func encodingName(of document: Data, _ link: Link) -> String? {
        let start = Array(document.prefix(1024))
        if let isBigEndian = byteOrder(of: start) {
            return start[0] >= 0xFE ? "UTF-16" : isBigEndian ? "UTF-16BE" : "UTF-16LE"
        }
        if let name = name(start, link), !name.hasPrefix("utf-16") {
            return name == "iso-8859-1" ? "windows-1252" : name
        }
        return String(validating: document, as: UTF8.self) == nil ? "windows-1252" : nil
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        let units = stride(from: bytes.startIndex, to: bytes.endIndex, by: 2).map { index -> UInt16 in
            let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isBigEndian ? first << 8 | second : second << 8 | first
        }
        return String(validating: units, as: UTF16.self)
    }

    /// Returns the encoding's name in lower case; nil if none is declared, which means UTF-8.
    private static func name(_ bytes: [UInt8], _ link: Link) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return "utf-8" }
        if let charset = link.type.flatMap({ MediaType($0) })?.parameters["charset"] { return charset.lowercased() }
        let start = String(decoding: bytes.prefix(1024), as: UTF8.self).lowercased()
        if start.hasPrefix("<?xml"), let end = start.firstIndex(of: ">") {
            return value(after: "encoding", in: start[..<end])
        }
        return value(after: "charset", in: start[...])
    }

    private static func value(after word: String, in text: Substring) -> String? {
        guard let range = text.range(of: word) else { return nil }
        let rest = text[range.upperBound...].drop { $0.isWhitespace }
        guard rest.first == "=" else { return nil }
        let value = rest.dropFirst().drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
        let name = value.prefix { !$0.isWhitespace && !"\"';/>".contains($0) }
        return name.isEmpty ? nil : String(name)
    }

    /// By the link's type, the address, or the declaration: the table of known types calls both HTML.
    private static func isXML(_ bytes: [UInt8], _ link: Link) -> Bool {
        if link.type?.lowercased().contains("xhtml") == true { return true }
        let href = HREFBase.resource(of: link.href).lowercased()
        if href.hasSuffix(".xhtml") || href.hasSuffix(".xht") { return true }
        let marked = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return marked.starts(with: "<?xml".utf8)
    }
}

/// Bytes of a document replaced by others.
struct HTMLEdit {
    let range: Range<Int>
    let replacement: [UInt8]

    init(_ range: Range<Int>, replacement: [UInt8]) {
        self.range = range
        self.replacement = replacement
    }

    /// Edits at one place keep their order.
    static func apply(_ edits: [HTMLEdit], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var done = 0
        let sorted = edits.enumerated().sorted {
            ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
        }
        for edit in sorted.map(\.element) where edit.range.lowerBound >= done {
            result += bytes[done..<edit.range.lowerBound]
            result += edit.replacement
            done = edit.range.upperBound
        }
        return result + bytes[done...]
    }
}

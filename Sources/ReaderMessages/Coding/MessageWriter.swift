import Foundation

/// Writes the XML of a message, without white space between elements.
struct MessageWriter {
    /// The bytes written so far.
    private(set) var data: Data
    private(set) var elements = 0
    /// The bytes of the longest attribute before escaping.
    private(set) var longestAttribute = 0

    /// Creates an empty message.
    init(withByteOrderMark: Bool) {
        data = withByteOrderMark ? Data([0xEF, 0xBB, 0xBF]) : Data()
        data.append(contentsOf: "<?xml version='1.0' encoding='utf-8'?>\n".utf8)
    }

    /// Writes an element with the content that `contents` writes. Attributes that are `nil` are left out.
    mutating func element(
        _ name: String, _ attributes: [(name: String, value: String?)] = [],
        _ contents: (inout MessageWriter) throws -> Void
    ) rethrows {
        begin(name, attributes)
        data.append(UInt8(ascii: ">"))
        try contents(&self)
        data.append(contentsOf: "</\(name)>".utf8)
    }

    /// Writes an empty element.
    mutating func element(_ name: String, _ attributes: [(name: String, value: String?)]) {
        begin(name, attributes)
        data.append(contentsOf: "/>".utf8)
    }

    /// Writes an element with text.
    mutating func element(_ name: String, _ attributes: [(name: String, value: String?)] = [], text: String) {
        element(name, attributes) { $0.write(text, isAttribute: false) }
    }

    private mutating func begin(_ name: String, _ attributes: [(name: String, value: String?)]) {
        elements += 1
        data.append(contentsOf: "<\(name)".utf8)
        for case (let name, let value?) in attributes {
            data.append(contentsOf: " \(name)='".utf8)
            write(value, isAttribute: true)
            data.append(UInt8(ascii: "'"))
        }
    }

    private mutating func write(_ text: String, isAttribute: Bool) {
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            var growth = 0
            var index = 0
            while index < bytes.count {
                guard let escape = Escape(at: index, in: bytes, isAttribute: isAttribute) else {
                    index += 1
                    continue
                }
                data.append(contentsOf: bytes[start..<index])
                data.append(contentsOf: escape.text.utf8)
                growth += escape.growth
                index += escape.length
                start = index
            }
            data.append(contentsOf: bytes[start...])
            if isAttribute { longestAttribute = max(longestAttribute, bytes.count + growth) }
        }
    }
}

/// The replacement for a character that can't be written as it is.
private struct Escape {
    let text: String
    /// The bytes of the character.
    let length: Int
    /// The additional bytes of the character after it is read again.
    var growth: Int { text == "\u{FFFD}" ? 3 - length : 0 }

    /// Returns `nil` for a character that needs no escape.
    init?(at index: Int, in bytes: UnsafeBufferPointer<UInt8>, isAttribute: Bool) {
        switch bytes[index] {
        case UInt8(ascii: "&"): (text, length) = ("&amp;", 1)
        case UInt8(ascii: "<"): (text, length) = ("&lt;", 1)
        case UInt8(ascii: ">"): (text, length) = ("&gt;", 1)
        case UInt8(ascii: "'") where isAttribute: (text, length) = ("&apos;", 1)
        case UInt8(ascii: "\"") where isAttribute: (text, length) = ("&quot;", 1)
        // Unescaped, a reader would treat them as spaces and line ends.
        case 0x09 where isAttribute: (text, length) = ("&#9;", 1)
        case 0x0A where isAttribute: (text, length) = ("&#10;", 1)
        case 0x0D: (text, length) = ("&#13;", 1)
        case 0x09, 0x0A: return nil
        case 0..<0x20: (text, length) = ("\u{FFFD}", 1)
        // U+FFFE and U+FFFF.
        case 0xEF where bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE: (text, length) = ("\u{FFFD}", 3)
        default: return nil
        }
    }
}

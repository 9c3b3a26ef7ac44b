import Foundation

/// Writes XML in UTF-8. Escapes everything that would be markup, and leaves out the characters that XML 1.0 forbids
/// (section 2.2).
struct MarkupWriter {
    private var bytes: [UInt8] = []

    /// The name and the value of an attribute; one without a value is not written.
    typealias Attribute = (String, String?)

    /// A writer that has written nothing.
    init() {}

    /// A writer of a document.
    static func document() -> MarkupWriter {
        var writer = MarkupWriter()
        writer.bytes += Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
        return writer
    }

    /// What was written.
    var data: Data { Data(bytes) }

    /// What was written.
    var string: String { String(decoding: bytes, as: UTF8.self) }

    /// Writes a start tag. The names are the program's own, or were read from XML.
    mutating func startTag(_ name: String, _ attributes: [Attribute] = []) {
        tag(name, attributes)
        bytes.append(UInt8(ascii: ">"))
    }

    /// Writes an element without content.
    mutating func emptyTag(_ name: String, _ attributes: [Attribute] = []) {
        tag(name, attributes)
        bytes += Array("/>".utf8)
    }

    /// Writes an end tag.
    mutating func endTag(_ name: String) {
        bytes += Array("</".utf8)
        bytes += Array(name.utf8)
        bytes.append(UInt8(ascii: ">"))
    }

    /// Writes text.
    mutating func text(_ text: String) { escape(text, inAttribute: false) }

    /// Writes an element that holds only text.
    mutating func element(_ name: String, _ attributes: [Attribute] = [], text: String) {
        startTag(name, attributes)
        self.text(text)
        endTag(name)
    }

    private mutating func tag(_ name: String, _ attributes: [Attribute]) {
        bytes.append(UInt8(ascii: "<"))
        bytes += Array(name.utf8)
        for (name, value) in attributes {
            guard let value else { continue }
            bytes.append(UInt8(ascii: " "))
            bytes += Array(name.utf8)
            bytes += Array("=\"".utf8)
            escape(value, inAttribute: true)
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private mutating func escape(_ text: String, inAttribute: Bool) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\"") where inAttribute: bytes += Array("&quot;".utf8)
            case 0x0D: bytes += Array("&#13;".utf8)
            // White space in attributes would become spaces (XML 1.0, section 3.3.3).
            case 0x09, 0x0A: bytes += inAttribute ? Array("&#\(byte);".utf8) : [byte]
            case 0..<0x20: continue
            // U+FFFE and U+FFFF: EF BF BE and EF BF BF.
            case 0xBE, 0xBF:
                if bytes.suffix(2).elementsEqual([0xEF, 0xBF]) { bytes.removeLast(2) } else { bytes.append(byte) }
            default: bytes.append(byte)
            }
        }
    }
}

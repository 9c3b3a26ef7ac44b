import Cryptography
import Foundation

/// The page's script that runs in chapters (`Page/frame.js`), as markup.
enum FrameScript {
    /// The text that the script has in the document: the policy allows this text alone.
    static let text = plain(String(decoding: PackageResources.frame_js, as: UTF8.self))
    /// SHA-256 of the text in UTF-8, in base 64 (Content Security Policy Level 3, section 2.3.1, `hash-source`).
    static let hash = Digest(.sha256, of: Data(text.utf8)).base64
    /// The element in HTML, which ends at the end tag and nowhere before.
    static let html = "<script>\(text)</script>"
    /// The element in XHTML, in the right namespace whatever the document's root declares.
    static let xhtml = "<script xmlns=\"http://www.w3.org/1999/xhtml\">\(escaped(text))</script>"

    /// Only ASCII, so that the text is the same in each encoding of a document; lines end as parsers make them end.
    static func plain(_ script: String) -> String {
        let lines = script.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        if lines.utf8.allSatisfy({ $0 < 0x80 }) { return lines }
        return lines.utf16.reduce(into: "") { text, unit in
            if unit < 0x80, let scalar = UnicodeScalar(unit) {
                text.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
    }

    /// Text of an XML element (XML 1.0, section 2.4).
    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

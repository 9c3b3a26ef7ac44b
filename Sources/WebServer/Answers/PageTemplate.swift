/// A text with names in double braces, such as `{{title}}`.
package struct PageTemplate {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// Returns the text with `values`, which are HTML, instead of their names. A name without a value is left out, and a
    /// value is not searched for names.
    package func filled(with values: [String: String]) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            result += rest[..<open.lowerBound]
            rest = rest[open.upperBound...]
            guard let close = rest.firstRange(of: "}}") else { return result + "{{" + rest }
            result += values[String(rest[..<close.lowerBound])] ?? ""
            rest = rest[close.upperBound...]
        }
        return result + rest
    }

    /// Text of an element or an attribute in quotes.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\u{0}"..<"\u{20}", "\u{7F}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns a description, which may have markup, as text on one line.
    package static func plainText(_ html: String) -> String {
        var text = ""
        var isTag = false
        for character in html.unicodeScalars {
            switch character {
            case "<":
                isTag = true
                text += " "
            case ">" where isTag: isTag = false
            default: if !isTag { text.unicodeScalars.append(character) }
            }
        }
        for (reference, sign) in references { text = text.replacing(reference, with: sign) }
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The last one is the ampersand, so that nothing is decoded twice.
    private static let references = [
        ("&nbsp;", " "), ("&#160;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"),
        ("&apos;", "'"), ("&amp;", "&"),
    ]
}

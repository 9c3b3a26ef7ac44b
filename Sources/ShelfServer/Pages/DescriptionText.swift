import SQLiteStorage
import WebServer

/// Descriptions of books, which may have markup, as plain text.
enum DescriptionText {
    /// The most bytes of a description that a page shows.
    static let maxLength = 32 << 10

    /// Returns the paragraphs of a description without their markup. The lines of a description without markup are its
    /// paragraphs.
    ///
    /// - Complexity: Linear.
    static func paragraphs(_ description: String) -> [String] {
        let description = BookText.prefix(description, bytes: maxLength)
        var pieces = [""]
        var hasMarkup = false
        var rest = Substring(description).unicodeScalars
        while let open = rest.firstIndex(of: "<") {
            pieces[pieces.count - 1] += String(rest[..<open])
            rest = rest[rest.index(after: open)...]
            guard let first = rest.first, isTagStart(first) else {
                // A sign, as in “a < b”.
                pieces[pieces.count - 1] += "&lt;"
                continue
            }
            guard let close = rest.firstIndex(of: ">") else {
                pieces[pieces.count - 1] += "&lt;"
                break
            }
            hasMarkup = true
            if isBlock(rest[..<close]) { pieces.append("") }
            rest = rest[rest.index(after: close)...]
        }
        pieces[pieces.count - 1] += String(rest).replacing("<", with: "&lt;")
        if !hasMarkup { pieces = pieces[0].split(whereSeparator: \.isNewline).map(String.init) }
        return pieces.map(PageTemplate.plainText).filter { !$0.isEmpty }
    }

    private static func isTagStart(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "/" || scalar == "!" || scalar.isASCII && scalar.properties.isAlphabetic
    }

    /// - Parameter tag: What is between the angle brackets.
    private static func isBlock(_ tag: Substring.UnicodeScalarView) -> Bool {
        let name = tag.drop { $0 == "/" }.prefix(12).prefix { $0.isASCII && ($0.properties.isAlphabetic || $0.isDigit) }
        return blocks.contains(String(name).lowercased())
    }

    private static let blocks: Set<String> = [
        "address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
        "li", "ol", "p", "pre", "section", "table", "tr", "ul",
    ]
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

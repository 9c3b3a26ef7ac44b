/// The handling of white space in the text and the attributes of a document (XML 1.0, section 2.3, and a form feed).
enum MarkupText {
    /// Without white space at both ends.
    static func trimmed(_ text: String) -> String {
        let bytes = text.utf8
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return first == bytes.startIndex && bytes.index(after: last) == bytes.endIndex
            ? text : String(text[first...last])
    }

    /// Without white space at both ends, and with single spaces in between.
    static func collapsed(_ text: String) -> String {
        text.utf8.split(whereSeparator: isSpace).compactMap { String(Substring($0)) }.joined(separator: " ")
    }

    /// The words of a list that is separated by white space, as attributes hold them.
    static func words(_ text: String?) -> [String] {
        (text ?? "").utf8.split(whereSeparator: isSpace).map { String(Substring($0)) }
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}

/// One line, taken apart.
struct SSHConfigLine {
    let keyword: String
    /// What follows the keyword, without white space around it.
    let rest: ArraySlice<UInt8>

    /// Nil for an empty line and a comment.
    init?(_ line: ArraySlice<UInt8>) {
        var text = line.drop(while: Self.isSpace)
        while let last = text.last, Self.isSpace(last) { text.removeLast() }
        guard let first = text.first, first != UInt8(ascii: "#") else { return nil }
        let word: ArraySlice<UInt8>
        if first == UInt8(ascii: "\"") {
            word = text.dropFirst().prefix { $0 != UInt8(ascii: "\"") }
            text = text.dropFirst(word.count + 2)
        } else {
            word = text.prefix { !Self.isSpace($0) && $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: "\"") }
            text = text.dropFirst(word.count)
        }
        text = text.drop(while: Self.isSpace)
        if text.first == UInt8(ascii: "=") { text = text.dropFirst().drop(while: Self.isSpace) }
        keyword = String(decoding: word, as: UTF8.self).lowercased()
        rest = text
    }

    /// The words behind the keyword; nil where a quote is not closed, or where a byte is 0.
    ///
    /// Quotes of both kinds keep white space, a backslash keeps quotes, itself and, outside of quotes, a space; `#` in front of a word
    /// starts a comment.
    func arguments() -> [String]? {
        var words: [String] = []
        var position = rest.startIndex
        while true {
            while position < rest.endIndex, Self.isSpace(rest[position]) { position += 1 }
            if position == rest.endIndex || rest[position] == UInt8(ascii: "#") { return words }
            guard let word = word(&position) else { return nil }
            words.append(String(decoding: word, as: UTF8.self))
        }
    }

    private func word(_ position: inout Int) -> [UInt8]? {
        var word: [UInt8] = []
        var quote: UInt8?
        while position < rest.endIndex {
            let byte = rest[position]
            if byte == 0 { return nil }
            if byte == UInt8(ascii: "\\"), position + 1 < rest.endIndex, Self.isEscapable(rest[position + 1], isQuoted: quote != nil) {
                word.append(rest[position + 1])
                position += 1
            } else if byte == quote {
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                quote = byte
            } else if quote == nil, Self.isSpace(byte) {
                break
            } else {
                word.append(byte)
            }
            position += 1
        }
        return quote == nil ? word : nil
    }

    private static func isEscapable(_ byte: UInt8, isQuoted: Bool) -> Bool {
        "\"'\\".utf8.contains(byte) || byte == UInt8(ascii: " ") && !isQuoted
    }

    /// Spaces, tabs, and what ends a line on other systems.
    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0C }
}

/// Repairs common faults in the first bytes of real documents.
enum XMLProlog {
    /// Removes white space and byte order marks before the document and writes `<!DOCTYPE` in capitals.
    ///
    /// - Returns: The number of lines that were removed.
    static func repair(_ bytes: inout [UInt8]) -> Int {
        guard bytes.count >= 2 else { return 0 }
        let hasWideMark = bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE])
        if hasWideMark || bytes[0] == 0 || bytes[1] == 0 {
            return removeWideSpace(from: &bytes, after: hasWideMark ? 2 : 0)
        }
        let lines = removeSpaceAndMarks(from: &bytes)
        capitaliseDoctype(in: &bytes)
        return lines
    }

    /// Whether the document declares UTF-16 in plain ASCII: some libraries write this for UTF-8.
    static func isWronglyWide(_ bytes: [UInt8]) -> Bool {
        guard bytes.starts(with: "<?xml".utf8) else { return false }
        let declaration = bytes.prefix(200).prefix { $0 != UInt8(ascii: ">") }
        return String(decoding: declaration, as: UTF8.self).lowercased().contains("utf-16")
    }

    /// For UTF-8 and all encodings that extend ASCII.
    private static func removeSpaceAndMarks(from bytes: inout [UInt8]) -> Int {
        var index = 0
        while index < bytes.count {
            if isSpace(bytes[index]) {
                index += 1
            } else if bytes[index...].starts(with: [0xEF, 0xBB, 0xBF]) {
                index += 3
            } else {
                break
            }
        }
        defer { bytes.removeFirst(index) }
        return bytes[..<index].count { $0 == 0x0A }
    }

    /// For UTF-16, whose byte order mark stays.
    private static func removeWideSpace(from bytes: inout [UInt8], after start: Int) -> Int {
        var index = start
        var lines = 0
        while index + 1 < bytes.count {
            let (first, second) = (bytes[index], bytes[index + 1])
            guard first == 0 && isSpace(second) || second == 0 && isSpace(first) else { break }
            if first | second == 0x0A { lines += 1 }
            index += 2
        }
        bytes.removeSubrange(start..<index)
        return lines
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    /// HTML allows `<!doctype`, and XML does not. Only before the first element.
    private static func capitaliseDoctype(in bytes: inout [UInt8]) {
        let word = Array("DOCTYPE".utf8)
        let open = UInt8(ascii: "<")
        var index = 0
        while let start = bytes[index...].firstIndex(of: open), start + 2 + word.count <= bytes.count {
            index = start + 1
            if bytes[index] == UInt8(ascii: "?") { continue }
            guard bytes[index] == UInt8(ascii: "!") else { return }
            let range = index + 1..<index + 1 + word.count
            if bytes[range].elementsEqual(word, by: { $0 & ~0x20 == $1 }) {
                return bytes.replaceSubrange(range, with: word)
            }
        }
    }
}

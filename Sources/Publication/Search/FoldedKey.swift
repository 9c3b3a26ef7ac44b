/// Makes keys of names and titles: equal for what readers take for the same text, and in an order for lists.
package struct FoldedKey {
    private var folding = TextFolding()

    /// Creates a maker. It remembers the characters that it met, so use one for many texts.
    package init() {}

    /// Returns `text` without case, accents, width and surplus white space.
    package mutating func key(_ text: String) -> String {
        var bytes = folding.fold(text.utf8).bytes
        if bytes.last == 0x20 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a key for sorting: bytewise order puts numbers in the order of their values, and marks in front of the
    /// first letter or digit don't count.
    package mutating func sortingKey(_ text: String) -> String {
        let key = Array(key(text).utf8)
        let start = key.firstIndex { $0 >= 0x80 || Self.isDigit($0) || Self.isLetter($0) } ?? 0
        var result: [UInt8] = []
        result.reserveCapacity(key.count + 8)
        var next = start
        while next < key.count {
            guard Self.isDigit(key[next]) else {
                result.append(key[next])
                next += 1
                continue
            }
            let end = key[next...].firstIndex { !Self.isDigit($0) } ?? key.count
            let digits = key[next..<end].drop { $0 == UInt8(ascii: "0") }
            // Two digits say how many follow, so a longer number comes after a shorter one.
            let count = UInt8(min(digits.count, 99))
            result += [UInt8(ascii: "0") + count / 10, UInt8(ascii: "0") + count % 10]
            result += digits
            next = end
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
}

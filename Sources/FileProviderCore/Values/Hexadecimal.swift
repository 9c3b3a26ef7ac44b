/// Bytes as hexadecimal digits, two for each.
package enum Hexadecimal {
    /// In lower case.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Returns the bytes that `text` encodes; nil if it is empty or has anything but pairs of digits.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            guard let byte = byte(rest.prefix(2)) else { return nil }
            bytes.append(byte)
            rest = rest.dropFirst(2)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns the byte that two digits encode; nil for anything else.
    package static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 2, let high = value(digits[digits.startIndex]),
            let low = value(digits[digits.startIndex + 1])
        else {
            return nil
        }
        return high << 4 | low
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit & 15
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): (digit & 15) + 9
        default: nil
        }
    }
}

import Foundation

// Columns of a line as ranges: nothing is copied before it is needed.
extension Span where Element == UInt8 {
    func bytes(_ range: Range<Int>) -> [UInt8] { extracting(range).withUnsafeBufferPointer { Array($0) } }

    func text(_ range: Range<Int>) -> String {
        extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether `range` is `text`, which is in lower case, ignoring the case of ASCII letters.
    func has(_ text: StaticString, in range: Range<Int>) -> Bool {
        range.count == text.utf8CodeUnitCount && begins(with: text, in: range)
    }

    /// Whether `range` begins with `text`, written in lower case, in any case of ASCII letters.
    func begins(with text: StaticString, in range: Range<Int>) -> Bool {
        guard range.count >= text.utf8CodeUnitCount else { return false }
        for offset in 0..<text.utf8CodeUnitCount
        where self[range.lowerBound + offset].lowercased != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// Whether there are digits in `range`, one at least, and nothing else.
    func isNumber(_ range: Range<Int>) -> Bool {
        for index in range where !self[index].isDigit { return false }
        return !range.isEmpty
    }

    /// Whether there are letters in `range`, of any language as far as UTF-8 is not looked into, and nothing else.
    func isWord(_ range: Range<Int>) -> Bool {
        for index in range
        where self[index] < 0x80 && !(UInt8(ascii: "a")...UInt8(ascii: "z") ~= self[index].lowercased) { return false }
        return true
    }

    /// The value of the digits in `range`; nil where there is anything else, nothing, or more than fits.
    func number(_ range: Range<Int>) -> Int64? {
        guard isNumber(range) else { return nil }
        var value: Int64 = 0
        for index in range {
            let (tenfold, isTooMuch) = value.multipliedReportingOverflow(by: 10)
            let (sum, isOverMuch) = tenfold.addingReportingOverflow(Int64(self[index] - UInt8(ascii: "0")))
            if isTooMuch || isOverMuch { return nil }
            value = sum
        }
        return value
    }

    /// As ``number(_:)``, of `digits` digits at most.
    func small(_ range: Range<Int>, digits: ClosedRange<Int>) -> Int? {
        digits.contains(range.count) ? number(range).map { Int($0) } : nil
    }

    /// The octal digits in `range` as permission bits.
    func permissions(_ range: Range<Int>) -> UInt16? {
        guard (1...8).contains(range.count), isNumber(range) else { return nil }
        var value: UInt32 = 0
        for index in range {
            guard self[index] < UInt8(ascii: "8") else { return nil }
            value = value << 3 | UInt32(self[index] & 7)
        }
        return UInt16(value & 0o7777)
    }

    func first(_ byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }

    /// The first place from `start` on that is neither space nor tab.
    func skippingSpaces(from start: Int) -> Int {
        var position = start
        while position < count, self[position].isSpace { position += 1 }
        return position
    }
}

extension UInt8 {
    var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    var isSpace: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
    /// Of ASCII letters; any other byte as it is.
    var lowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }
}

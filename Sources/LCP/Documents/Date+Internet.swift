import Foundation

extension Date {
    /// Reads a date and time of RFC 3339, section 5.6: `2026-01-31T08:30:00Z`, with a fraction of a second or another
    /// offset, too.
    ///
    /// Nil for anything else, such as a day alone, a time without an offset, 30 February, and the year 0.
    init?(internetText text: String) {
        var reader = DateReader(bytes: Array(text.utf8)[...])
        guard let year = reader.number(4), reader.take("-"), let month = reader.number(2), reader.take("-"),
            let day = reader.number(2), reader.take("Tt "), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), reader.take(":"), let second = reader.number(2),
            let fraction = reader.fraction(), let offset = reader.offset(), reader.bytes.isEmpty,
            let days = DateReader.days(year: year, month: month, day: day),
            // 60 is a leap second: the start of the next minute.
            hour < 24, minute < 60, second <= 60
        else { return nil }
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        self.init(timeIntervalSince1970: Double(seconds) + fraction)
    }

    /// Reads a date of HTTP (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, or one of the two older forms,
    /// `Sunday, 06-Nov-94 08:49:37 GMT` and `Sun Nov  6 08:49:37 1994`.
    ///
    /// Nil for anything else. The day of the week is not compared with the date. Years of two digits are 1970 to 2069.
    init?(httpText text: String) {
        let words = Array(text.split { " ,-".contains($0) }.dropFirst())
        guard words.count == 4 || words.count == 5 && words[4] == "GMT" else { return nil }
        // Day, month, year, time.
        let parts = (words.count == 4 ? [1, 0, 3, 2] : [0, 1, 2, 3]).map { words[$0] }
        var reader = DateReader(bytes: Array(parts[3].utf8)[...])
        guard let day = Int(parts[0]), let month = DateReader.months.firstIndex(of: String(parts[1])),
            let year = Int(parts[2]), (0...9999).contains(year), let hour = reader.number(2), reader.take(":"),
            let minute = reader.number(2), reader.take(":"), let second = reader.number(2), reader.bytes.isEmpty,
            hour < 24, minute < 60, second <= 60,
            let days = DateReader.days(
                year: year >= 100 ? year : year + (year < 70 ? 2000 : 1900), month: month + 1, day: day)
        else { return nil }
        self.init(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }
}

/// Takes the parts of a date from the start of a text.
private struct DateReader {
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    var bytes: ArraySlice<UInt8>

    /// A number of exactly `count` digits.
    mutating func number(_ count: Int) -> Int? {
        let digits = bytes.prefix(count)
        guard digits.count == count, digits.allSatisfy(Self.isDigit) else { return nil }
        bytes = bytes.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 & 15) }
    }

    /// Whether the next character is one of `characters`, which is skipped then.
    mutating func take(_ characters: String) -> Bool {
        guard let byte = bytes.first, characters.utf8.contains(byte) else { return false }
        bytes = bytes.dropFirst()
        return true
    }

    /// A point and digits; 0 without a point.
    mutating func fraction() -> Double? {
        guard take(".") else { return 0 }
        let digits = bytes.prefix(while: Self.isDigit)
        bytes = bytes.dropFirst(digits.count)
        return digits.isEmpty ? nil : Double("0." + String(decoding: digits, as: UTF8.self))
    }

    /// The seconds by which the clock is ahead of UTC: `Z` or hours and minutes.
    mutating func offset() -> Int? {
        if take("Zz") { return 0 }
        let isBehind = bytes.first == UInt8(ascii: "-")
        guard take("+-"), let hours = number(2), take(":"), let minutes = number(2), hours < 24, minutes < 60 else {
            return nil
        }
        return (hours * 3600 + minutes * 60) * (isBehind ? -1 : 1)
    }

    /// The days from 1970-01-01 in the Gregorian calendar; nil for a day that it does not have.
    static func days(year: Int, month: Int, day: Int) -> Int? {
        let isLeapYear = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year > 0, lengths.indices.contains(month - 1), (1...lengths[month - 1]).contains(day) else { return nil }
        let before = year - 1
        let years = before * 365 + before / 4 - before / 100 + before / 400
        // 719,162 days are between 0001-01-01 and 1970-01-01.
        return years + lengths.prefix(month - 1).reduce(0, +) + day - 1 - 719_162
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

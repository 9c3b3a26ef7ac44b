import Foundation

/// Time values of FTP, always in UTC: `YYYYMMDDHHMMSS[.sss]` (RFC 3659, section 2.3).
enum FTPDate {
    /// Reads a time value, with any number of places behind the point; nil for other text, and for days that never
    /// were.
    ///
    /// The year may be a faulty program's `19100` for 2000, and so on up to `19999` for 2899.
    static func parse(_ text: Span<UInt8>, in range: Range<Int>) -> Date? {
        let whole = range.lowerBound..<(text.first(UInt8(ascii: "."), in: range) ?? range.upperBound)
        guard text.isNumber(whole), whole.count == 14 || (whole.count == 15 && text.has("19", in: whole.prefix(2)))
        else { return nil }
        let start = whole.upperBound - 10
        func twoDigits(_ index: Int) -> Int { Int(text.number(start + 2 * index..<start + 2 * index + 2) ?? 0) }
        let year =
            whole.count == 14
            ? text.number(whole.prefix(4)) : text.number(whole.lowerBound + 2..<whole.lowerBound + 5).map { $0 + 1900 }
        guard let year, let day = days(year: Int(year), month: twoDigits(0), day: twoDigits(1)),
            let clock = seconds(hour: twoDigits(2), minute: twoDigits(3), second: twoDigits(4))
        else { return nil }
        var fraction = 0.0
        if whole.upperBound < range.upperBound {
            let indices = whole.upperBound + 1..<range.upperBound
            guard text.isNumber(indices) else { return nil }
            fraction = Double(text.number(indices.prefix(9)) ?? 0) / pow(10, Double(min(9, indices.count)))
        }
        return Date(timeIntervalSince1970: Double(day * 86_400 + clock) + fraction)
    }

    /// As ``parse(_:in:)``, of a whole text.
    static func parse(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        return parse(bytes.span, in: 0..<bytes.count)
    }

    /// Writes a time value, rounded down to seconds or milliseconds; nil outside the years 1 to 9999.
    static func text(_ date: Date, milliseconds: Bool = false) -> String? {
        let time = date.timeIntervalSince1970
        guard time >= -62_135_596_800, time < 253_402_300_800 else { return nil }
        // A little more, for what was read from three decimal places may lie just below them in binary.
        let thousandths = Int((time * 1000 + 0.001).rounded(.down))
        let second = Int((Double(thousandths) / 1000).rounded(.down))
        let day = Int((Double(second) / 86_400).rounded(.down))
        let clock = second - day * 86_400
        let (year, month, dayOfMonth) = civil(day: day)
        func digits(_ number: Int, _ count: Int) -> String { String(String(number + 10_000).suffix(count)) }
        let whole =
            digits(year, 4) + digits(month, 2) + digits(dayOfMonth, 2) + digits(clock / 3600, 2)
            + digits(clock / 60 % 60, 2)
            + digits(clock % 60, 2)
        return milliseconds ? whole + "." + digits(thousandths - second * 1000, 3) : whole
    }

    /// The second of the day; nil where no clock shows that. A leap second is taken for the first of the next minute.
    static func seconds(hour: Int, minute: Int, second: Int) -> Int? {
        guard 0..<24 ~= hour, 0..<60 ~= minute, 0...60 ~= second else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar; nil for a day that is not in it, and outside the years
    /// 1 to 9999. Source: timegm(3).
    static func days(year: Int, month: Int, day: Int) -> Int? {
        guard 1...9999 ~= year, 1...12 ~= month, 1...31 ~= day else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (Int32(year - 1900), Int32(month - 1), Int32(day))
        let seconds = timegm(&parts)
        // 30 February is a day in March by now.
        return Int(parts.tm_mday) == day ? seconds / 86_400 : nil
    }

    /// The inverse of ``days(year:month:day:)``, for days in its range.
    static func civil(day: Int) -> (year: Int, month: Int, day: Int) {
        var (seconds, parts) = (time_t(day * 86_400), tm())
        gmtime_r(&seconds, &parts)
        return (Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday))
    }
}

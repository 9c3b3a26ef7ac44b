import Foundation

/// The text form of `timestamptz` with `DateStyle` ISO. Source: PostgreSQL 15 manual, 8.5.2.
enum PostgresTime {
    /// - Returns: The time, to the microsecond; nil if `text` is none, or lies before the year 1.
    static func date(_ text: String) -> Date? {
        if text == "infinity" { return .distantFuture }
        if text == "-infinity" { return .distantPast }
        // 2026-11-29 19:56:27.123456+05:30
        let halves = text.split(separator: " ", omittingEmptySubsequences: false)
        guard halves.count == 2, let zone = halves[1].lastIndex(where: { $0 == "+" || $0 == "-" }),
            let days = days(halves[0]), let time = seconds(halves[1][..<zone]),
            let offset = seconds(halves[1][halves[1].index(after: zone)...])
        else { return nil }
        let seconds = Double(days) * 86_400 + time - (halves[1][zone] == "-" ? -offset : offset)
        return Date(timeIntervalSince1970: seconds)
    }

    /// Days since 1970 in the Gregorian calendar.
    private static func days(_ text: Substring) -> Int? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { number($0) }
        guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2], 1...12 ~= month,
            1...31 ~= day, 1...294_276 ~= year
        else { return nil }
        // Years that begin in March have the leap day at their end.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    /// Seconds of `hh`, `hh:mm`, `hh:mm:ss` or `hh:mm:ss.ffffff`.
    private static func seconds(_ text: Substring) -> Double? {
        let halves = text.split(separator: ".", omittingEmptySubsequences: false)
        let parts = halves[0].split(separator: ":", omittingEmptySubsequences: false).map { number($0) }
        guard 1...3 ~= parts.count, halves.count <= 2, !parts.contains(nil) else { return nil }
        let whole = zip(parts, [3600, 60, 1]).reduce(0) { $0 + ($1.0 ?? 0) * $1.1 }
        guard halves.count == 2 else { return Double(whole) }
        guard 1...6 ~= halves[1].count, let fraction = number(halves[1]) else { return nil }
        return Double(whole) + Double(fraction) / [10, 100, 1e3, 1e4, 1e5, 1e6][halves[1].count - 1]
    }

    private static func number(_ text: Substring) -> Int? {
        text.isEmpty || text.utf8.contains { !(48...57 ~= $0) } ? nil : Int(text)
    }
}

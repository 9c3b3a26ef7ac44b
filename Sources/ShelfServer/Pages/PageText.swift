import Foundation

/// Numbers and dates as people read them.
enum PageText {
    /// `1 book`, `12,345 books`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `12,345`.
    static func grouped(_ number: Int) -> String {
        var digits = String(number.magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        return (number < 0 ? "−" : "") + ([digits] + groups).joined(separator: ",")
    }

    /// `830 bytes`, `1.2 MB`.
    static func size(_ bytes: Int64) -> String {
        if bytes < 1_000 { return count(Int(bytes), "byte") }
        var value = Double(bytes) / 1_000
        var units = ["kB", "MB", "GB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1_000
            units.removeFirst()
        }
        return "\(rounded(value, isShort: value >= 9.95)) \(units.first ?? "")"
    }

    /// `2`, `2.5`.
    static func number(_ value: Double) -> String? {
        value.isFinite && abs(value) < 1_000_000 ? rounded(value, isShort: false) : nil
    }

    /// Whole, or with one digit behind the point unless it is a zero.
    private static func rounded(_ value: Double, isShort: Bool) -> String {
        if isShort { return String(Int(value.rounded())) }
        let tenths = Int((value.magnitude * 10).rounded())
        let sign = value < 0 && tenths > 0 ? "−" : ""
        return sign + String(tenths / 10) + (tenths % 10 == 0 ? "" : ".\(tenths % 10)")
    }

    /// `3 h 20 min`.
    static func duration(_ seconds: Double) -> String? {
        guard seconds.isFinite, (1...100_000_000).contains(seconds) else { return nil }
        if seconds < 60 { return "\(Int(seconds)) s" }
        let minutes = Int((seconds / 60).rounded())
        if minutes < 60 { return "\(minutes) min" }
        return "\(minutes / 60) h" + (minutes % 60 == 0 ? "" : " \(minutes % 60) min")
    }

    /// A part of a whole in percent, 0 to 100; nil for what is none.
    static func percent(_ part: Double?) -> Int? {
        guard let part, part.isFinite else { return nil }
        return Int((min(max(part, 0), 1) * 100).rounded())
    }

    /// `29 November 2026`, in UTC.
    static func day(_ date: Date) -> String {
        guard let (year, month, day) = parts(of: date) else { return isoDay(date) }
        return "\(day) \(months[month - 1]) \(year)"
    }

    /// As ``day(_:)``. The first of January means the year alone: few books say the day of their publication.
    static func publication(_ date: Date) -> String? {
        let text = isoDay(date)
        // What calibre writes for an unknown day.
        if text == "0101-01-01" { return nil }
        guard let (year, month, day) = parts(of: date) else { return text }
        return month == 1 && day == 1 ? String(year) : self.day(date)
    }

    /// `2026-11-29`, in UTC.
    static func isoDay(_ date: Date) -> String { date.formatted(Date.ISO8601FormatStyle().year().month().day()) }

    private static func parts(of date: Date) -> (year: Int, month: Int, day: Int)? {
        let parts = isoDay(date).split(separator: "-").compactMap { Int($0) }
        guard parts.count == 3, (1...12).contains(parts[1]) else { return nil }
        return (parts[0], parts[1], parts[2])
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
}

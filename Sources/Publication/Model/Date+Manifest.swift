package import Foundation

/// Dates as manifests and packages write them: ISO 8601, whole or cut short.
extension Date {
    /// Reads `2008-10-12T19:32:18Z`, with a fraction of a second or another offset too, `2008-10-12`, `2008-10` or
    /// `2008`. A time without an offset is taken as UTC, a day as its midnight UTC. Milliseconds are kept, as they are
    /// written. A day that the calendar does not have, such as 30 February, is no date.
    package init?(manifestText text: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        let day = text.prefix { $0 != "T" && $0 != " " }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date: Date? =
            if day.count < text.count {
                Self.exists(day) ? (try? style.parse(text)) ?? (try? style.parse(text + "Z")) : nil
            } else {
                Self.day(day)
            }
        guard let date else { return nil }
        self = Date(timeIntervalSinceReferenceDate: date.wholeMilliseconds / 1000)
    }

    private static func day(_ text: Substring) -> Date? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), parts[0].count == 4,
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let full = (parts.map(String.init) + Array(repeating: "01", count: 3 - parts.count)).joined(separator: "-")
        return exists(full[...]) ? try? Date.ISO8601FormatStyle().year().month().day().parse(full) : nil
    }

    /// Whether the Gregorian calendar has the day `YYYY-MM-DD`, which Foundation would make another one of; true for
    /// another form.
    private static func exists(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard parts.count == 3 else { return true }
        let isLeapYear = parts[0].isMultiple(of: 4) && (!parts[0].isMultiple(of: 100) || parts[0].isMultiple(of: 400))
        let lengths = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return lengths.indices.contains(parts[1] - 1) && (1...lengths[parts[1] - 1]).contains(parts[2])
    }

    /// The moment in UTC, with milliseconds where there are any.
    package var manifestText: String {
        let milliseconds = wholeMilliseconds
        let hasFraction = milliseconds.truncatingRemainder(dividingBy: 1000) != 0
        // The style truncates, and the quotient may be slightly too small: a fraction of a millisecond compensates.
        let rounded = Date(timeIntervalSinceReferenceDate: (milliseconds + 0.25) / 1000)
        return rounded.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction))
    }

    private var wholeMilliseconds: Double { (timeIntervalSinceReferenceDate * 1000).rounded() }

    /// The day alone if the moment is midnight UTC, otherwise the moment.
    var manifestDayOrTime: String {
        guard timeIntervalSinceReferenceDate.truncatingRemainder(dividingBy: 86_400) == 0 else { return manifestText }
        return formatted(Date.ISO8601FormatStyle().year().month().day())
    }
}

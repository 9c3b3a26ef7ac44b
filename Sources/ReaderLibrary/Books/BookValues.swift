import Foundation

/// Parses values that a message has as text.
enum BookValues {
    /// calibre's placeholder for an unknown day.
    private static let unknownDay = "0101-01-01"

    /// Returns a decimal number with a dot or a comma; `nil` for anything else, such as `nan` and hexadecimal digits.
    static func decimal(_ text: String) -> Double? {
        let text = text.trimmingCharacters(in: .whitespaces).replacing(",", with: ".")
        guard !text.isEmpty, text.utf8.count <= 40, text.utf8.allSatisfy({ "0123456789.-+eE".utf8.contains($0) }) else {
            return nil
        }
        return Double(text).flatMap { $0.isFinite ? $0 : nil }
    }

    /// Returns `YYYY-MM-DD`, `YYYY-MM` or `YYYY` of a day, or of the start of a full ISO 8601 date, as written, without
    /// converting the time zone; `nil` for anything else.
    static func day(_ text: String) -> String? {
        let day = text.trimmingCharacters(in: .whitespaces).prefix { $0 != "T" && $0 != " " }
        let parts = day.split(separator: "-", omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count), parts[0].utf8.count == 4,
            parts.dropFirst().allSatisfy({ $0.utf8.count == 2 }),
            parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        if numbers.count > 1, !(1...12).contains(numbers[1]) { return nil }
        if numbers.count > 2, !(1...days(in: numbers[1], of: numbers[0])).contains(numbers[2]) { return nil }
        return String(day)
    }

    /// Whether `day` is the placeholder for an unknown day.
    static func isUnknown(_ day: String) -> Bool { day == unknownDay }

    /// Returns the day of a date in UTC.
    static func day(_ date: Date) -> String? {
        let text = date.formatted(Date.ISO8601FormatStyle().year().month().day())
        return day(text).flatMap { isUnknown($0) ? nil : $0 }
    }

    private static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Whether `text` has the form of a uuid: 32 hexadecimal digits in groups of 8, 4, 4, 4 and 12.
    static func isUUID(_ text: String) -> Bool { text.utf8.count == 36 && UUID(uuidString: text) != nil }
}

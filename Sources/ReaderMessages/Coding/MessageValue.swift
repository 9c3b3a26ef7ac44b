import Foundation

/// Parses single values of messages. White space around them is ignored.
package enum MessageValue {
    /// Parses `yes` or `true`, `no` or `false`, in any case; returns `nil` for anything else.
    static func flag(_ text: String) -> Bool? {
        switch trimmed(text).lowercased() {
        case "yes", "true": true
        case "no", "false": false
        default: nil
        }
    }

    /// Returns a decimal number with a dot, or an empty text; `nil` for anything else.
    static func decimal(_ text: String) -> String? {
        let text = trimmed(text).replacing(",", with: ".")
        return text.isEmpty || MessageNumber.decimal(text) != nil ? text : nil
    }

    /// Returns a number from 0 to 5, or an empty text; `nil` for anything else.
    static func rating(_ text: String) -> String? {
        guard let text = decimal(text) else { return nil }
        return text.isEmpty || MessageNumber.decimal(text).map((0...5).contains) == true ? text : nil
    }

    /// Returns a whole number of at least 0; `nil` for anything else.
    static func count(_ text: String) -> Int? {
        MessageNumber.decimal(text).flatMap(Int.init(exactly:)).flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Returns `YYYY-MM-DD` for a day, also with a time after it, which is dropped, or for the first day of a month or
    /// a year; an empty text for an empty text; `nil` for anything else.
    package static func day(_ text: String) -> String? {
        let text = trimmed(text)
        guard !text.isEmpty else { return "" }
        let parts = text.prefix { $0 != "T" && $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.count <= 4 && part.allSatisfy { $0.isASCII && $0.isWholeNumber } ? Int(part) : nil
        }
        // A year alone needs four digits; in a full date, known drivers omit leading zeros.
        guard numbers.count == parts.count,
            numbers.count == 3 || (1...2).contains(numbers.count) && parts[0].utf8.count == 4
        else {
            return nil
        }
        let (year, month, day) = (numbers[0], numbers.count > 1 ? numbers[1] : 1, numbers.count > 2 ? numbers[2] : 1)
        guard year >= 1, (1...12).contains(month), (1...days(of: month, in: year)).contains(day) else { return nil }
        return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
    }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func padded(_ number: Int, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    static func trimmed(_ text: String) -> String { text.trimmingCharacters(in: .whitespacesAndNewlines) }
}

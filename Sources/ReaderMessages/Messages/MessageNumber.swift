import Foundation

/// Parses and formats numbers in messages: decimal, with a dot, without the other forms that `Double` accepts (`nan`,
/// `inf`, hexadecimal).
package enum MessageNumber {
    /// Returns the number in `text`, or `nil` if it is not one. A comma counts as a dot; white space around it is
    /// ignored.
    package static func decimal(_ text: String) -> Double? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines).replacing(",", with: ".")
        guard !text.isEmpty, text.utf8.count <= 40, text.utf8.allSatisfy({ "0123456789.-+eE".utf8.contains($0) }) else {
            return nil
        }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Returns a timestamp between 1970 and the year 9999, or `nil` for anything else.
    static func timestamp(_ text: String) -> Double? {
        decimal(text).flatMap { (0..<253_402_300_800).contains($0) ? $0 : nil }
    }

    /// Returns `value` with a dot and one to six digits after it, never with an exponent.
    package static func text(_ value: Double) -> String {
        var text = String(format: "%.6f", locale: Locale(identifier: "en_US_POSIX"), value)
        while text.hasSuffix("0"), !text.hasSuffix(".0") { text.removeLast() }
        return text
    }

    /// Returns `value` as it is after writing and reading it.
    static func rounded(_ value: Double) -> Double { Double(text(value)) ?? value }
}

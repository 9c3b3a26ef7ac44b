import Foundation

/// Numbers as messages write them: decimal, with a dot, without what `Double` reads beyond that (`nan`, `inf`,
/// hexadecimal).
package enum MessageNumber {
    /// The number in `text`; a comma counts as a dot, white space around it means nothing. Nil for anything else.
    package static func decimal(_ text: String) -> Double? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines).replacing(",", with: ".")
        guard !text.isEmpty, text.utf8.count <= 40, text.utf8.allSatisfy({ "0123456789.-+eE".utf8.contains($0) }) else {
            return nil
        }
        guard let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// A timestamp between 1970 and the year 9999; nil for anything else, which counts as none.
    static func timestamp(_ text: String) -> Double? {
        decimal(text).flatMap { (0..<253_402_300_800).contains($0) ? $0 : nil }
    }

    /// `value` with a dot and one to six digits behind it, never with an exponent.
    package static func text(_ value: Double) -> String {
        var text = String(format: "%.6f", locale: Locale(identifier: "en_US_POSIX"), value)
        while text.hasSuffix("0"), !text.hasSuffix(".0") { text.removeLast() }
        return text
    }

    /// `value` as it is when it has been written and read.
    static func rounded(_ value: Double) -> Double { Double(text(value)) ?? value }
}

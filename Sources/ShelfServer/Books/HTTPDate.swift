import Foundation

/// Dates in header fields (RFC 9110, section 5.6.7).
enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns `Sun, 06 Nov 1994 08:49:37 GMT`. Years are 0001 to 9999.
    static func text(_ date: Date) -> String {
        let limits = -62_135_596_800.0...253_402_300_799.0
        let seconds = Int(min(max(date.timeIntervalSince1970, limits.lowerBound), limits.upperBound).rounded(.down))
        let day = seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400
        let time = seconds - day * 86_400
        // Days since 1 March of the year 0, in years that begin in March and eras of 400 years.
        let shifted = day + 719_468
        let era = shifted / 146_097
        let ofEra = shifted - era * 146_097
        let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * year + year / 4 - year / 100)
        let month = (5 * ofYear + 2) / 153
        let dayOfMonth = ofYear - (153 * month + 2) / 5 + 1
        let number = month < 10 ? month + 2 : month - 10
        let weekday = ((day % 7) + 7) % 7
        let fullYear = era * 400 + year + (number < 2 ? 1 : 0)
        return "\(days[weekday]), \(padded(dayOfMonth, 2)) \(months[number]) \(padded(fullYear, 4)) "
            + "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)) GMT"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }
}

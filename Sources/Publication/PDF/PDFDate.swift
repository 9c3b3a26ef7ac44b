import Foundation

extension Date {
    /// Reads a date as PDF writes it, `D:YYYYMMDDHHmmSSOHH'mm'` (ISO 32000-1, section 7.9.4); everything after the year
    /// may be missing.
    ///
    /// A time without an offset is taken as UTC. Other texts are read in the form of manifests, which some writers use.
    init?(pdfText text: String) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines.union(.controlCharacters))
        let bare = text.hasPrefix("D:") ? text.dropFirst(2) : Substring(text)
        let digits = bare.prefix { ("0"..."9").contains($0) }
        let rest = bare[digits.endIndex...]
        // After a bare year, the rest is not an offset but the month of another form.
        guard digits.count >= 8 || rest.isEmpty, let date = Self.date(digits), let offset = Self.offset(rest) else {
            self.init(manifestText: text)
            return
        }
        self = date.addingTimeInterval(-offset)
    }

    /// Parses year, month, day, hour, minute and second, of which the last may be missing, in UTC.
    private static func date(_ digits: Substring) -> Date? {
        guard digits.utf8.count == digits.count, digits.count <= 14, digits.count % 2 == 0, digits.count >= 4 else {
            return nil
        }
        let year = Int(digits.prefix(4)) ?? 0
        let rest = Array(digits.utf8.dropFirst(4)).map { Int($0) - 0x30 }
        func part(_ index: Int, _ range: ClosedRange<Int>) -> Int? {
            guard 2 * index + 1 < rest.count else { return range.lowerBound }
            let value = 10 * rest[2 * index] + rest[2 * index + 1]
            return range.contains(value) ? value : nil
        }
        guard (1...9999).contains(year), let month = part(0, 1...12), let day = part(1, 1...31),
            let hour = part(2, 0...23),
            let minute = part(3, 0...59), let second = part(4, 0...59)
        else { return nil }
        let parts = DateComponents(
            timeZone: TimeZone(secondsFromGMT: 0), year: year, month: month, day: day, hour: hour, minute: minute,
            second: second)
        let calendar = Calendar(identifier: .gregorian)
        return parts.isValidDate(in: calendar) ? calendar.date(from: parts) : nil
    }

    /// Seconds east of UTC: `Z`, nothing, or a sign with hours and minutes, each followed by an apostrophe or not.
    private static func offset(_ text: Substring) -> Double? {
        guard let sign = text.first, sign != "Z" else { return 0 }
        guard sign == "+" || sign == "-" else { return nil }
        let digits = text.dropFirst().compactMap(\.wholeNumberValue)
        guard digits.count == 2 || digits.count == 4 else { return nil }
        let hours = digits[0] * 10 + digits[1]
        let minutes = digits.count == 4 ? digits[2] * 10 + digits[3] : 0
        guard hours < 24, minutes < 60 else { return nil }
        let seconds = Double(hours * 3600 + minutes * 60)
        return sign == "-" ? -seconds : seconds
    }
}

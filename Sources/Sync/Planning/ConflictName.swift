import FileProviderCore
import Foundation

/// Makes names for the version that loses its name in a conflict. They contain the time and the side's label.
enum ConflictName {
    /// Returns `report (conflict 2026-11-23 02.45.10 LABEL).txt`, with the time in UTC, shortened to `maxLength` bytes.
    ///
    /// - Parameter number: 2 or more if the previous name is taken.
    static func make(for path: ProviderPath, label: String, date: Date, maxLength: Int, number: Int = 1) throws
        -> ProviderPath
    {
        let name = Array(path.nameBytes)
        let dot =
            name.lastIndex(of: UInt8(ascii: ".")).flatMap { $0 == 0 || name.count - $0 > 16 ? nil : $0 }
            ?? name.endIndex
        let words = ["conflict", date.formatted(style), label, number == 1 ? "" : "\(number)"].filter { !$0.isEmpty }
        let mark = Array(" (\(words.joined(separator: " ")))".utf8)
        var stem = name[..<dot]
        while !stem.isEmpty, stem.count + mark.count + (name.count - dot) > maxLength {
            // Removes a whole character if the name is UTF-8.
            while let last = stem.popLast(), last & 0xC0 == 0x80 {}
        }
        return try (path.parent ?? .root).appending(nameBytes: stem + mark + name[dot...])
    }

    private static let style = Date.VerbatimFormatStyle(
        format: """
            \(year: .defaultDigits)-\(month: .twoDigits)-\(day: .twoDigits) \
            \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)).\(minute: .twoDigits).\(second: .twoDigits)
            """,
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
}

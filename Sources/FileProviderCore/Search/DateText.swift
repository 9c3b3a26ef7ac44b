package import Foundation

/// Dates as people and scripts write them in a query.
package enum DateText {
    /// Reads RFC 3339 (`2026-01-31T08:30:00Z`, with a fraction or `+02:00`), or a day alone, which begins at midnight
    /// UTC; nil for others.
    package static func parse(_ text: String) -> Date? {
        // Foundation's style accepts 30 February, and anything behind a date.
        let form =
            #/([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2}))?/#
        guard text.utf8.count <= 40, let match = text.wholeMatch(of: form)?.output,
            let day = try? Date("\(match.1)T00:00:00Z", strategy: Date.ISO8601FormatStyle()),
            day.formatted(Date.ISO8601FormatStyle().year().month().day()) == match.1
        else { return nil }
        guard let hours = match.2.flatMap({ Int($0) }), let minutes = match.3.flatMap({ Int($0) }),
            let seconds = match.4.flatMap({ Int($0) }), let zone = match.6
        else { return day }
        guard hours < 24, minutes < 60, seconds <= 60, let shift = Self.shift(zone) else { return nil }
        let fraction = match.5.flatMap { Double("0\($0)") } ?? 0
        return day.addingTimeInterval(Double((hours * 60 + minutes) * 60 + seconds - shift) + fraction)
    }

    /// Seconds east of Greenwich.
    private static func shift(_ zone: Substring) -> Int? {
        if zone.count == 1 { return 0 }
        guard let hours = Int(zone.dropFirst().prefix(2)), let minutes = Int(zone.suffix(2)), hours < 24, minutes < 60
        else { return nil }
        return (hours * 60 + minutes) * (zone.first == "-" ? -60 : 60)
    }
}

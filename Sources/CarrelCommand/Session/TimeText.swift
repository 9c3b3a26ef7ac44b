/// Lengths of time as the user writes them.
enum TimeText {
    private static let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800]

    /// Returns the seconds of `90s`, `15m`, `1.5h`, `2d` or `1w`; `nil` for another form, and for more than a million
    /// of a unit.
    static func seconds(_ text: String) -> Double? {
        guard let unit = text.last.flatMap({ units[$0] }), let number = Double(text.dropLast()),
            (0...1e6).contains(number)
        else { return nil }
        return number * unit
    }
}

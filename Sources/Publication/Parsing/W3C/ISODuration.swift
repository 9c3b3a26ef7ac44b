/// Durations of ISO 8601, such as `PT1H2M3.5S`, as W3C audiobooks have them.
enum ISODuration {
    /// Returns seconds; nil for anything else, for an empty duration, and for years and months, whose length varies.
    ///
    /// A bare number counts as seconds.
    static func seconds(_ json: JSONValue) -> Double? {
        if let number = json.positiveNumber { return number }
        return json.stringValue.flatMap { seconds($0) }
    }

    static func seconds(_ text: String) -> Double? {
        var rest = Substring(MarkupText.trimmed(text))
        guard rest.popFirst() == "P" else { return nil }
        var units: [(Character, Double)] = [("W", 604_800), ("D", 86_400)]
        var (total, isTime) = (0.0, false)
        while let first = rest.first {
            if first == "T" {
                guard !isTime else { return nil }
                isTime = true
                units = [("H", 3_600), ("M", 60), ("S", 1)]
                rest = rest.dropFirst()
            }
            let digits = rest.prefix { ("0"..."9").contains($0) || $0 == "." || $0 == "," }
            rest = rest[digits.endIndex...]
            guard let number = Double(digits.replacing(",", with: ".")), let unit = rest.popFirst(),
                let index = units.firstIndex(where: { $0.0 == unit })
            else { return nil }
            total += number * units[index].1
            units.removeFirst(index + 1)
        }
        return total > 0 && total.isFinite ? total : nil
    }
}

/// Clock values of media overlays (EPUB 3.3, section 9.3.2.5; SMIL 3.0, clock values).
enum MediaClock {
    /// Returns the seconds of `1:02:03.5`, `02:03`, `1.5h`, `90min`, `45s`, `500ms` or `45`, also with SMIL 1.0's
    /// prefix `npt=`; nil for anything else.
    static func seconds(_ text: String) -> Double? {
        let trimmed = MarkupText.trimmed(text)
        let text = trimmed.hasPrefix("npt=") ? String(trimmed.dropFirst(4)) : trimmed
        guard
            text.utf8.allSatisfy({
                $0 == 0x2E || $0 == 0x3A || (0x30...0x39).contains($0) || (0x61...0x7A).contains($0)
            })
        else {
            return nil
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count > 1 else { return count(text) }
        let numbers = parts.compactMap { Double($0) }
        guard numbers.count == parts.count, numbers.count <= 3 else { return nil }
        return finite(numbers.reduce(0) { $0 * 60 + $1 })
    }

    private static let units: [(String, Double)] = [("ms", 0.001), ("min", 60), ("h", 3600), ("s", 1)]

    private static func count(_ text: String) -> Double? {
        for (unit, factor) in units where text.hasSuffix(unit) {
            return Double(text.dropLast(unit.count)).flatMap { finite($0 * factor) }
        }
        return Double(text).flatMap(finite)
    }

    private static func finite(_ seconds: Double) -> Double? { seconds.isFinite ? seconds : nil }
}

extension Conformance.Report: Encodable {
    private enum CodingKeys: String, CodingKey {
        case passed
        case failed
        case known
        case skipped
    }

    /// An entry, and the name of its sentence.
    private struct Line: Encodable {
        var id: String
        var behaviour: String
        var sentence: String?
        var reason: String?
    }

    /// Writes
    /// `{"passed":n,"failed":[{"id":…,"behaviour":…,"sentence":…}],"skipped":[{"id":…,"behaviour":…,"reason":…}]}` and,
    /// if a list of known failures was given, `"known"` in the form of `"skipped"`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(passed.count, forKey: .passed)
        try container.encode(
            violations.map { Line(id: $0.id, behaviour: $0.behaviour, sentence: $0.sentence) }, forKey: .failed)
        if hasKnownList { try container.encode(known.map(reason), forKey: .known) }
        try container.encode(skipped.map(reason), forKey: .skipped)
    }

    private func reason(_ entry: Entry) -> Line {
        Line(id: entry.id, behaviour: entry.behaviour, reason: entry.sentence)
    }
}

extension Conformance.Report: CustomStringConvertible {
    /// A line or two for each violation, known failure, refused name and skipped behaviour, then the counts.
    public var description: String {
        let lines =
            violations.map { "✗ \($0.id)\n    \($0.sentence)" } + known.map { "! \($0.id) (known: \($0.sentence))" }
            + refused.map { "· \($0.id) (refused: \($0.sentence))" }
            + skipped.map { "– \($0.id) (skipped: \($0.sentence))" }
        let counts = [
            "\(passed.count) passed", "\(violations.count) failed", hasKnownList ? "\(known.count) known" : nil,
            "\(skipped.count) skipped",
        ]
        return (lines + [counts.compactMap { $0 }.joined(separator: ", ")]).joined(separator: "\n")
    }
}

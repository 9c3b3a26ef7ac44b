extension Conformance {
    /// What a run of the kit found.
    ///
    /// As JSON it is `{"passed":n,"failed":[{"behaviour":…,"sentence":…}],"skipped":[{"behaviour":…,"reason":…}]}`.
    public struct Report: Sendable {
        /// A promise that was not kept.
        public struct Violation: Sendable, Hashable, Codable {
            /// The behaviour's name.
            public let behaviour: String
            /// What was expected and what happened.
            public let sentence: String
        }

        /// A behaviour that was not tried.
        public struct Skip: Sendable, Hashable, Codable {
            /// The behaviour's name.
            public let behaviour: String
            /// The ability that is missing, or what else was in the way.
            public let reason: String
        }

        /// The names of the behaviours that held; empty in a report read from JSON, which has their number alone.
        public private(set) var passed: [String] = []
        /// How many behaviours held.
        public private(set) var passedCount = 0
        /// What did not hold, in the order of the run.
        public private(set) var violations: [Violation] = []
        /// What was not tried, in the order of the run.
        public private(set) var skipped: [Skip] = []

        /// Whether nothing was violated.
        public var isConforming: Bool { violations.isEmpty }

        init() {}

        mutating func add(_ result: Result<Void, any Error>, of behaviour: String) {
            switch result {
            case .success:
                passed.append(behaviour)
                passedCount += 1
            case .failure(let skip as Skipped): skipped.append(Skip(behaviour: behaviour, reason: skip.reason))
            case .failure(let unmet as Unmet): violations.append(Violation(behaviour: behaviour, sentence: unmet.sentence))
            case .failure(let error):
                violations.append(Violation(behaviour: behaviour, sentence: "Expected success, but it failed: \(describe(error))"))
            }
        }

        mutating func skip(_ behaviour: String, reason: String) { skipped.append(Skip(behaviour: behaviour, reason: reason)) }
    }
}

extension Conformance.Report: Codable {
    private enum CodingKeys: String, CodingKey {
        case passed
        case failed
        case skipped
    }

    /// Reads the form that ``encode(to:)`` writes.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        passedCount = try container.decode(Int.self, forKey: .passed)
        violations = try container.decode([Violation].self, forKey: .failed)
        skipped = try container.decode([Skip].self, forKey: .skipped)
    }

    /// Writes the number of behaviours that held, and the violations and skipped behaviours in full.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(passedCount, forKey: .passed)
        try container.encode(violations, forKey: .failed)
        try container.encode(skipped, forKey: .skipped)
    }
}

extension Conformance.Report: CustomStringConvertible {
    /// One line for each violation and each skipped behaviour, then the counts.
    public var description: String {
        let lines =
            violations.map { "✗ \($0.behaviour)\n    \($0.sentence)" } + skipped.map { "– \($0.behaviour) (skipped: \($0.reason))" }
            + ["\(passedCount) passed, \(violations.count) failed, \(skipped.count) skipped"]
        return lines.joined(separator: "\n")
    }
}

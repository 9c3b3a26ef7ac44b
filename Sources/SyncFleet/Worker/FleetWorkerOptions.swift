import FileProviderCore

/// Options of a worker. All times are in seconds.
public struct FleetWorkerOptions: Codable, Sendable, Hashable {
    /// The most pairs that are in work at once.
    public var runsAtOnce = 4
    /// The time after which other workers take the pairs of a worker that is dead. It must be the same for all workers
    /// of a fleet. A lease is renewed each third of it, and after two thirds without a renewal the worker ends the run.
    public var leaseTime: Double = 30
    /// The longest time that stopping takes. Steps in work have two thirds of it; the rest is for publishing states and
    /// giving leases back.
    public var grace: Double = 20
    /// The pause after a pair's first failure. It doubles with each further one, and varies by a quarter so that many
    /// pairs do not return at the same moment.
    public var firstPause: Double = 5
    /// The longest pause between two tries.
    public var longestPause: Double = 3600

    /// The default options.
    public init() {}

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case runsAtOnce, leaseTime, grace, firstPause, longestPause
    }

    /// Decodes options. Missing keys have their default values; unknown keys are an error.
    ///
    /// - Throws: `DecodingError` whose debug description is a sentence.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(ofKnown: CodingKeys.self, in: "a worker's options")
        func read<Value: Decodable & Comparable>(_ key: CodingKeys, _ range: ClosedRange<Value>) throws -> Value? {
            guard let value = try values.decodeIfPresent(Value.self, forKey: key) else { return nil }
            if range.contains(value) { return value }
            throw DecodingError.dataCorruptedError(
                forKey: key, in: values,
                debugDescription:
                    "“\(key.stringValue)” must be between \(range.lowerBound) and \(range.upperBound).")
        }
        runsAtOnce = try read(.runsAtOnce, 1...10_000) ?? runsAtOnce
        leaseTime = try read(.leaseTime, 1...86_400) ?? leaseTime
        grace = try read(.grace, 0...86_400) ?? grace
        firstPause = try read(.firstPause, 0.001...1e7) ?? firstPause
        longestPause = try read(.longestPause, 0.001...1e7) ?? longestPause
    }

    /// Returns the seconds until the next try after `failures` failures in a row, or longer if the server asked for it.
    func pause(after failures: Int, error: (any Error)?, jitter: Double = .random(in: 0.75...1.25)) -> Double {
        let pause = min(longestPause, firstPause * Double(1 << min(max(0, failures - 1), 30)))
        let asked = (error as? any RetryAfterError)?.retryAfter ?? 0
        return min(longestPause, max(asked, pause * jitter))
    }

    /// The time of a lease, at least a tenth of a second: options made in code are not checked.
    var lease: Duration { max(.milliseconds(100), .clamped(seconds: leaseTime)) }
    /// The time after the last renewal during which a run may go on.
    var ownTime: Duration { lease * 2 / 3 }
}

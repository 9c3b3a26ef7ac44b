/// What the database learns at the end of a run.
struct FleetRelease: Sendable {
    /// `success`, `refused`, `stopped` …; `failed`, `incomplete` and `deadline` count as failures.
    var outcome: String
    /// Seconds until the pair is due again.
    var delay: Double
    /// The gate to close for a while.
    var gate: String?
    /// Seconds for which the gate closes at its first failure; doubled at each further one in a row, up to an hour.
    var gateDelay: Double
    /// The steps that changed something.
    var changes: Int
    /// The bytes transferred.
    var bytes: Int64
    /// Whether the pair's state knows all that the run did; `nil` if it did nothing.
    var isSettled: Bool?
    /// One sentence without secrets.
    var error: String?
}

public import Sync

/// The end of a pair's run.
public struct FleetRunResult: Sendable {
    /// The outcome.
    public var outcome: FleetOutcome
    /// The report of a run that finished.
    public var report: FolderSyncReport?
    /// The error that ended the run, or that kept its state from being published.
    public var error: (any Error)?
    /// The number of steps that changed something on either side.
    public var changes = 0
    /// The number of bytes transferred.
    public var bytes: Int64 = 0
    /// The seconds until the pair is due again.
    public var delay: Double = 0
    /// Whether a new state was uploaded.
    public var hasNewState = false

    /// Whether ``error`` is one of the states or of this worker's disk, which says nothing about the pair's owner and hosts.
    var isOfStates = false

    init(_ outcome: FleetOutcome) { self.outcome = outcome }

    /// Notes the error of a run.
    mutating func fail(_ error: any Error) {
        let failure = error as? StateFailure
        (self.error, isOfStates) = (failure?.underlying ?? error, failure != nil)
    }
}

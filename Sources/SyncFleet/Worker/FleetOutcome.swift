/// The outcome of a pair's run in a fleet.
public enum FleetOutcome: String, Codable, CodingKeyRepresentable, Sendable, Hashable, CaseIterable {
    /// Both folders are in step.
    case success
    /// The run finished, but some items failed or kept changing. It is tried again after a back-off.
    case incomplete
    /// The run was refused because it would have removed too much. It needs attention; the next one is at the usual
    /// time.
    case refused
    /// The run took longer than the pair's deadline and was ended. What it did is recorded.
    case deadline
    /// An error ended the run. It is tried again after a back-off.
    case failed
    /// The worker stopped. What the run did is recorded, and the pair is due at once.
    case stopped
    /// The worker lost the lease. What the run did is not recorded; the next run finds it.
    case lost
}

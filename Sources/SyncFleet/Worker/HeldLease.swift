import FileProviderCore
import Sync

/// A lease that this worker holds, and the stage of its run.
final class HeldLease: Sendable {
    /// The stages of a run, in their order.
    enum Stage: Int, Sendable {
        /// Fetching the state and syncing.
        case work
        /// Publishing the state.
        case publishing
        /// Giving the lease back.
        case releasing
    }

    /// The reason to end a run early. A later one in this list replaces an earlier one.
    enum Ending: Int, Sendable {
        /// The worker stops.
        case stopping
        /// The run took too long.
        case deadline
        /// The worker's grace is over.
        case over
        /// The lease is lost.
        case lost

        /// Whether the reason ends a stage.
        func ends(_ stage: Stage) -> Bool {
            switch self {
            case .stopping, .deadline: stage == .work
            case .over: true
            // Another worker may have the pair, and the queue refuses to release it; trying does no harm.
            case .lost: stage != .releasing
            }
        }
    }

    private struct State: Sendable {
        var renewed: ContinuousClock.Instant
        var ending: Ending?
        var stage: (Stage, cancel: @Sendable () -> Void)?
    }

    let lease: FleetLease
    let control = SyncControl()
    private let state: LockedValue<State>

    /// - Parameter claimed: A time before the claim was sent.
    init(_ lease: FleetLease, claimed: ContinuousClock.Instant) {
        self.lease = lease
        state = LockedValue(State(renewed: claimed))
    }

    /// A time before the last successful renewal was sent.
    var renewed: ContinuousClock.Instant { state.value.renewed }

    /// The reason why the run ends early, or `nil`.
    var ending: Ending? { state.value.ending }

    /// Notes a renewal.
    ///
    /// - Parameter sent: A time before it was sent.
    func renew(_ sent: ContinuousClock.Instant) { state.update { $0.renewed = max($0.renewed, sent) } }

    /// Ends the run early: cancels its stage, and later ones that the reason ends.
    ///
    /// - Returns: Whether the reason is new.
    @discardableResult
    func end(_ ending: Ending) -> Bool {
        let (isNew, cancel) = state.update { state -> (Bool, (@Sendable () -> Void)?) in
            if let known = state.ending, known.rawValue >= ending.rawValue { return (false, nil) }
            state.ending = ending
            guard let (stage, cancel) = state.stage, ending.ends(stage) else { return (true, nil) }
            return (true, cancel)
        }
        cancel?()
        return isNew
    }

    /// Runs a stage in a separate task, which ``end(_:)`` cancels.
    func run<Value: Sendable>(_ stage: Stage, _ body: @escaping @Sendable () async throws -> Value) async throws
        -> Value
    {
        let task = Task(operation: body)
        let isOver = state.update { state in
            state.stage = (stage, { task.cancel() })
            return state.ending?.ends(stage) ?? false
        }
        if isOver { task.cancel() }
        let result = await task.result
        state.update { $0.stage = nil }
        return try result.get()
    }
}

/// The outcome of a pair's runs, as stored in the state.
enum RunHistory: Int, Sendable {
    /// No run has begun its steps.
    case none = 0
    /// The last run to begin its steps was a mirror, and at least one run has finished before or since.
    case mirror = 1
    /// The last run that finished was two-way.
    case twoWay = 2
    /// No run has finished, and one of them was a mirror.
    case mirrorBroken = 3
    /// No run has finished, and all were two-way.
    case twoWayBroken = 4

    /// Whether any run has finished.
    var hasEnded: Bool { self == .mirror || self == .twoWay }

    /// The direction of the last run; `nil` if no run finished and none was a mirror.
    var lastDirection: SyncOptions.Direction? {
        switch self {
        case .mirror, .mirrorBroken: .mirror
        case .twoWay: .twoWay
        case .none, .twoWayBroken: nil
        }
    }

    /// Returns the history when a run begins its steps: even an interrupted run leaves something.
    func begun(_ direction: SyncOptions.Direction) -> RunHistory {
        if direction == .mirror { return hasEnded ? .mirror : .mirrorBroken }
        return self == .none ? .twoWayBroken : self
    }
}

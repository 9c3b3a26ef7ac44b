/// What the runs of a pair have come to, as the state keeps it.
enum RunHistory: Int, Sendable {
    /// No run has begun its steps.
    case none = 0
    /// The last run to begin its steps was a mirror, and a run came to its end before or since.
    case mirror = 1
    /// The last run that came to its end was two-way.
    case twoWay = 2
    /// No run came to its end, and one of them was a mirror.
    case mirrorBroken = 3
    /// No run came to its end, and all were two-way.
    case twoWayBroken = 4

    /// Whether any run came to its end.
    var hasEnded: Bool { self == .mirror || self == .twoWay }

    /// Which way the last run went; nil where none came to its end and none was a mirror.
    var lastDirection: SyncOptions.Direction? {
        switch self {
        case .mirror, .mirrorBroken: .mirror
        case .twoWay: .twoWay
        case .none, .twoWayBroken: nil
        }
    }

    /// What it is when a run begins its steps: what is cut off has left something, too.
    func begun(_ direction: SyncOptions.Direction) -> RunHistory {
        if direction == .mirror { return hasEnded ? .mirror : .mirrorBroken }
        return self == .none ? .twoWayBroken : self
    }
}

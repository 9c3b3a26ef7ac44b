extension SFTPSession.State {
    /// Whether enough is waiting to be sent for now.
    var isFull: Bool { queue.bytes > SFTPSession.enough && ending == nil }

    /// The callers that waited for room, once there is some. They check again.
    mutating func takeHeld() -> [@Sendable () -> Void] {
        guard !held.isEmpty, queue.bytes <= SFTPSession.enough / 2 else { return [] }
        defer { held = [] }
        return held
    }

    mutating func register(_ pending: SFTPSession.Pending) -> UInt32 {
        repeat { lastID &+= 1 } while self.pending[lastID] != nil
        self.pending[lastID] = pending
        return lastID
    }

    /// The unanswered openings that were sent before the request `id`. Servers that answer in another order may have
    /// completed them.
    func openings(before id: UInt32) -> Int {
        pending.count { $0.value.effect == .opens && Int32(bitPattern: $0.key &- id) < 0 }
    }

    /// Notes how long a reply took.
    ///
    /// - Returns: Whether a request has had no reply for longer than `patience` although later ones have. Checked once
    ///   a second, because it goes through all pending requests.
    mutating func isStuck(after reply: SFTPSession.Pending, patience: Duration) -> Bool {
        let now = ContinuousClock.now
        lastAnswer = now
        quickest = min(quickest ?? patience, now - reply.sent)
        guard now - lastLook >= .seconds(1) else { return false }
        lastLook = now
        return pending.values.contains { $0.sent + patience < reply.sent }
    }
}

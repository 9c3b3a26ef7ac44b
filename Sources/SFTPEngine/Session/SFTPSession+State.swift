extension SFTPSession.State {
    /// Whether what waits to leave is enough for now.
    var isFull: Bool { queue.bytes > SFTPSession.enough && ending == nil }

    /// Those who waited for room, once there is some; they look again.
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

    /// Openings without an answer that were sent before the request `id`: servers that answer in another order may have
    /// done them.
    func openings(before id: UInt32) -> Int {
        pending.count { $0.value.effect == .opens && Int32(bitPattern: $0.key &- id) < 0 }
    }

    /// Takes note of the time that an answer took.
    ///
    /// - Returns: Whether a request was passed over for longer than `patience`: others that were sent so much later
    ///   have their answers. Looked at once a second, because all requests that wait are gone through.
    mutating func isStuck(after reply: SFTPSession.Pending, patience: Duration) -> Bool {
        let now = ContinuousClock.now
        lastAnswer = now
        quickest = min(quickest ?? patience, now - reply.sent)
        guard now - lastLook >= .seconds(1) else { return false }
        lastLook = now
        return pending.values.contains { $0.sent + patience < reply.sent }
    }
}

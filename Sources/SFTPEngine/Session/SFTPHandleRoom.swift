import FileProviderCore

/// Counts the open files and folders of a provider's sessions on one host, and admits as many openings as the server
/// has handles for.
///
/// Some servers announce how many handles a session may have (`limits@openssh.com`). Others refuse one more, each with
/// its own message; then the limit is learned from the number of open handles. A learned limit grows again with time,
/// because another client of the account may have held some. Openings begin with a few at a time, and at most double
/// the number that was seen to work.
package final class SFTPHandleRoom: Sendable {
    /// An opening that waits, or is admitted and not sent yet.
    package struct Ticket: Sendable, Hashable {
        let id: UInt64
    }

    /// How many handles were open when an opening was refused.
    package struct Crowd: Sendable, Hashable {
        /// On the session of the refused opening, including those that earlier openings may have taken.
        package let session: Int
        /// On all sessions of the host.
        package let host: Int

        /// The same without `count` handles of this session.
        package func leavingOut(_ count: Int) -> Crowd {
            Crowd(session: max(0, session - count), host: max(0, host - count))
        }
    }

    private let state: LockedValue<State>

    /// - Parameters:
    ///   - growth: How long a learned limit holds before a larger one is tried.
    ///   - patience: How long openings wait for one that waits for its retry, which may have been refused for another
    ///     reason.
    package init(growth: Duration = .seconds(10), patience: Duration = .seconds(1)) {
        state = LockedValue(State(growth: growth, patience: patience))
    }

    /// The number of handles that the server was seen to allow; nil while no opening was refused for lack of one.
    package var learned: Int? { state.value.limit }

    /// The number of handles that are open, or being opened, on `session`.
    package func used(_ session: SFTPSession) -> Int {
        state.update { $0.counts[ObjectIdentifier(session)]?.used ?? 0 }
    }

    // MARK: Asking

    /// Asks for room for `count` openings that are sent together. If nothing is open, there is always room.
    ///
    /// - Parameters:
    ///   - maxCount: The number of handles that may be open, including these, if it is less than the server's limit.
    ///     Until ``finish(_:)``, no other opening may exceed it; while these wait, only as long as the room has
    ///     patience.
    ///   - countsAll: Whether `maxCount` counts the handles of all sessions.
    /// - Returns: A ticket for ``SFTPSession/begin(_:ticket:)``, or for ``withdraw(_:)``.
    package func ask(_ count: Int, _ session: SFTPSession, maxCount: Int? = nil, countsAll: Bool = false) -> Ticket {
        let waiter = State.Waiter(
            session: ObjectIdentifier(session), count: count, maxCount: maxCount ?? .max,
            announced: session.limits.handles ?? .max,
            countsAll: countsAll)
        return change { state in
            state.lastID += 1
            state.waiters[state.lastID] = waiter
            if maxCount != nil {
                state.trials[state.lastID] = waiter
                state.settle(waiter.session)
            }
            state.queue.append(state.lastID)
            return Ticket(id: state.lastID)
        }
    }

    /// Whether the openings of `ticket` may be sent.
    package func isAdmitted(_ ticket: Ticket) -> Bool { state.update { $0.waiters[ticket.id]?.isAdmitted ?? true } }

    /// Calls `resume` once, as soon as the openings of `ticket` may be sent; at once if they already may.
    package func whenAdmitted(_ ticket: Ticket, _ resume: @escaping @Sendable () -> Void) {
        let isWaiting = state.update { state in
            guard state.waiters[ticket.id]?.isAdmitted == false else { return false }
            state.waiters[ticket.id]?.resume = resume
            return true
        }
        if !isWaiting { resume() }
    }

    /// Checks again which openings may be sent, after time has passed.
    package func lookAgain() { change { _ in } }

    /// Admits the openings of `ticket` even without room: the server decides.
    package func admit(_ ticket: Ticket) { change { $0.admit(ticket.id) } }

    /// Returns the unused room of `ticket`.
    package func withdraw(_ ticket: Ticket) {
        change { state in
            state.queue.removeAll { $0 == ticket.id }
            state.trials[ticket.id] = nil
            guard let waiter = state.waiters.removeValue(forKey: ticket.id), waiter.isAdmitted else { return }
            state.counts[waiter.session]?.asked -= waiter.count
        }
    }

    /// Notes that a refused opening of `session` is not tried again. Until then, or until
    /// ``ask(_:_:maxCount:countsAll:)`` for a second try, no more handles are open than beside it.
    package func settle(_ session: SFTPSession) {
        let key = ObjectIdentifier(session)
        change { $0.settle(key) }
    }

    /// Ends the demands of `ticket` on other openings, after its openings were answered.
    package func finish(_ ticket: Ticket) { change { $0.trials[ticket.id] = nil } }

    /// Notes that an opening which was refused with `count` handles open succeeded with fewer.
    ///
    /// - Parameter isShared: Whether the handles of all sessions were counted.
    package func learn(_ count: Int, isShared: Bool) {
        change { state in
            // The limit of one session does not apply to all together.
            if isShared, !state.isShared { state.limit = nil }
            state.isShared = state.isShared || isShared
            state.limit = max(1, min(state.limit ?? .max, count))
            state.changed = .now
        }
    }

    // MARK: What a session reports

    /// Notes that the openings of `ticket` are sent, or `count` openings without a ticket.
    func sent(_ count: Int, _ ticket: Ticket?, _ session: SFTPSession) {
        let key = ObjectIdentifier(session)
        state.update { state in
            let isAdmitted = ticket.flatMap { state.waiters.removeValue(forKey: $0.id)?.isAdmitted } ?? false
            if !isAdmitted { state.counts[key, default: State.Count()].asked += count }
            state.counts[key]?.session = session
        }
    }

    /// The time for which no session has moved although no reply was due: the owners of the handles wait for something
    /// else.
    package var standstill: Duration {
        let sessions = state.update { $0.counts.values.compactMap(\.session) }
        return sessions.map { $0.isWaiting ? .zero : $0.silence }.min() ?? .zero
    }

    /// Notes that an opening was answered, by a handle or a refusal.
    ///
    /// - Parameter earlier: Earlier openings of the session that have no reply yet.
    /// - Returns: The other handles, if the opening was refused.
    func answered(_ session: SFTPSession, isGranted: Bool, earlier: Int) -> Crowd? {
        let key = ObjectIdentifier(session)
        return change { state in
            state.counts[key]?.asked -= 1
            if isGranted {
                state.counts[key]?.open += 1
                state.proven = max(state.proven, state.counts[key]?.open ?? 0)
                return nil
            }
            let own = (state.counts[key]?.open ?? 0) + earlier
            if own > 0 { state.doubt(key, beside: own) }
            // Openings of other sessions may have succeeded before this reply arrived.
            let others = state.counts.reduce(0) { $1.key == key ? $0 : $0 + $1.value.used }
            return Crowd(session: own, host: own + others)
        }
    }

    /// Notes that the server has answered a `CLOSE`.
    func closed(_ session: SFTPSession) {
        let key = ObjectIdentifier(session)
        change { state in
            if let open = state.counts[key]?.open, open > 0 { state.counts[key]?.open = open - 1 }
        }
    }

    /// Forgets an ended session. An opening that waits for room on it fails when it is sent.
    func forget(_ session: SFTPSession) {
        let key = ObjectIdentifier(session)
        change { state in
            for id in state.queue where state.waiters[id]?.session == key { state.admit(id) }
            state.trials = state.trials.filter { $0.value.session != key }
            state.doubts[key] = nil
            state.counts[key] = nil
        }
    }

    /// Changes the state, and resumes the openings for which there is room then.
    @discardableResult
    private func change<Value: Sendable>(_ body: @Sendable (inout State) -> Value) -> Value {
        let (value, resumes) = state.update { state in
            let value = body(&state)
            state.admitWaiting()
            defer { state.resumes = [] }
            return (value, state.resumes)
        }
        for resume in resumes { resume() }
        return value
    }
}

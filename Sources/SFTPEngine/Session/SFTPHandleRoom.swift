import FileProviderCore

/// Counts the open files and folders of a provider's sessions on one host, and admits as many openings as the server
/// has handles for.
///
/// Some servers announce how many handles a session may have (`limits@openssh.com`). Others refuse one more, in words
/// of their own; the number is then learned from how many were open. A learned number grows again with time: another
/// client of the account may have held some. Openings begin with a few at a time and at most double what was seen to
/// work.
package final class SFTPHandleRoom: Sendable {
    /// An opening that is waiting, or admitted and not sent yet.
    package struct Ticket: Sendable, Hashable {
        let id: UInt64
    }

    /// How many handles were open when an opening was refused.
    package struct Crowd: Sendable, Hashable {
        /// On the session of the refused opening, with those that openings sent before it may have taken.
        package let session: Int
        /// On all sessions of the host.
        package let host: Int

        /// Without `count` of them.
        package func leavingOut(_ count: Int) -> Crowd {
            Crowd(session: max(0, session - count), host: max(0, host - count))
        }
    }

    private let state: LockedValue<State>

    /// - Parameters:
    ///   - growth: How long a learned number holds before a larger one is tried.
    ///   - patience: How long openings wait for one that waits to be tried again. If it was refused for another reason,
    ///     they need not.
    package init(growth: Duration = .seconds(10), patience: Duration = .seconds(1)) {
        state = LockedValue(State(growth: growth, patience: patience))
    }

    /// The number of handles that the server was seen to give; nil while no opening was refused for want of one.
    package var learned: Int? { state.value.limit }

    /// Handles that are open, or being opened, on `session`.
    package func used(_ session: SFTPSession) -> Int {
        state.update { $0.counts[ObjectIdentifier(session)]?.used ?? 0 }
    }

    // MARK: Asking

    /// Asks for room for `count` openings that leave together. With nothing open, there is always room.
    ///
    /// - Parameters:
    ///   - most: Handles that may be open with them, if not as many as the server gives; until ``finish(_:)``, no other
    ///     opening may exceed it. While these wait, others heed it for as long as the room has patience.
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

    /// Whether the openings of `ticket` may leave.
    package func isAdmitted(_ ticket: Ticket) -> Bool { state.update { $0.waiters[ticket.id]?.isAdmitted ?? true } }

    /// Calls `resume` once, as soon as the openings of `ticket` may leave; at once if they may now.
    package func whenAdmitted(_ ticket: Ticket, _ resume: @escaping @Sendable () -> Void) {
        let isWaiting = state.update { state in
            guard state.waiters[ticket.id]?.isAdmitted == false else { return false }
            state.waiters[ticket.id]?.resume = resume
            return true
        }
        if !isWaiting { resume() }
    }

    /// Looks again who may leave, when time has passed.
    package func lookAgain() { change { _ in } }

    /// Admits the openings of `ticket`, whether there is room or not: the server decides.
    package func admit(_ ticket: Ticket) { change { $0.admit(ticket.id) } }

    /// Gives the room of `ticket` back unused.
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

    /// The openings of `ticket` were answered: what they asked for of others is over.
    package func finish(_ ticket: Ticket) { change { $0.trials[ticket.id] = nil } }

    /// Notes that an opening which was refused with `count` handles open succeeded with fewer.
    ///
    /// - Parameter isShared: Whether the handles of all sessions were counted.
    package func learn(_ count: Int, isShared: Bool) {
        change { state in
            // What one session may have says nothing of all together.
            if isShared, !state.isShared { state.limit = nil }
            state.isShared = state.isShared || isShared
            state.limit = max(1, min(state.limit ?? .max, count))
            state.changed = .now
        }
    }

    // MARK: What a session reports

    /// The openings of `ticket` leave, or `count` openings that asked nobody.
    func sent(_ count: Int, _ ticket: Ticket?, _ session: SFTPSession) {
        let key = ObjectIdentifier(session)
        state.update { state in
            let isAdmitted = ticket.flatMap { state.waiters.removeValue(forKey: $0.id)?.isAdmitted } ?? false
            if !isAdmitted { state.counts[key, default: State.Count()].asked += count }
            state.counts[key]?.session = session
        }
    }

    /// How long no session has moved, though no server owed it an answer: whoever has a handle waits for something
    /// else.
    package var standstill: Duration {
        let sessions = state.update { $0.counts.values.compactMap(\.session) }
        return sessions.map { $0.isWaiting ? .zero : $0.silence }.min() ?? .zero
    }

    /// An opening was answered, by a handle or not.
    ///
    /// - Parameter earlier: Openings of the session that were sent before it and have no answer yet.
    /// - Returns: The handles beside it, if it was refused.
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
            // What other sessions have asked for may be open before the answer is here.
            let others = state.counts.reduce(0) { $1.key == key ? $0 : $0 + $1.value.used }
            return Crowd(session: own, host: own + others)
        }
    }

    /// The server has answered a `CLOSE`.
    func closed(_ session: SFTPSession) {
        let key = ObjectIdentifier(session)
        change { state in
            if let open = state.counts[key]?.open, open > 0 { state.counts[key]?.open = open - 1 }
        }
    }

    /// The session is no more; an opening that waits for room on it finds that out when it is sent.
    func forget(_ session: SFTPSession) {
        let key = ObjectIdentifier(session)
        change { state in
            for id in state.queue where state.waiters[id]?.session == key { state.admit(id) }
            state.trials = state.trials.filter { $0.value.session != key }
            state.doubts[key] = nil
            state.counts[key] = nil
        }
    }

    /// Changes the state, and lets those go on for whom there is room then.
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

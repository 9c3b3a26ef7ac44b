import FileProviderCore

/// What becomes of connections that are not in use.
extension FTPPool {
    /// Connections that were not used for so long are given back.
    private static let idleLife = Duration.seconds(60)

    // MARK: Those that wait for their reader

    /// A connection whose download waits for its reader is given up when somebody needs one: `evict` sees to that.
    func park(_ owner: AnyObject, evict: @escaping @Sendable () -> Void) {
        let isNeeded = state.update { state in
            state.parked.removeAll { $0.id == ObjectIdentifier(owner) }
            if !state.waiters.isEmpty, state.idle.isEmpty { return true }
            state.parked.append((ObjectIdentifier(owner), evict))
            return false
        }
        if isNeeded { evict() }
    }

    /// False when it is being given up.
    func unpark(_ owner: AnyObject) -> Bool {
        state.update { state in
            guard let index = state.parked.firstIndex(where: { $0.id == ObjectIdentifier(owner) }) else { return false }
            state.parked.remove(at: index)
            return true
        }
    }

    // MARK: More of them

    /// Wakes whoever waits when the server may be asked for one more.
    func relieve() {
        guard let until = state.value.limitedUntil else { return }
        Task { [weak self] in
            try await Task.sleep(until: until)
            self?.state.update { $0.wakeOne() }
        }
    }

    // MARK: The end

    /// Ends what runs with `URLError(.cancelled)`, and closes everything.
    func closeAll() {
        let lent = state.update { state in
            state.closings += 1
            state.wakeAll()
            return state.lent
        }
        for session in lent { session.abort() }
        closeIdle()
    }

    /// Closes what is idle.
    func closeIdle(olderThan age: Duration = .zero) {
        let previous = state.update { state in
            let previous = state.idle.filter { $0.idleTime >= age }
            state.idle.removeAll { session in previous.contains { $0 === session } }
            state.count -= previous.count
            if !previous.isEmpty { state.wakeOne() }
            return previous
        }
        for session in previous { session.close() }
    }

    func startReaping() {
        let starts = state.update { state in
            defer { state.isReaping = true }
            return !state.isReaping
        }
        guard starts else { return }
        Task { [weak self] in
            while true {
                try await Task.sleep(for: Self.idleLife)
                guard let self else { return }
                self.closeIdle(olderThan: Self.idleLife)
                let isDone = self.state.update { state in
                    if state.count == 0 { state.isReaping = false }
                    return state.count == 0
                }
                if isDone { return }
            }
        }
    }
}

import FileProviderCore

/// Unused connections: lending, closing and the end of the pool.
extension FTPPool {
    /// Connections that were unused for this long are closed.
    private static let idleLife = Duration.seconds(60)

    // MARK: Parked downloads

    /// Marks the connection of a download that waits for its reader as available: `evict` is called when another caller
    /// needs one.
    func park(_ owner: AnyObject, evict: @escaping @Sendable () -> Void) {
        let isNeeded = state.update { state in
            state.parked.removeAll { $0.id == ObjectIdentifier(owner) }
            if !state.waiters.isEmpty, state.idle.isEmpty { return true }
            state.parked.append((ObjectIdentifier(owner), evict))
            return false
        }
        if isNeeded { evict() }
    }

    /// Returns false if the connection is being evicted already.
    func unpark(_ owner: AnyObject) -> Bool {
        state.update { state in
            guard let index = state.parked.firstIndex(where: { $0.id == ObjectIdentifier(owner) }) else { return false }
            state.parked.remove(at: index)
            return true
        }
    }

    // MARK: The server's limit

    /// Wakes a waiter when the server may be asked for one more connection.
    func relieve() {
        guard let until = state.value.limitedUntil else { return }
        Task { [weak self] in
            try await Task.sleep(until: until)
            self?.state.update { $0.wakeOne() }
        }
    }

    // MARK: Closing

    /// Cancels running operations with `URLError(.cancelled)`, and closes all connections.
    func closeAll() {
        let lent = state.update { state in
            state.closings += 1
            state.wakeAll()
            return state.lent
        }
        for session in lent { session.abort() }
        closeIdle()
    }

    /// Closes idle connections.
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

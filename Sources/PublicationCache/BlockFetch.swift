import Synchronization

/// One request to the medium for blocks that several readers may wait for. Each reader continues as soon as its block
/// has arrived, and can be cancelled alone; the last one to leave stops the request.
final class BlockFetch: Sendable {
    private struct Waiter {
        let block: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// The first block that has not arrived.
        var next: Int
        var outcome: Result<Void, any Error>?
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        var users = 1
        var work: Task<Void, Never>?
        var isCancelled = false
    }

    /// The blocks to request.
    let blocks: Range<Int>
    /// The file to write them to.
    let file: CacheFile
    private let state: Mutex<State>

    /// A request with one reader.
    init(_ blocks: Range<Int>, into file: CacheFile) {
        self.blocks = blocks
        self.file = file
        state = Mutex(State(next: blocks.lowerBound))
    }

    /// Starts the work; called once, by the creator of the fetch.
    func start(_ body: @escaping @Sendable () async throws -> Void) {
        let task = Task {
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
            let waiters = state.withLock { state in
                state.outcome = outcome
                state.work = nil
                defer { state.waiters = [:] }
                return Array(state.waiters.values)
            }
            for waiter in waiters { waiter.continuation.resume(with: outcome) }
        }
        let isCancelled = state.withLock { state in
            if state.outcome == nil { state.work = task }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    /// Records that `block`, the next one, has arrived.
    func arrived(_ block: Int) {
        let waiters = state.withLock { state in
            state.next = block + 1
            let ready = state.waiters.filter { $0.value.block <= block }
            for id in ready.keys { state.waiters[id] = nil }
            return ready.values
        }
        for waiter in waiters { waiter.continuation.resume() }
    }

    /// Adds a reader; false if the last one has left already.
    func join() -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.users += 1
            return true
        }
    }

    /// Removes a reader; the last one stops the work.
    ///
    /// - Returns: The stopped task if this was the last reader, to await its end.
    @discardableResult
    func leave() -> Task<Void, Never>? {
        let work = state.withLock { state in
            state.users -= 1
            guard state.users == 0 else { return Task<Void, Never>?.none }
            state.isCancelled = true
            return state.work
        }
        work?.cancel()
        return work
    }

    /// Whether the request has ended.
    var isOver: Bool { state.withLock { $0.outcome != nil } }

    /// Suspends until the request is over and all blocks have arrived.
    ///
    /// - Throws: As ``wait(for:)``.
    func end() async throws { try await wait(for: blocks.upperBound) }

    /// Suspends until `block` has arrived or the request is over.
    ///
    /// - Throws: The error of the request; `CancellationError`, at once, if the calling task is cancelled.
    func wait(for block: Int) async throws {
        let id = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let known: Result<Void, any Error>? = state.withLock { state in
                    if state.next > block { return .success(()) }
                    if let outcome = state.outcome { return outcome }
                    if Task.isCancelled { return .failure(CancellationError()) }
                    state.waiters[id] = Waiter(block: block, continuation: continuation)
                    return nil
                }
                if let known { continuation.resume(with: known) }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: id) }?.continuation.resume(throwing: CancellationError())
        }
    }
}

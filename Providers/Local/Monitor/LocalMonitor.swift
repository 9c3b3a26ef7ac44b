import FileProviderCore
import Foundation
import Synchronization

/// A watch of a local folder by inotify(7).
///
/// The kernel's events are hints about places. ``LocalMonitorQueue`` gathers them at any time, and ``LocalMonitorRun``
/// looks at the places when the consumer asks. So a slow consumer accumulates only places.
final class LocalMonitor: FileWatch {
    private let provider: @Sendable () -> LocalFileProvider?
    private let path: ProviderPath
    private let options: WatchOptions
    private let context: LocalContext
    let queue: LocalMonitorQueue
    private let flag = CancellationFlag()
    private let state: Mutex<State>
    private let fallback = LockedValue<(any FileWatch)?>(nil)

    private struct State {
        /// Nil before the start, and once the watch polls or has failed.
        var run: LocalMonitorRun?
        /// Whether the consumer may have listed since the last events, so that changes up to now are reported outright.
        var isFresh = true
        /// Events to report before all others.
        var first: [FileEvent] = []
        /// Why the folder has to be polled, until it is.
        var exhaustion: String?
        var failure: (any Error)?
    }

    /// Seconds between two checks that the watched folder still exists, while nothing happens.
    private static let heartbeat = 15.0
    /// Seconds to wait for the second half of a move.
    private static let moveTime = 0.01

    init(of provider: LocalFileProvider, path: ProviderPath, options: WatchOptions, maxWatches: Int = .max) {
        self.provider = { [weak provider] in provider }
        (self.path, self.options) = (path, options)
        context = provider.context(path, writing: false)
        queue = LocalMonitorQueue(maxWatches: maxWatches, maxPending: options.maxPending)
        state = Mutex(State())
    }

    deinit {
        flag.cancel()
    }

    /// Watches every folder, then lists it.
    func start() async throws {
        guard let resolver = provider()?.resolver else { return }
        do {
            let exhausted: String? = try await withTaskCancellationHandler {
                try await BlockingThreads.shared.run { [self] in
                    do {
                        let run = try LocalMonitorRun(
                            path: path, options: options, resolver: resolver, context: context, queue: queue, flag: flag
                        )
                        state.withLock { state in
                            state.run = run
                            state.first = run.refusals
                            state.run?.refusals = []
                        }
                        return nil
                    } catch let error as LocalMonitorRun.WatchesExhausted {
                        return error.reason
                    }
                }
            } onCancel: {
                flag.cancel()
            }
            if let exhausted {
                let events = try await poll(exhausted)
                state.withLock { $0.first = events }
            }
        } catch {
            await stop()
            throw error
        }
    }

    func next() async throws -> [FileEvent]? {
        while !flag.isCancelled {
            let (first, failure, exhaustion, isFresh) = state.withLock { state in
                defer { state.first = [] }
                return (state.first, state.failure, state.exhaustion, state.isFresh)
            }
            if !first.isEmpty { return first }
            if let failure { throw failure }
            if let fallback = fallback.value { return try await fallback.next() }
            var events: [FileEvent] = []
            if let exhaustion {
                events = try await degrade(exhaustion)
            } else {
                if !isFresh { try await gather() }
                if flag.isCancelled { break }
                // A look that has begun is finished, so that a cancelled consumer loses nothing.
                events = try await BlockingThreads.shared.run { [self] in look() }
            }
            if !events.isEmpty { return events }
        }
        return nil
    }

    func stop() async {
        flag.cancel()
        queue.wake()
        await queue.close()
        await fallback.value?.stop()
        // A running look holds folders open until it ends, which the flag hastens. Waiting for it cannot fail.
        try? await BlockingThreads.shared.run { [self] in state.withLock { $0.run = nil } }
    }

    /// Waits for hints, and a little longer for more of them.
    private func gather() async throws {
        queue.wake(after: Self.heartbeat)
        await queue.wait()
        try Task.checkCancellation()
        if flag.isCancelled { return }
        if options.window > 0 { try await Task.sleep(for: .seconds(options.window)) }
        if queue.hasHalfMove { try await Task.sleep(for: .seconds(Self.moveTime)) }
    }

    /// - Returns: Empty if nothing has changed, or if the state has what to report instead.
    private func look() -> [FileEvent] {
        state.withLock { state in
            guard var run = state.run.take() else { return [] }
            let isFresh = state.isFresh
            state.isFresh = false
            do {
                let events = try run.look(at: queue.take(), isFresh: isFresh)
                // A consumer lists after a rescan; changes until then may or may not be in its listing.
                state.isFresh = events.last?.kind == .rescan
                state.run = run
                if let pause = run.pause { queue.wake(after: pause) }
                return events
            } catch let error as LocalMonitorRun.WatchesExhausted {
                state.exhaustion = error.reason
                return []
            } catch {
                return fail(error, &state)
            }
        }
    }

    /// Continues by polling. If something prevents that for a while, a later call tries again.
    ///
    /// - Returns: Empty if it was prevented, or the provider is gone.
    private func degrade(_ reason: String) async throws -> [FileEvent] {
        do {
            return try await poll(reason)
        } catch let error where error.isCancellation {
            throw CancellationError()
        } catch let error where error.isTransient {
            try await Task.sleep(for: .seconds(max(0.001, options.minInterval)))
            return []
        } catch {
            return state.withLock { fail(error, &$0) }
        }
    }

    /// Ends the watch with an error, after reporting the removal of the folder if that is the cause.
    private func fail(_ error: any Error, _ state: inout State) -> [FileEvent] {
        state.failure = error
        let isGone = error.isNoSuchFile || error.isNotADirectory
        return isGone ? [FileEvent(.removed, path: path, type: .directory)] : []
    }

    private func poll(_ reason: String) async throws -> [FileEvent] {
        await queue.close()
        guard let provider = provider() else {
            flag.cancel()
            return []
        }
        let polling = try await provider.pollForChanges(at: path, options: options)
        fallback.update { $0 = polling }
        return [FileEvent(.rescan, path: path, type: .directory, reason: "\(reason) The folder is polled from now on.")]
    }
}

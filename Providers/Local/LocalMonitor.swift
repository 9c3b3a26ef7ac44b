import FileProviderCore
import Foundation
import Synchronization

/// A watch of a folder of this machine by inotify(7).
///
/// The kernel's events are hints of where to look; they are gathered by ``LocalMonitorQueue`` at any time, and looked into by
/// ``LocalMonitorRun`` when the consumer asks. So nothing piles up for a slow consumer but places.
final class LocalMonitor: FileWatch {
    private let provider: @Sendable () -> LocalFileProvider?
    private let path: ProviderPath
    private let options: WatchOptions
    private let context: LocalContext
    let queue: LocalMonitorQueue
    private let flag = CancellationFlag()
    private let state: Mutex<State>
    private let fallback = Locked<(any FileWatch)?>(nil)

    private struct State {
        /// None before the start, and once the watch polls or has failed.
        var run: LocalMonitorRun?
        /// Whether the consumer may have listed since the last events, so that what changed by now is told outright.
        var isFresh = true
        /// To be told before anything else.
        var first: [FileEvent] = []
        var failure: (any Error)?
    }

    /// What a look came to.
    private enum Look {
        case events([FileEvent])
        case nothing
        case exhausted(String)
    }

    /// Seconds between two looks at whether the watched folder is still there, while nothing happens.
    private static let heartbeat = 15.0
    /// Seconds for which the second half of a move is waited for.
    private static let moveTime = 0.01

    init(of provider: LocalFileProvider, path: ProviderPath, options: WatchOptions, mostWatches: Int = .max) {
        self.provider = { [weak provider] in provider }
        (self.path, self.options) = (path, options)
        context = provider.context(path, writing: false)
        queue = LocalMonitorQueue(mostWatches: mostWatches, mostPending: options.mostPending)
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
                            path: path, options: options, resolver: resolver, context: context, queue: queue, flag: flag)
                        state.withLock { state in
                            state.run = run
                            state.first = run.refusals
                            state.run?.refusals = []
                        }
                        return nil
                    } catch let error as LocalMonitorRun.Exhausted {
                        return error.reason
                    }
                }
            } onCancel: {
                flag.cancel()
            }
            if let exhausted {
                let events = try await degrade(exhausted)
                state.withLock { $0.first = events }
            }
        } catch {
            await stop()
            throw error
        }
    }

    func next() async throws -> [FileEvent]? {
        while !flag.isCancelled {
            let (first, failure, isFresh) = state.withLock { state in
                defer { state.first = [] }
                return (state.first, state.failure, state.isFresh)
            }
            if !first.isEmpty { return first }
            if let failure { throw failure }
            if let fallback = fallback.value { return try await fallback.next() }
            if !isFresh { try await gather() }
            if flag.isCancelled { break }
            // A look that was begun is finished, so that a consumer that is cancelled loses nothing.
            switch try await BlockingThreads.shared.run({ [self] in look() }) {
            case .events(let events): return events
            case .nothing: continue
            case .exhausted(let reason): return try await degrade(reason)
            }
        }
        return nil
    }

    func stop() async {
        flag.cancel()
        queue.wake()
        await queue.close()
        await fallback.value?.stop()
        // A look that runs holds folders open until it ends, which the flag hastens. Waiting for it cannot fail.
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

    private func look() -> Look {
        state.withLock { state in
            guard var run = state.run.take() else { return .nothing }
            let isFresh = state.isFresh
            state.isFresh = false
            do {
                let events = try run.look(at: queue.take(), isFresh: isFresh)
                // A consumer lists after a rescan, and what changes meanwhile belongs to its listing or not.
                state.isFresh = events.last?.kind == .rescan
                state.run = run
                if let pause = run.pause { queue.wake(after: pause) }
                return events.isEmpty ? .nothing : .events(events)
            } catch let error as LocalMonitorRun.Exhausted {
                return .exhausted(error.reason)
            } catch {
                state.failure = error
                let isGone = error.isNoSuchFile || error.isNotADirectory
                return isGone ? .events([FileEvent(.removed, path: path, type: .directory)]) : .nothing
            }
        }
    }

    /// Goes on by polling, and says so.
    private func degrade(_ reason: String) async throws -> [FileEvent] {
        await queue.close()
        guard let provider = provider() else { throw CancellationError() }
        let polling = try await provider.pollForChanges(at: path, options: options)
        fallback.update { $0 = polling }
        return [FileEvent(.rescan, path: path, type: .directory, reason: "\(reason) From now on the folder is polled.")]
    }
}

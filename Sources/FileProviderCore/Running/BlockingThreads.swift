import CLinux
import Dispatch
import Foundation
import Synchronization

/// Separate threads for calls that block: Swift's shared threads are as few as the cores, and one blocked call there
/// delays every task.
///
/// Threads start on demand and stay. Work begins in the order of its calls.
///
/// With many small calls, most of the time goes into switching threads. A task that prefers these threads
/// (`withTaskExecutorPreference(_:operation:)`) runs here itself, and ``run(_:)-(()->Value)`` then runs its work at
/// once.
public final class BlockingThreads: TaskExecutor {
    /// The process's threads for local disks.
    public static let shared = BlockingThreads(count: 8, name: "carrel.disk")

    private let queue: Queue

    /// - Parameter count: The most threads, 1 or more.
    public init(count: Int, name: String) {
        queue = Queue(limit: count, name: name)
    }

    deinit {
        queue.close()
    }

    /// Runs `body` on one of the threads; on the current one if it is one of them.
    ///
    /// - Throws: The error of `body`. Cancelling the task does not stop `body`; long work checks a
    ///   ``CancellationFlag``.
    public func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        if queue.isCurrent { return try body() }
        return try await withCheckedThrowingContinuation { continuation in
            queue.add {
                let result = Result { try body() }
                return { continuation.resume(with: result) }
            }
        }
    }

    /// Runs `body` with a flag that is set when the task is cancelled.
    ///
    /// - Throws: The error of `body`; `CancellationError` if the task was cancelled before it began.
    public func run<Value: Sendable>(_ body: @escaping @Sendable (CancellationFlag) throws -> Value) async throws
        -> Value
    {
        try Task.checkCancellation()
        let flag = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await run { try body(flag) }
        } onCancel: {
            flag.cancel()
        }
    }

    /// Runs a part of a task that prefers these threads. Source: SE-0417.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.add { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            return {}
        }
    }

    /// Each idle thread has a separate semaphore: a condition shared by all may lose a `signal()` in glibc before 2.41
    /// (bug 25847), and work would wait forever.
    private final class Queue: Sendable {
        /// Does the work and returns a closure that reports it: when the waiting task continues, nothing here holds the
        /// work's objects any more.
        typealias Job = @Sendable () -> @Sendable () -> Void

        private struct State {
            /// Nil for jobs that have begun, so that none is held while others wait.
            var jobs: [Job?] = []
            var next = 0
            var threads = 0
            /// Semaphores of idle threads; the thread that worked last is woken first.
            var idle: [DispatchSemaphore] = []
            var isClosed = false

            mutating func takeJob() -> Job? {
                guard next < jobs.count else { return nil }
                let job = jobs[next].take()
                next += 1
                if next == jobs.count || next > 1024 {
                    jobs.removeFirst(next)
                    next = 0
                }
                return job
            }
        }

        private let state = Mutex(State())
        private let limit: Int
        private let name: String

        init(limit: Int, name: String) {
            self.limit = limit
            self.name = name
        }

        func add(_ job: @escaping Job) {
            let idle: DispatchSemaphore? = state.withLock { state in
                state.jobs.append(job)
                if let idle = state.idle.popLast() { return idle }
                if state.threads < limit {
                    state.threads += 1
                    Thread.detachNewThread { [self] in work() }
                }
                return nil
            }
            idle?.signal()
        }

        func close() {
            let idle = state.withLock { state in
                state.isClosed = true
                defer { state.idle = [] }
                return state.idle
            }
            for thread in idle { thread.signal() }
        }

        /// The queue whose thread this is.
        private static let current: pthread_key_t = {
            var key = pthread_key_t()
            pthread_key_create(&key, nil)
            return key
        }()

        /// Whether this thread is one of the queue's.
        var isCurrent: Bool {
            let queue: UnsafeMutableRawPointer? = pthread_getspecific(Self.current)
            return queue == Unmanaged.passUnretained(self).toOpaque()
        }

        private func work() {
            // Set without `Thread.name`: a new thread may run before Foundation knows which one it is, and another
            // would get the name.
            _ = carrel_pthread_setname(pthread_self(), name)
            pthread_setspecific(Self.current, Unmanaged.passUnretained(self).toOpaque())
            let woken = DispatchSemaphore(value: 0)
            while let report = nextJob(woken)?() { report() }
        }

        /// - Parameter woken: This thread's semaphore.
        private func nextJob(_ woken: DispatchSemaphore) -> Job? {
            while true {
                let (job, isOver) = state.withLock { state -> (Job?, Bool) in
                    if let job = state.takeJob() { return (job, false) }
                    if !state.isClosed { state.idle.append(woken) }
                    return (nil, state.isClosed)
                }
                if job != nil || isOver { return job }
                woken.wait()
            }
        }
    }
}

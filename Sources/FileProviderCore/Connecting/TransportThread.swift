import CLinux
import Foundation
import Synchronization

/// A thread of a transport's own that has ended before the process has.
///
/// TLS libraries free their tables in a handler of exit(3), also under a thread that uses them or, while it ends, frees
/// its own part of them. So such threads are told to halt at exit and joined, which also waits for what a thread frees
/// at its end.
public final class TransportThread: Sendable {
    /// None once the thread has nothing left to be woken by.
    private let wake: Mutex<(@Sendable () -> Void)?>

    private struct Entry {
        let id: pthread_t
        let thread: TransportThread
    }

    /// Every thread that is not joined yet.
    private static let entries = Mutex<[Entry]>([])
    private static let exiting = Atomic(false)
    private static let registered = atexit { TransportThread.haltAll() } == 0

    /// Starts a thread that runs `body`.
    ///
    /// Call it after the library that the thread is to use was started: handlers of exit(3) run last in, first out.
    /// - Parameters:
    ///   - name: at most 15 bytes, for debuggers.
    ///   - wake: makes `body` look at ``isExiting``; called at exit, on any thread, never after `body` has called
    ///     ``end()`` or returned.
    ///   - body: returns soon after ``isExiting`` has become true. A thread that has not within a second is left to its
    ///     fate.
    /// - Throws: `CocoaError(.fileReadUnknown)` when the system has no thread to give.
    public static func start(
        name: String, wake: @escaping @Sendable () -> Void, body: @escaping @Sendable (TransportThread) -> Void
    ) throws {
        final class Work: Sendable {
            let name: String
            let thread: TransportThread
            let body: @Sendable (TransportThread) -> Void

            init(name: String, thread: TransportThread, body: @escaping @Sendable (TransportThread) -> Void) {
                self.name = name
                self.thread = thread
                self.body = body
            }
        }
        _ = registered
        let thread = TransportThread(wake: wake)
        let code = entries.withLock { entries in
            entries.removeAll { entry in entry.thread.hasEnded && carrel_pthread_tryjoin(entry.id, nil) == 0 }
            var id = pthread_t()
            let context = Unmanaged.passRetained(Work(name: name, thread: thread, body: body))
            let code = pthread_create(
                &id, nil,
                { context in
                    guard let context else { return nil }
                    let work = Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
                    _ = carrel_pthread_setname(pthread_self(), work.name)
                    work.body(work.thread)
                    work.thread.end()
                    return nil
                }, context.toOpaque())
            if code == 0 { entries.append(Entry(id: id, thread: thread)) } else { context.release() }
            return code
        }
        if code != 0 {
            throw FileError.make(
                .fileReadUnknown, path: "",
                sentence: "The system has no thread to give: \(String(cString: strerror(code))).")
        }
    }

    private init(wake: @escaping @Sendable () -> Void) { self.wake = Mutex(wake) }

    /// Whether the process is ending: the body returns where it is, and tells nobody, since what waits for it ends with
    /// the process.
    public static var isExiting: Bool { exiting.load(ordering: .sequentiallyConsistent) }

    /// Says that nothing is to wake the thread any more; for a body that frees what it is woken by.
    public func end() { wake.withLock { $0 = nil } }

    private var hasEnded: Bool { wake.withLock { $0 == nil } }

    private static func haltAll() {
        exiting.store(true, ordering: .sequentiallyConsistent)
        let left = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        for entry in left { entry.thread.wake.withLock { $0?() } }
        var deadline = timespec()
        clock_gettime(CLOCK_REALTIME, &deadline)
        deadline.tv_sec += 1
        for entry in left { _ = carrel_pthread_timedjoin(entry.id, nil, &deadline) }
    }
}

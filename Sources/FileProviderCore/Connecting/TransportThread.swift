import CLinux
import Foundation
import Synchronization

/// A thread of a transport, which ends before the process does.
///
/// TLS libraries free their tables in a handler of exit(3), even while a thread uses them or, at its end, frees its own
/// part of them. At exit, these threads are therefore asked to halt and joined; the join also waits for what a thread
/// frees at its end.
public final class TransportThread: Sendable {
    /// Wakes the thread; nil once there is nothing left to wake it by.
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
    /// Call it after starting the library that the thread uses: handlers of exit(3) run last in, first out.
    /// - Parameters:
    ///   - name: At most 15 bytes, for debuggers.
    ///   - wake: Makes `body` check ``isExiting``. Called at exit, on any thread, never after `body` has called
    ///     ``end()`` or returned.
    ///   - body: Has to return soon after ``isExiting`` becomes true. A thread that still runs a second later is
    ///     abandoned.
    /// - Throws: `CocoaError(.fileReadUnknown)` if the system cannot start a thread.
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
                sentence: "The system could not start a thread: \(String(cString: strerror(code))).")
        }
    }

    private init(wake: @escaping @Sendable () -> Void) { self.wake = Mutex(wake) }

    /// Whether the process is ending. The body then returns at once without reporting anything, since its waiters end
    /// with the process.
    public static var isExiting: Bool { exiting.load(ordering: .sequentiallyConsistent) }

    /// Stops waking the thread; for a body that frees what it is woken by.
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

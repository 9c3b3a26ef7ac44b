import Dispatch
import FileProviderCore
import Foundation
import Synchronization

/// One inotify descriptor: the watched folders, and the hints received. Source: inotify(7).
///
/// Events are read when the kernel signals them, on a private serial queue; no thread blocks.
final class LocalMonitorQueue: @unchecked Sendable {
    // Unchecked: a dispatch source may be used from any thread; everything mutable is in `inbox`.
    private let inbox: LocalMonitorInbox
    /// Nil if the system could not give a descriptor.
    let source: (any DispatchSourceRead)?
    private let dispatch = DispatchQueue(label: "carrel.inotify")

    /// The result of a request to watch a folder.
    enum WatchResult {
        case watch(Int32)
        /// No more watches or descriptors are available; the sentence says which.
        case exhausted(String)
        /// The errno for this folder.
        case refused(Int32)
    }

    /// - Parameters:
    ///   - mostWatches: A limit in addition to the system's.
    ///   - mostPending: The most changed places to hold for a slow consumer.
    init(maxWatches: Int, maxPending: Int) {
        let raw = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        inbox = LocalMonitorInbox(raw: raw, maxWatches: maxWatches, maxPending: maxPending)
        guard raw >= 0 else {
            source = nil
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: raw, queue: dispatch)
        source.setEventHandler { [inbox] in inbox.read() }
        source.setCancelHandler { [inbox] in inbox.close() }
        source.resume()
        self.source = source
    }

    deinit {
        source?.cancel()
    }

    /// Watches a folder; a folder that is already watched keeps its number.
    func add(_ folder: FileDescriptor, isRoot: Bool) -> WatchResult { inbox.add(folder, isRoot: isRoot) }

    func remove(_ watch: Int32) { inbox.remove(watch) }

    /// Returns all hints that the kernel has, and clears them here.
    func take() -> LocalHints { inbox.take() }

    /// Whether the second half of a move may still arrive.
    var hasHalfMove: Bool { inbox.hasHalfMove }

    /// Waits for a hint, a call of ``wake()``, the end of the queue, or the end of the task.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { inbox.wait($0) }
        } onCancel: {
            inbox.wake(isDue: false)
        }
    }

    /// Makes ``wait()`` return, now or the next time.
    func wake() { inbox.wake(isDue: true) }

    /// Makes ``wait()`` return within `seconds`.
    func wake(after seconds: Double) {
        let time = ContinuousClock.now + .seconds(seconds)
        guard inbox.plansWaking(at: time) else { return }
        dispatch.asyncAfter(deadline: .now() + seconds) { [weak inbox] in inbox?.wake(asPlannedFor: time) }
    }

    /// Closes the descriptor before it returns.
    func close() async {
        await withCheckedContinuation { continuation in
            if source == nil { inbox.close() }
            inbox.whenClosed { continuation.resume() }
            source?.cancel()
        }
    }
}

/// The state shared by the threads around an inotify descriptor.
private final class LocalMonitorInbox: Sendable {
    private struct State {
        var raw: Int32
        var isClosed = false
        var hints = LocalHints()
        /// Whether a look is requested even without hints.
        var isDue = false
        /// When a look is planned; nil for no plan.
        var wakes: ContinuousClock.Instant?
        var watches: Set<Int32> = []
        var waiters: [CheckedContinuation<Void, Never>] = []
        var closers: [@Sendable () -> Void] = []
    }

    private let state: Mutex<State>
    private let maxWatches: Int
    private let maxPending: Int
    private let failure: String

    private static let changes =
        UInt32(
            IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_ONLYDIR
                | IN_EXCL_UNLINK)
    private static let changesOfRoot = changes | UInt32(IN_DELETE_SELF | IN_MOVE_SELF)

    init(raw: Int32, maxWatches: Int, maxPending: Int) {
        failure = raw < 0 ? String(cString: strerror(errno)) : ""
        state = Mutex(State(raw: raw))
        self.maxWatches = maxWatches
        self.maxPending = maxPending
    }

    func add(_ folder: FileDescriptor, isRoot: Bool) -> LocalMonitorQueue.WatchResult {
        state.withLock { state in
            guard state.raw >= 0 else { return .exhausted("The system has no inotify descriptor left: \(failure).") }
            if state.isClosed { return .refused(EBADF) }
            if state.watches.count >= maxWatches { return .exhausted(Self.limit) }
            // Through the descriptor, so that no link and no renaming leads elsewhere.
            let watch = inotify_add_watch(
                state.raw, "/proc/self/fd/\(folder.raw)", isRoot ? Self.changesOfRoot : Self.changes)
            if watch >= 0 {
                state.watches.insert(watch)
                return .watch(watch)
            }
            return errno == ENOSPC || errno == ENOMEM ? .exhausted(Self.limit) : .refused(errno)
        }
    }

    private static let limit = "The system's limit on watched folders is reached; raise fs.inotify.max_user_watches."

    func remove(_ watch: Int32) {
        state.withLock { state in
            guard !state.isClosed, state.watches.remove(watch) != nil else { return }
            // A watch that the kernel has ended itself is unknown to it, which does no harm.
            inotify_rm_watch(state.raw, watch)
        }
    }

    func take() -> LocalHints {
        state.withLock { state in
            drain(&state)
            for watch in state.hints.ended { state.watches.remove(watch) }
            state.isDue = false
            defer { state.hints = LocalHints() }
            return state.hints
        }
    }

    var hasHalfMove: Bool { state.withLock { $0.hints.hasHalfMove } }

    func read() {
        let waiters = state.withLock { state in
            drain(&state)
            return state.hints.isEmpty ? [] : Self.takeWaiters(&state)
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait(_ continuation: CheckedContinuation<Void, Never>) {
        let isReady = state.withLock { state in
            let isReady = !state.hints.isEmpty || state.isDue || state.isClosed || Task.isCancelled
            if !isReady { state.waiters.append(continuation) }
            return isReady
        }
        if isReady { continuation.resume() }
    }

    func wake(isDue: Bool) {
        let waiters = state.withLock { state in
            if isDue { state.isDue = true }
            return Self.takeWaiters(&state)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// - Returns: Whether no wake-up was planned for that time or earlier.
    func plansWaking(at time: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            if let wakes = state.wakes, wakes <= time { return false }
            state.wakes = time
            return true
        }
    }

    /// Wakes unless the plan has changed since.
    func wake(asPlannedFor time: ContinuousClock.Instant) {
        let isPlanned = state.withLock { state in
            guard state.wakes == time else { return false }
            state.wakes = nil
            return true
        }
        if isPlanned { wake(isDue: true) }
    }

    func whenClosed(_ body: @escaping @Sendable () -> Void) {
        let isClosed = state.withLock { state in
            if !state.isClosed { state.closers.append(body) }
            return state.isClosed
        }
        if isClosed { body() }
    }

    func close() {
        let (waiters, closers) = state.withLock { state in
            if !state.isClosed, state.raw >= 0 { Glibc.close(state.raw) }
            state.isClosed = true
            defer { state.closers = [] }
            return (Self.takeWaiters(&state), state.closers)
        }
        for waiter in waiters { waiter.resume() }
        for closer in closers { closer() }
    }

    private static func takeWaiters(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.waiters = [] }
        return state.waiters
    }

    /// Reads until the kernel has no more; in a flood, as much as its queue holds.
    private func drain(_ state: inout State) {
        guard !state.isClosed, state.raw >= 0 else { return }
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
            for _ in 0..<64 {
                let count = Glibc.read(state.raw, buffer.baseAddress, buffer.count)
                if count <= 0 { return }
                parse(UnsafeRawBufferPointer(rebasing: buffer[..<count]), into: &state.hints)
            }
        }
    }

    private func parse(_ bytes: UnsafeRawBufferPointer, into hints: inout LocalHints) {
        var offset = 0
        let header = MemoryLayout<inotify_event>.size
        while offset + header <= bytes.count {
            let event = bytes.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = min(bytes.count, offset + header + Int(event.len))
            let name = bytes[(offset + header)..<end].prefix { $0 != 0 }
            hints.add(
                event.mask, at: LocalSpot(folder: event.wd, name: Array(name)), cookie: event.cookie, limit: maxPending)
            offset = end
        }
    }
}

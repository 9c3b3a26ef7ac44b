import CurlTransport
import FileProviderCore
import Foundation

/// A download that waits for its reader: what comes next in a file is there without another data connection.
///
/// It gives its control connection back when somebody else needs that, when nobody has read for a while, or when it is
/// at the end.
final class FTPForwardStream: Sendable {
    /// Sends the file from `start` on into `pipe`.
    typealias Fetch = @Sendable (_ session: FTPSession, _ start: Int64, _ pipe: BytePipe) async throws -> Void

    private struct Current: Sendable {
        let session: FTPSession
        let pipe: BytePipe
        let task: Task<Void, Never>
        /// Where in the file it began.
        let start: Int64
        /// Where in the file the first byte of `rest`, or behind it of the pipe, lies.
        var position: Int64
        var rest = Data()
    }

    private struct State {
        var current: Current?
        var isHeld = false
        var waiters: [(start: Int64, waiter: FTPWaiter)] = []
        /// Counts the times it was laid aside.
        var turns = 0
        var isWatched = false
    }

    private let pool: FTPPool
    private let state = LockedValue(State())

    /// Bytes that are rather read and thrown away than jumped over.
    private static let maxSkip: Int64 = 256 << 10
    /// Bytes that are fetched before they are asked for.
    private static let ahead = 64 << 10
    /// Servers end a download that nobody takes; before that it had better be given up.
    private static let maxRest = Duration.seconds(15)

    init(pool: FTPPool) {
        self.pool = pool
    }

    deinit {
        _ = pool.unpark(self)
        if let current = state.value.current {
            current.pipe.abandon()
            current.session.abort()
            pool.giveBack(current.session)
        }
    }

    /// Sends the bytes of `range` into `sink`, one caller after the other.
    ///
    /// - Parameters:
    ///   - size: Of the whole file, which has nothing behind that.
    ///   - endedEarly: What is wrong when the server calls the file done in front of the range's end.
    func read(
        _ range: Range<Int64>, of size: Int64, into sink: any ByteSink, endedEarly: CocoaError, fetch: @escaping Fetch
    ) async throws {
        try await hold(range.lowerBound)
        defer { letGo(at: range.upperBound) }
        var current = try await current(for: range.lowerBound, fetch)
        do {
            guard try await send(range, of: &current, into: sink) else { throw endedEarly }
            if range.upperBound == size, current.start > 0, !current.session.host.takesOffsets {
                try await seeEnd(of: current)
            }
        } catch {
            await end(current)
            throw error
        }
        await layAside(current)
    }

    /// Gives back what is held.
    func close() async {
        if let current = state.update({ $0.current.take() }) {
            _ = pool.unpark(self)
            await end(current)
        }
    }

    // MARK: One download

    private func current(for start: Int64, _ fetch: @escaping Fetch) async throws -> Current {
        if let current = state.update({ $0.current.take() }) {
            let isOurs = pool.unpark(self)
            if isOurs, current.position <= start, start - current.position <= Self.maxSkip { return current }
            await end(current)
        }
        let session = try await pool.take()
        let pipe = BytePipe(capacity: Self.ahead)
        let task = Task {
            do {
                try await fetch(session, start, pipe)
                pipe.finish()
            } catch { pipe.finish(throwing: error) }
        }
        return Current(session: session, pipe: pipe, task: task, start: start, position: start)
    }

    /// Whether there was all of `range`.
    private func send(_ range: Range<Int64>, of current: inout Current, into sink: any ByteSink) async throws -> Bool {
        while current.position < range.upperBound {
            if current.rest.isEmpty {
                guard let piece = try await current.pipe.next() else { return false }
                current.rest = piece
            }
            let skipped = min(Int64(current.rest.count), max(0, range.lowerBound - current.position))
            current.rest = current.rest.dropFirst(Int(skipped))
            current.position += skipped
            let wanted = current.rest.prefix(Int(clamping: range.upperBound - current.position))
            if wanted.isEmpty || current.position < range.lowerBound { continue }
            try await sink.send(Data(wanted))
            current.rest = current.rest.dropFirst(wanted.count)
            current.position += Int64(wanted.count)
        }
        return true
    }

    /// Sees, once for a server, that the file ends where it should: bytes from another offset would go on.
    private func seeEnd(of current: Current) async throws {
        do {
            guard current.rest.isEmpty, try await current.pipe.next() == nil else {
                throw FileError.make(
                    .cannotParseResponse, url: nil,
                    sentence: "The file has more bytes than its size, or came from another offset.")
            }
            current.session.host.takesOffsets = true
        } catch let error where error is FTPFailure {
            // Nothing came behind the last byte, and the server's last word is not needed.
        }
    }

    private func layAside(_ current: Current) async {
        let turn = state.update { state in
            state.current = current
            state.turns += 1
            return state.turns
        }
        pool.park(self) { [weak self] in
            Task { await self?.giveUp() }
        }
        // Somebody may have closed it in between.
        if state.value.current == nil { _ = pool.unpark(self) }
        watch(from: turn)
    }

    /// One task for the stream sees that it is not laid aside for too long.
    private func watch(from turn: Int) {
        let isWatched = state.update { state in
            defer { state.isWatched = true }
            return state.isWatched
        }
        if isWatched { return }
        Task { [weak self] in
            var seen = turn
            while true {
                try await Task.sleep(for: Self.maxRest)
                guard let self else { return }
                let turns = self.state.value.turns
                if turns == seen { break }
                seen = turns
            }
            self?.state.update { $0.isWatched = false }
            await self?.close()
        }
    }

    private func giveUp() async {
        if let current = state.update({ $0.current.take() }) { await end(current) }
    }

    private func end(_ current: Current) async {
        current.pipe.abandon()
        // A server that sends nothing more does not notice that nothing is wanted.
        let timer = Task {
            try await Task.sleep(for: .seconds(2))
            current.session.abort()
        }
        await current.task.value
        timer.cancel()
        pool.giveBack(current.session)
    }

    // MARK: Turns

    private func hold(_ start: Int64) async throws {
        let waiter: FTPWaiter? = state.update { state in
            if !state.isHeld {
                state.isHeld = true
                return nil
            }
            let waiter = FTPWaiter()
            state.waiters.append((start, waiter))
            return waiter
        }
        guard let waiter else { return }
        let never = ContinuousClock.now + .seconds(1_000_000)
        do { _ = try await waiter.wait(until: { never }) } catch {
            if waiter.wasWoken { letGo(at: start) }
            throw error
        }
    }

    /// The next turn is that of who wants what comes next in the file, else of who has waited longest.
    private func letGo(at position: Int64) {
        state.update { state in
            while !state.waiters.isEmpty {
                let ahead = state.waiters.indices.filter {
                    (position...position + Self.maxSkip).contains(state.waiters[$0].start)
                }
                let next = ahead.min { state.waiters[$0].start < state.waiters[$1].start } ?? 0
                if state.waiters.remove(at: next).waiter.wake() { return }
            }
            state.isHeld = false
        }
    }
}

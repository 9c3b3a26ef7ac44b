import CurlTransport
import FileProviderCore
import Foundation

/// A download that waits for its reader, so that the following bytes can be read without another data connection.
///
/// It gives its control connection back when another caller needs it, when it was not read for a while, or at the end.
final class FTPForwardStream: Sendable {
    /// Sends the file from `start` on into `pipe`.
    typealias Fetch = @Sendable (_ session: FTPSession, _ start: Int64, _ pipe: BytePipe) async throws -> Void

    private struct Current: Sendable {
        let session: FTPSession
        let pipe: BytePipe
        let task: Task<Void, Never>
        /// The offset in the file at which the download began.
        let start: Int64
        /// The offset in the file of the next byte, in `rest` or in the pipe.
        var position: Int64
        var rest = Data()
    }

    private struct State {
        var current: Current?
        var isHeld = false
        var waiters: [(start: Int64, waiter: FTPWaiter)] = []
        /// Counts how often the download was parked.
        var turns = 0
        var isWatched = false
    }

    private let pool: FTPPool
    private let state = LockedValue(State())

    /// Bytes that are read and discarded rather than skipped with another data connection.
    private static let maxSkip: Int64 = 256 << 10
    /// Bytes that are fetched in advance.
    private static let ahead = 64 << 10
    /// After this time a parked download is given up, before the server ends it.
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

    /// Sends the bytes of `range` to `sink`, one caller at a time.
    ///
    /// - Parameters:
    ///   - size: The size of the whole file.
    ///   - endedEarly: The error to throw if the server ends the file before the end of the range.
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

    /// Gives the connection back.
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

    /// Sends `range`, and returns false if the file ended before its end.
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

    /// Verifies, once for each server, that the file ends where it should: bytes from a wrong offset would not.
    private func seeEnd(of current: Current) async throws {
        do {
            guard current.rest.isEmpty, try await current.pipe.next() == nil else {
                throw FileError.make(
                    .cannotParseResponse, url: nil,
                    sentence: "The server sent more bytes than the file's size, or sent them from another offset.")
            }
            current.session.host.takesOffsets = true
        } catch let error where error is FTPFailure {
            // No byte followed the last one, and the server's final reply is not needed.
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
        // Another task may have closed it in between.
        if state.value.current == nil { _ = pool.unpark(self) }
        watch(from: turn)
    }

    /// One task for each stream gives it up if it is parked for too long.
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
        // A server that has stopped sending does not notice that the client has stopped reading.
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

    /// The next turn goes to the caller that reads on from here, else to the one that has waited longest.
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

import FileProviderCore
import Synchronization

/// A bounded number of files that are kept open for further reads. The least recently used is closed first.
final class ReaderPool: Sendable {
    fileprivate struct HeldReader {
        var reader: any FileReader
        var users = 0
        var lastUse = 0
    }

    fileprivate struct State {
        var isClosed = false
        var uses = 0
        var held: [Int: HeldReader] = [:]
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: The number of idle files to keep open.
    init(capacity: Int) {
        self.capacity = capacity
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Reads from the file with this `key`; `open` opens it if it is not open. Any number of callers may read it at
    /// once.
    ///
    /// A reader that failed is not used again: the file may have been replaced.
    ///
    /// - Throws: The errors of `open` and `body`; `closed` after ``close()`` was called.
    func withReader(
        _ key: Int, open: () async throws -> any FileReader, closed: () -> any Error,
        _ body: (any FileReader) async throws -> Void
    ) async throws {
        var joined = state.withLock { $0.join(key) }
        if joined == nil { joined = await add(try await open(), key) }
        guard let reader = joined else { throw closed() }
        do {
            try await body(reader)
        } catch {
            await leave(key, reader, failed: true)
            throw error
        }
        await leave(key, reader, failed: false)
    }

    func close() async {
        let readers = state.withLock { state in
            state.isClosed = true
            defer { state.held = [:] }
            return state.held.values.map(\.reader)
        }
        for reader in readers { await reader.close() }
    }

    /// - Returns: The reader to use, another caller's if that was faster; nil if the pool is closed.
    private func add(_ reader: any FileReader, _ key: Int) async -> (any FileReader)? {
        let used = state.withLock { state -> (any FileReader)? in
            if state.isClosed { return nil }
            if state.held[key] == nil { state.held[key] = HeldReader(reader: reader) }
            return state.join(key)
        }
        if used !== reader { await reader.close() }
        return used
    }

    private func leave(_ key: Int, _ reader: any FileReader, failed: Bool) async {
        let toClose = state.withLock { state in
            // Removed already, and closed by the remover or by the last reference to it.
            guard state.held[key]?.reader === reader else { return [any FileReader]() }
            state.held[key]?.users -= 1
            if failed, let dropped = state.held.removeValue(forKey: key) {
                return dropped.users == 0 ? [dropped.reader] : []
            }
            return state.surplus(over: capacity)
        }
        for reader in toClose { await reader.close() }
    }
}

extension ReaderPool.State {
    fileprivate mutating func join(_ key: Int) -> (any FileReader)? {
        uses += 1
        held[key]?.users += 1
        held[key]?.lastUse = uses
        return held[key]?.reader
    }

    /// Removes idle readers over the capacity, the oldest first, and returns them.
    fileprivate mutating func surplus(over capacity: Int) -> [any FileReader] {
        var surplus: [any FileReader] = []
        while held.count > capacity,
            let oldest = held.filter({ $0.value.users == 0 }).min(by: { $0.value.lastUse < $1.value.lastUse }),
            let removed = held.removeValue(forKey: oldest.key)
        {
            surplus.append(removed.reader)
        }
        return surplus
    }
}

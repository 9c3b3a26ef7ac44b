import FileProviderCore
import Foundation

@testable import SyncFleet

/// The queue in memory, whose time passes only as a test says.
final class QueueDouble: FleetQueue {
    /// A pair and what became of it.
    struct Row: Sendable {
        var pair: FleetPair
        var due: Double = 0
        var fence: Int64 = 0
        var lease: Lease?
        var state: State?
        var isUnsettled = false
        var failures = 0
        var releases: [FleetRelease] = []
    }

    struct Lease: Sendable, Equatable {
        var worker: String
        var beat: Int64 = 0
        /// What the pair's was before.
        var wasUnsettled = false
    }

    struct State: Sendable, Equatable {
        var name: String
        var size: Int64
        var checksum: String
    }

    private struct Table: Sendable {
        var rows: [Int64: Row] = [:]
        var time: Double = 0
        var listeners: [AsyncStream<String>.Continuation] = []
    }

    private let table = LockedValue(Table())
    /// Calls in the order in which they took effect.
    let calls = CollectedValues<String>()
    /// Called before each call has an effect: it may wait or throw.
    let before = LockedValue<@Sendable (_ call: String) async throws -> Void>({ _ in })
    /// Called after the effect: what it throws keeps the answer from the worker.
    let after = LockedValue<@Sendable (_ call: String) async throws -> Void>({ _ in })

    func row(_ id: Int64 = 1) -> Row? { table.value.rows[id] }

    /// The releases of a pair.
    func releases(_ id: Int64 = 1) -> [FleetRelease] { row(id)?.releases ?? [] }

    /// Adds a pair that is due.
    @discardableResult
    func add(_ pair: FleetPair) -> Int64 {
        let id = table.update { table in
            let id = Int64(table.rows.count + 1)
            table.rows[id] = Row(pair: pair, due: table.time)
            return id
        }
        wake("added")
        return id
    }

    func change(_ id: Int64 = 1, _ change: @Sendable (inout Row) -> Void) {
        table.update { if var row = $0.rows[id] { change(&row); $0.rows[id] = row } }
    }

    /// Has the time pass, and wakes the workers.
    func pass(_ seconds: Double) {
        table.update { $0.time += seconds }
        wake("passed")
    }

    func wake(_ word: String) { for listener in table.value.listeners { listener.yield(word) } }

    private func call<Value: Sendable>(_ name: String, _ body: @Sendable (inout [Int64: Row], Double) -> Value)
        async throws -> Value
    {
        try await before.value(name)
        let value = table.update { table in body(&table.rows, table.time) }
        calls.append(name)
        try await after.value(name)
        return value
    }

    // MARK: FleetQueue

    func register(worker: String, version: String) async throws { try await call("register") { _, _ in } }
    func seen(worker: String, running: Int, stopping: Bool) async throws { try await call("seen") { _, _ in } }
    func promote() async throws { try await call("promote") { _, _ in } }

    func claim(worker: String, count: Int) async throws -> [FleetLease] {
        try await call("claim") { rows, time in
            let due = rows.filter { $0.value.lease == nil && $0.value.due <= time }.keys.sorted().prefix(count)
            return due.compactMap { id in
                guard var row = rows[id] else { return nil }
                row.fence += 1
                row.lease = Lease(worker: worker, wasUnsettled: row.isUnsettled)
                row.isUnsettled = true
                rows[id] = row
                return FleetLease(
                    id: id, fence: row.fence, pair: row.pair, stateName: row.state?.name, stateSize: row.state?.size,
                    stateChecksum: row.state?.checksum, isUnsettled: row.lease?.wasUnsettled ?? false,
                    failures: row.failures)
            }
        }
    }

    func renew(worker: String, leases: [FleetLease]) async throws -> Set<Int64> {
        try await call("renew") { rows, _ in
            var held: Set<Int64> = []
            for lease in leases where Self.holds(rows[lease.id], lease) {
                rows[lease.id]?.lease?.beat += 1
                held.insert(lease.id)
            }
            return held
        }
    }

    func publish(_ lease: FleetLease, name: String, size: Int64, checksum: String) async throws -> String? {
        let (isHeld, former) = try await call("publish") { rows, _ -> (Bool, String?) in
            guard Self.holds(rows[lease.id], lease) else { return (false, nil) }
            let former = rows[lease.id]?.state?.name
            rows[lease.id]?.state = State(name: name, size: size, checksum: checksum)
            rows[lease.id]?.isUnsettled = false
            return (true, former)
        }
        if isHeld { return former }
        throw FileError.make(.fileWriteNoPermission, path: lease.pair.name, sentence: "The lease is lost.")
    }

    func release(_ lease: FleetLease, _ release: FleetRelease) async throws -> Bool {
        try await call("release") { rows, time in
            guard Self.holds(rows[lease.id], lease), var row = rows[lease.id] else { return false }
            row.isUnsettled = release.isSettled.map { !$0 } ?? row.lease?.wasUnsettled ?? false
            row.lease = nil
            row.due = time + release.delay
            row.releases.append(release)
            switch FleetOutcome(rawValue: release.outcome) {
            case .success: row.failures = 0
            case .failed, .incomplete, .deadline: row.failures += 1
            case .refused, .stopped, .lost, nil: break
            }
            rows[lease.id] = row
            return true
        }
    }

    func leases() async throws -> [(id: Int64, fence: Int64, beat: Int64)] {
        try await call("leases") { rows, _ in
            rows.compactMap { id, row in row.lease.map { (id, row.fence, $0.beat) } }
        }
    }

    func takeBack(id: Int64, fence: Int64, beat: Int64) async throws -> Bool {
        try await call("takeBack") { rows, time in
            guard let row = rows[id], row.fence == fence, row.lease?.beat == beat else { return false }
            rows[id]?.lease = nil
            rows[id]?.due = time
            return true
        }
    }

    func giveUp(worker: String, keeping: [FleetLease]) async throws {
        try await call("giveUp") { rows, time in
            for (id, row) in rows where row.lease?.worker == worker {
                if keeping.contains(where: { $0.id == id && $0.fence == row.fence }) { continue }
                rows[id]?.lease = nil
                rows[id]?.due = time
            }
        }
    }

    func nextDue() async throws -> Double? {
        try await call("nextDue") { rows, time in
            rows.values.filter { $0.lease == nil }.map { $0.due - time }.min()
        }
    }

    func wakes() -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        table.update { $0.listeners.append(continuation) }
        continuation.yield("")
        return stream
    }

    private static func holds(_ row: Row?, _ lease: FleetLease) -> Bool {
        row?.lease != nil && row?.fence == lease.fence
    }
}

import FileProviderCore
import Foundation
import PostgresTransport

/// What workers ask of the queue.
extension Fleet {
    /// Enters a worker, for the summary.
    func register(worker: String, version: String) async throws {
        _ = try await run("SELECT @.register_worker($1::text, $2::text)", [.text(worker), .text(version)])
    }

    /// Notes that a worker is alive, for the summary.
    func seen(worker: String, running: Int, stopping: Bool) async throws {
        _ = try await run(
            "SELECT @.see_worker($1::text, $2::integer, $3::boolean)",
            [.text(worker), .int(Int64(running)), .bool(stopping)])
    }

    /// Opens gates whose time has come, and makes due pairs ready, up to 1,000 queues of pairs at once.
    func promote() async throws {
        _ = try await run("SELECT @.promote(1000)")
    }

    /// Takes up to `count` pairs that are ready and whose gates have room.
    ///
    /// - Complexity: One round trip; more if other workers take pairs with the same gates at the same moment, or many
    ///   pairs wait for a limit that was reached just now.
    func claim(worker: String, count: Int) async throws -> [FleetLease] {
        var waits = false
        while true {
            let rows = try await run(
                "SELECT * FROM @.claim($1::text, $2::integer, $3::boolean)",
                [.text(worker), .int(Int64(count)), .bool(waits)])
            // The last row may say that there is more to look at.
            let found = try rows.filter { try $0.optionalInt("id") != nil }
            if !found.isEmpty || rows.isEmpty { return try found.map(FleetLease.init) }
            try Task.checkCancellation()
            waits = true
        }
    }

    /// Renews leases. Returns the pairs whose lease with that fence is still held; the runs of others have to end.
    func renew(worker: String, leases: [FleetLease]) async throws -> Set<Int64> {
        if leases.isEmpty { return [] }
        let held = try await run(
            "SELECT id FROM @.renew($1::text, $2::bigint[], $3::bigint[])", [.text(worker)] + Self.keys(leases))
        return Set(try held.map { try $0.int("id") })
    }

    /// Makes a file the state of the pair and returns the name of the former one.
    ///
    /// - Throws: `CocoaError(.fileWriteNoPermission)` if the lease is no longer held. Nothing has changed then.
    func publish(_ lease: FleetLease, name: String, size: Int64, checksum: String) async throws -> String? {
        let rows = try await run(
            "SELECT former FROM @.publish($1::bigint, $2::bigint, $3::text, $4::bigint, $5::text)",
            [.int(lease.id), .int(lease.fence), .text(name), .int(size), .text(checksum)])
        guard let row = rows.first else {
            throw FileError.make(
                .fileWriteNoPermission, path: lease.pair.name,
                sentence: "The lease of the pair “\(lease.pair.name)” is lost, and its state was not published.")
        }
        return try row.optionalText("former")
    }

    /// Gives a lease back. Returns false, and changes nothing, if it was no longer held.
    func release(_ lease: FleetLease, _ release: FleetRelease) async throws -> Bool {
        let error = release.error.map { LogText.shown(Secrets.removed(from: $0), limit: 1000) }
        return try await row(
            """
            SELECT @.release(
                $1::bigint, $2::bigint, $3::text, $4::text, $5::double precision, $6::bigint, $7::bigint, $8::text,
                $9::double precision, $10::boolean) AS held
            """,
            [
                .int(lease.id), .int(lease.fence), .text(release.outcome), .text(orNull: error),
                .double(Self.seconds(release.delay)), .int(release.bytes), .int(Int64(release.changes)),
                .text(orNull: release.gate), .double(Self.seconds(release.gateDelay)),
                release.isSettled.map(PostgresValue.bool) ?? .null,
            ]
        ).bool("held")
    }

    /// Returns all leases of all workers.
    func leases() async throws -> [(id: Int64, fence: Int64, beat: Int64)] {
        try await run("SELECT pair, fence, beat FROM @.lease").map { row in
            (id: try row.int("pair"), fence: try row.int("fence"), beat: try row.int("beat"))
        }
    }

    /// Makes the pair of a dead lease due now, if the lease still has this fence and beat.
    func takeBack(id: Int64, fence: Int64, beat: Int64) async throws -> Bool {
        try await row(
            "SELECT @.take_back($1::bigint, $2::bigint, $3::bigint) AS held", [.int(id), .int(fence), .int(beat)]
        ).bool("held")
    }

    /// Makes the pairs due now that the worker holds in the database and does not know of: the answer to its claim was
    /// lost.
    func giveUp(worker: String, keeping leases: [FleetLease]) async throws {
        _ = try await run(
            "SELECT @.give_up($1::text, $2::bigint[], $3::bigint[])", [.text(worker)] + Self.keys(leases))
    }

    /// Returns the seconds until the next pair is due or a gate opens, 0 if one is to be promoted now; nil if none is.
    func nextDue() async throws -> Double? {
        try await run("SELECT next FROM @.next_due() AS next").first?.optionalDouble("next")
    }

    private static func keys(_ leases: [FleetLease]) -> [PostgresValue] {
        [.ints(leases.map(\.id)), .ints(leases.map(\.fence))]
    }

    /// Within what the database adds to a time.
    private static func seconds(_ delay: Double) -> Double { delay.isNaN ? 0 : min(max(delay, 0), 3.2e9) }
}

import FileProviderCore
import Foundation
import PostgresTransport

extension Fleet {
    /// Adds pairs, due at once, in one transaction: thousands at once cost little more than one.
    ///
    /// - Parameter replaces: Whether a pair of the same name gets the new settings. It keeps its state and counts
    ///   unless a folder changed; then it has no state, and a present run of it ends and publishes nothing.
    /// - Throws: `CocoaError(.fileWriteFileExists)` if a pair exists and `replaces` is false, or a name is given twice;
    ///   as ``FleetPair/check()``. No pair was added then.
    public func add(_ pairs: [FleetPair], replaces: Bool = false) async throws {
        if pairs.isEmpty { return }
        var names: Set<String> = []
        for pair in pairs {
            try pair.check()
            guard names.insert(pair.name).inserted else {
                throw FileError.make(
                    .fileWriteFileExists, path: pair.name,
                    sentence: "Two of the pairs to add have the name “\(pair.name)”. None was added.")
            }
        }
        let json = String(decoding: try JSONEncoder().encode(pairs.map(FleetPairRow.init)), as: UTF8.self)
        let present = try await run(
            "SELECT name FROM @.add($1::jsonb, $2::boolean) AS name", [.text(json), .bool(replaces)])
        guard let first = try present.first?.text("name") else { return }
        let others = present.count == 1 ? "" : " and \(present.count - 1) more of these"
        throw FileError.make(
            .fileWriteFileExists, path: first,
            sentence: "The fleet has the pair “\(first)”\(others) already. None was added.")
    }

    /// Removes a pair. A present run of it ends when its worker next renews its lease, and publishes nothing.
    ///
    /// The files of its state stay on their storage.
    ///
    /// - Returns: Whether there was such a pair.
    @discardableResult
    public func remove(_ name: String) async throws -> Bool {
        try await row("SELECT @.remove($1::text) AS found", [.text(name)]).bool("found")
    }

    /// Pauses a pair: it is not taken until ``resume(pair:)``. A present run ends as usual.
    ///
    /// - Returns: Whether there is such a pair.
    @discardableResult
    public func pause(pair name: String) async throws -> Bool { try await pause(name, true) }

    /// Resumes a pair. If it was due meanwhile, it is now.
    ///
    /// - Returns: Whether there is such a pair.
    @discardableResult
    public func resume(pair name: String) async throws -> Bool { try await pause(name, false) }

    private func pause(_ name: String, _ pauses: Bool) async throws -> Bool {
        try await row("SELECT @.pause_pair($1::text, $2::boolean) AS found", [.text(name), .bool(pauses)]).bool("found")
    }

    /// Makes a pair due now, or once more after its present run, unless that fails. A paused pair waits until it is
    /// resumed.
    ///
    /// - Returns: Whether there is such a pair.
    @discardableResult
    public func runNow(_ name: String) async throws -> Bool {
        try await row("SELECT @.run_now($1::text) AS found", [.text(name)]).bool("found")
    }

    /// Returns pairs in the byte order of their names, with what the fleet knows of them.
    ///
    /// - Parameters:
    ///   - owner: The owner whose pairs to return; nil for all.
    ///   - after: The last name of the former page; nil for the first page.
    ///   - limit: The most pairs to return, up to 10,000.
    public func pairs(owner: String? = nil, after: String? = nil, limit: Int = 1000) async throws -> [FleetPairStatus] {
        try await run(
            "SELECT * FROM @.list($1::text, $2::text, $3::integer)",
            [.text(orNull: owner), .text(orNull: after), .int(Int64(min(max(limit, 1), 10_000)))]
        ).map(FleetPairStatus.init)
    }

    /// Returns a pair with what the fleet knows of it; nil if there is none of this name.
    public func pair(_ name: String) async throws -> FleetPairStatus? {
        let rows = try await run("SELECT * FROM @.pair_status WHERE name = $1::text", [.text(name)])
        return try rows.first.map(FleetPairStatus.init)
    }
}

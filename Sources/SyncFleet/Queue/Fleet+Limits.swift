import FileProviderCore
import Foundation
import PostgresTransport

extension Fleet {
    /// Limits how many pairs of a host run at once, on all workers together. Present runs go on.
    ///
    /// - Parameters:
    ///   - most: From 0, when none runs; nil for the limit of ``setDefaultHostLimit(_:)``.
    ///   - host: A host as ``FleetPair/hostGate(named:)`` reads it: with its port, unless that is the usual one of its
    ///     locations' scheme. It need not have pairs yet.
    public func setLimit(_ most: Int?, host: String) async throws {
        try await setLimit(most, gate: FleetPair.hostGate(named: host))
    }

    /// Limits how many pairs of an owner run at once, on all workers together, like ``setLimit(_:host:)``.
    public func setLimit(_ most: Int?, owner: String) async throws {
        try await setLimit(most, gate: FleetPair.ownerGate(owner))
    }

    /// Limits the runs at once on each host without a separate limit; nil for no limit, which is the first setting.
    public func setDefaultHostLimit(_ most: Int?) async throws { try await setDefault(most, "host_runs") }

    /// Limits the runs at once of each owner without a separate limit; nil for no limit, which is the first setting.
    public func setDefaultOwnerLimit(_ most: Int?) async throws { try await setDefault(most, "owner_runs") }

    /// Pauses all pairs with a folder on a host, also those added later. Present runs end as usual.
    public func pause(host: String) async throws { try await pause(gate: FleetPair.hostGate(named: host), true) }

    /// Resumes the pairs of a host. Those that were due meanwhile are due now.
    public func resume(host: String) async throws { try await pause(gate: FleetPair.hostGate(named: host), false) }

    /// Pauses all pairs of an owner, also those added later. Present runs end as usual.
    public func pause(owner: String) async throws { try await pause(gate: FleetPair.ownerGate(owner), true) }

    /// Resumes the pairs of an owner. Those that were due meanwhile are due now.
    public func resume(owner: String) async throws { try await pause(gate: FleetPair.ownerGate(owner), false) }

    private func setLimit(_ most: Int?, gate: String) async throws {
        _ = try await run(
            "SELECT @.set_limit($1::text, $2::integer)", [.text(gate), .int(orNull: try Self.checked(most))])
    }

    private func setDefault(_ most: Int?, _ key: String) async throws {
        _ = try await run(
            "SELECT @.set_default($1::text, $2::integer)", [.text(key), .int(orNull: try Self.checked(most))])
    }

    private func pause(gate: String, _ pauses: Bool) async throws {
        _ = try await run("SELECT @.pause_gate($1::text, $2::boolean)", [.text(gate), .bool(pauses)])
    }

    private static func checked(_ most: Int?) throws -> Int64? {
        guard let most else { return nil }
        guard most >= 0, let number = Int32(exactly: most) else {
            throw FileError.make(
                .featureUnsupported, path: "",
                sentence: "“\(most)” cannot be a limit of runs at once; it has to be between 0 and \(Int32.max).")
        }
        return Int64(number)
    }
}

/// The queue as workers use it. ``Fleet`` is the one in PostgreSQL.
///
/// Each call is one round trip. `URLError(.networkConnectionLost)` leaves open whether the call took effect.
protocol FleetQueue: Sendable {
    /// Enters a worker, for the status.
    func register(worker: String, version: String) async throws
    /// Notes that a worker is alive, for the status.
    func seen(worker: String, running: Int, stopping: Bool) async throws
    /// Moves due pairs to the ready ones.
    func promote() async throws
    /// Takes up to `count` ready pairs.
    func claim(worker: String, count: Int) async throws -> [FleetLease]
    /// Renews leases in one call. Returns the pairs whose lease with that fence is still held.
    func renew(worker: String, leases: [FleetLease]) async throws -> Set<Int64>
    /// Makes `name` the state of the pair and returns the former name.
    ///
    /// - Throws: An error that is not transient if the lease is no longer held.
    func publish(_ lease: FleetLease, name: String, size: Int64, checksum: String) async throws -> String?
    /// Gives a lease back. Returns false if it was no longer held.
    func release(_ lease: FleetLease, _ release: FleetRelease) async throws -> Bool
    /// Returns all leases of all workers.
    func leases() async throws -> [(id: Int64, fence: Int64, beat: Int64)]
    /// Makes the pair of a dead lease ready again, if the lease is still the one with this fence and beat.
    func takeBack(id: Int64, fence: Int64, beat: Int64) async throws -> Bool
    /// Makes the pairs ready that the worker holds in the queue and does not know of.
    func giveUp(worker: String, keeping: [FleetLease]) async throws
    /// Returns the seconds until the next pair is due, 0 or less if one is now, or `nil` if none is.
    func nextDue() async throws -> Double?
    /// Returns a stream with an element when a pair became ready; an empty one if others may have been missed.
    func wakes() -> AsyncStream<String>
}

/// A pair that a worker holds, until it gives it back or does not renew the lease in time.
public struct FleetLease: Sendable {
    /// The number of the pair's row.
    public let id: Int64
    /// Rises each time that a worker takes the pair: of two leases, the higher one is the later.
    public let fence: Int64
    /// The settings, as they were when the pair was taken.
    public let pair: FleetPair
    /// The file name of the pair's state; nil if it has none yet.
    public let stateName: String?
    /// The size of the state's file in bytes.
    public let stateSize: Int64?
    /// The SHA-256 of the state's file, in hexadecimal digits.
    public let stateChecksum: String?
    /// Whether a run, such as one of a worker that died, may have done what the state does not know of.
    public let isUnsettled: Bool
    /// The failed runs since the last success.
    public let failures: Int
}

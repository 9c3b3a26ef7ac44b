/// What clients may take of a server.
public struct ServerLimits: Hashable, Sendable {
    /// Connections at once; further ones wait. 1,024 by default.
    public var connections = 1_024
    /// Bytes of all header fields of a request; 16 KiB by default.
    public var headerBytes = 16 << 10
    /// The time within which a request has to arrive after its connection or the last answer, and within which a
    /// client has to take some of an answer; 30 s by default.
    public var idleTime: Duration = .seconds(30)

    /// The defaults.
    public init() {}
}

/// The numbers behind the error of an answer that ended early. Other files may still arrive whole.
public struct ShortAnswer: Error, Sendable {
    /// Bytes that arrived.
    public var arrived: Int64
    /// Bytes that the server promised.
    public var promised: Int64
    /// The transport's own error; nil if the server ended its answer in order.
    public var cause: (any Error)?

    /// An answer of which only `arrived` of `promised` bytes arrived.
    public init(arrived: Int64, promised: Int64, cause: (any Error)? = nil) {
        self.arrived = arrived
        self.promised = promised
        self.cause = cause
    }
}

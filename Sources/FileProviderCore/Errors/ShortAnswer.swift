/// The numbers behind the error of an answer that ended before all its bytes had come. Other files may still come
/// whole.
public struct ShortAnswer: Error, Sendable {
    /// Bytes that came.
    public var arrived: Int64
    /// Bytes that the server promised.
    public var promised: Int64
    /// The transport's own error; nil if the server ended its answer in order.
    public var cause: (any Error)?

    /// An answer of which `arrived` of `promised` bytes came.
    public init(arrived: Int64, promised: Int64, cause: (any Error)? = nil) {
        self.arrived = arrived
        self.promised = promised
        self.cause = cause
    }
}

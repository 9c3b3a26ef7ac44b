/// Bytes and requests of one exchange.
package struct TransferTally: Sendable {
    /// Login rounds included.
    package var requests: Int64
    package var bytesIn: Int64
    package var bytesOut: Int64

    package init(requests: Int64 = 1, bytesIn: Int64 = 0, bytesOut: Int64 = 0) {
        self.requests = requests
        self.bytesIn = bytesIn
        self.bytesOut = bytesOut
    }
}

/// One request, or one operation of several, as ``RequestLog`` writes it. Its creator leaves secrets out.
package struct RequestRecord: Sendable {
    /// A method, a command, or the name of an operation: `GET`, `RETR`, `rename`.
    package var operation: String
    /// The path of the item, without a query; empty for none.
    package var item: String
    package var host: String?
    /// The server's answer: `206`, or `CWD 250, RETR 226`.
    package var status: String?
    /// Values that only one protocol has, by their keys in the log.
    package var details: [(key: String, value: String)]

    package init(
        _ operation: String, of item: String, host: String? = nil, status: String? = nil,
        details: [(key: String, value: String)] = []
    ) {
        self.operation = operation
        self.item = item
        self.host = host
        self.status = status
        self.details = details
    }
}

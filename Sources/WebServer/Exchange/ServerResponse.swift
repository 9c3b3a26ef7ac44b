public import FileProviderCore
public import Foundation

/// An answer of HTTP.
public struct ServerResponse: Sendable {
    /// What follows the header fields.
    public enum Body: Sendable {
        /// Nothing.
        case none
        /// Bytes in memory.
        case data(Data)
        /// Bytes that `send` writes: `count` of them, or an unknown number. It throws when the storage or the sink
        /// fails, and stops when its task is cancelled; the client must then see that the answer is not whole.
        case stream(count: Int64?, send: @Sendable (any ByteSink) async throws -> Void)
    }

    /// The status code (RFC 9110, section 15).
    public var status: Int
    /// Header fields in the order in which they are sent, without `Content-Length`, which follows from the body.
    public var headers: [(name: String, value: String)]
    /// The body; `.none` for `HEAD`.
    public var body: Body
    /// What `Content-Length` says where the body is `.none`: the length of the answer to `GET`.
    public var contentLength: Int64?

    /// An answer.
    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: Body = .none, contentLength: Int64? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.contentLength = contentLength
    }

    /// Sets the field `name` instead of those there are.
    package mutating func set(_ name: String, _ value: String) {
        headers.removeAll { $0.name.isSameField(as: name) }
        headers.append((name, value))
    }

    /// The value of the first field `name`.
    package func header(_ name: String) -> String? { headers.first { $0.name.isSameField(as: name) }?.value }

    /// The answer to `HEAD`: the same fields and length, and no body.
    package var withoutBody: ServerResponse {
        var answer = self
        switch body {
        case .none: break
        case .data(let data): answer.contentLength = Int64(data.count)
        case .stream(let count, _): answer.contentLength = count
        }
        answer.body = .none
        return answer
    }
}

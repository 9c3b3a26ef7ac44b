public import FileProviderCore
public import Foundation

/// One HTTP exchange as the transport sees it: what to send, and where the answer's body goes.
public struct TransferRequest: Sendable {
    /// What is sent after the head.
    public enum Body: Sendable {
        case none
        /// A few kilobytes, such as a query.
        case data(Data)
        /// Pulled while it is sent; started again, where the source allows, for a login round or a dead connection.
        case source(any WriteSource)
    }

    /// How the transport answers a server that asks who is there. The secret goes to the request's own host only.
    public enum Authentication: Sendable, Hashable {
        case none
        /// Digest where the server offers it, else basic, if `allowsBasic`: one extra round, after which the answer is known.
        case negotiate(user: String, password: String, allowsBasic: Bool)
        /// Basic, at once (RFC 7617).
        case basic(user: String, password: String)
        /// Digest (RFC 7616); at once when the transport has a challenge of this host's, else after one round.
        case digest(user: String, password: String)
    }

    /// Decides on the transport's thread where the body goes, once status and headers are in; throwing ends the exchange.
    public typealias Receive = @Sendable (_ head: ResponseHead) throws -> any ByteSink

    public var method: String
    public var url: URL
    public var headers: [(name: String, value: String)]
    public var body: Body
    public var authentication: Authentication
    /// Whether the client certificate of the connection's options may be shown to this URL's host.
    public var showsClientCertificate = true
    /// How many idle times the answer may take: more than one where the server does something large before it says anything.
    public var patience = 1.0
    /// Asked for statuses from 200 to 299 only; what other answers say is kept in ``ResponseHead/errorBody``.
    public var receive: Receive

    public init(
        method: String = "GET", url: URL, headers: [(name: String, value: String)] = [], body: Body = .none,
        authentication: Authentication = .none, receive: @escaping Receive = { _ in DiscardingSink() }
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.authentication = authentication
        self.receive = receive
    }
}

/// Status and headers of an answer.
public struct ResponseHead: Sendable {
    /// 100–599.
    public var status: Int
    /// In the order in which they came; names as sent.
    public var headers: [(name: String, value: String)] = []
    /// The first bytes, 64 KiB at most, of a body that came with a status outside 200–299.
    public var errorBody = Data()
    /// Which ways to log in the server named, if it asked.
    public var offersDigest = false
    public var offersBasic = false

    public init(status: Int) {
        self.status = status
    }

    /// The first header of that name, whatever its case.
    public subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// All headers of that name joined as RFC 9110, section 5.3 allows.
    public func joined(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    public var isSuccess: Bool { (200..<300).contains(status) }
}

/// Takes bytes that nobody needs.
public final class DiscardingSink: ByteSink {
    public init() {}

    public func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState { .ready }
}

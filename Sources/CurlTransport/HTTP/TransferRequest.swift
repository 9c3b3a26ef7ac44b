public import FileProviderCore
public import Foundation

/// One HTTP exchange as the transport sees it: what to send, and where the answer's body goes.
public struct TransferRequest: Sendable {
    /// What is sent after the head.
    public enum Body: Sendable {
        /// Nothing, and no `Content-Length` either.
        case none
        /// A few kilobytes, such as a query.
        case data(Data)
        /// Pulled while it is sent; started again, where the source allows, for a login round or a dead connection.
        case source(any WriteSource)
    }

    /// How the transport answers a server that asks who is there. The secret goes to the request's own host only.
    public enum Authentication: Sendable, Hashable {
        /// With nothing: a 401 is an answer like any other.
        case none
        /// Digest where the server offers it, else basic, if `allowsBasic`: one extra round, after which the answer is
        /// known.
        case negotiate(user: String, password: String, allowsBasic: Bool)
        /// Basic, at once (RFC 7617).
        case basic(user: String, password: String)
        /// Digest (RFC 7616); at once when the transport has a challenge of this host's, else after one round.
        case digest(user: String, password: String)
    }

    /// Decides on the transport's thread where the body goes, once status and headers are in; throwing ends the
    /// exchange.
    public typealias Receive = @Sendable (_ head: ResponseHead) throws -> any ByteSink

    /// In capitals: methods are case-sensitive (RFC 9110, section 9.1). `GET` and `HEAD` take no ``body``.
    public var method: String
    /// `http` or `https`; a secret belongs in ``authentication``.
    public var url: URL
    /// Sent in this order, besides those of libcurl and of ``authentication``; `User-Agent` is added where it is
    /// missing. One with an empty value is not sent. Source: CURLOPT_HTTPHEADER(3).
    public var headers: [(name: String, value: String)]
    /// Its length is announced where it is known, else it goes in chunks or frames.
    public var body: Body
    /// What is done about a login for this request; the transport asks nobody for a secret.
    public var authentication: Authentication
    /// Whether the client certificate of the connection's options may be shown to this URL's host.
    public var showsClientCertificate = true
    /// Whether libcurl may send the request again when a kept connection turns out to be dead before any of the answer
    /// came. The server may have done by then what the request asked for.
    public var mayBeSentTwice = true
    /// How many idle times the answer may take: more than one where the server does something large before it says
    /// anything.
    public var patience = 1.0
    /// Whether a body that comes compressed is decoded on its way (`Content-Encoding`). What is asked for stays a
    /// matter of ``headers``. Source: CURLOPT_ACCEPT_ENCODING(3).
    public var decodesContent = false
    /// Whether the exchange ends before anything is sent if the server's address is loopback, link-local or private, as
    /// after a redirect from a public host.
    public var refusesLocalAddresses = false
    /// Asked for statuses from 200 to 299 only; what other answers say is kept in ``ResponseHead/errorBody``.
    public var receive: Receive

    /// A request; by default a `GET` without headers and login, the body of whose answer goes nowhere.
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
    /// Whether the server asked for a login and takes digest (RFC 7616). Source: CURLINFO_HTTPAUTH_AVAIL(3).
    public var offersDigest = false
    /// Whether the server asked for a login and takes basic (RFC 7617). Source: CURLINFO_HTTPAUTH_AVAIL(3).
    public var offersBasic = false
    /// Whether a digest was answered with a new challenge instead of being looked at: sent again, the request answers
    /// that one.
    public var challengeIsNew = false
    /// The URL that answered, without secrets, if redirects led to another path or host than was asked for. Who follows
    /// the redirects sets it.
    public var redirectedTo: URL?

    /// The address of the server that answered; nil by a proxy.
    public var serverAddress: String?

    /// A head with nothing but the status, such as that of a part in a multi-status.
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

    /// Whether the status lies in 200–299, which is when a body goes to ``TransferRequest/receive``.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

public import FileProviderCore
public import Foundation

/// One HTTP exchange: the request to send, and the sink for the answer's body.
public struct TransferRequest: Sendable {
    /// The body of a request.
    public enum Body: Sendable {
        /// No body, and no `Content-Length` either.
        case none
        /// A few kilobytes, such as a query.
        case data(Data)
        /// Read while it is sent. Restarted, if the source allows it, for a login round or a dead connection.
        case source(any WriteSource)
    }

    /// How the transport logs in. The secret is sent to the request's own host only.
    public enum Authentication: Sendable, Hashable {
        /// No login: a 401 is returned like any other answer.
        case none
        /// Digest if the server offers it, else basic if `allowsBasic`. Takes one extra round for the first request.
        case negotiate(user: String, password: String, allowsBasic: Bool)
        /// Basic, at once (RFC 7617).
        case basic(user: String, password: String)
        /// Digest (RFC 7616); at once if the transport has a challenge of this host, else after one round.
        case digest(user: String, password: String)
    }

    /// Chooses the sink for the body, on the transport's thread, after status and headers have arrived. An error ends
    /// the exchange.
    public typealias Receive = @Sendable (_ head: ResponseHead) throws -> any ByteSink

    /// The method in capitals: methods are case-sensitive (RFC 9110, section 9.1). `GET` and `HEAD` have no ``body``.
    public var method: String
    /// The URL, `http` or `https`. Secrets belong in ``authentication``.
    public var url: URL
    /// The headers, in the order in which they are sent, besides those of libcurl and of ``authentication``. A missing
    /// `User-Agent` is added. A header with an empty value is not sent. Source: CURLOPT_HTTPHEADER(3).
    public var headers: [(name: String, value: String)]
    /// The body. Its length is announced if it is known; otherwise it is sent in chunks or frames.
    public var body: Body
    /// How to log in. The transport never prompts for a secret.
    public var authentication: Authentication
    /// Whether the client certificate of the connection's options may be shown to this URL's host.
    public var showsClientCertificate = true
    /// Whether libcurl may send the request again if a kept connection turns out to be dead before any part of the
    /// answer has arrived. The server may have completed the request by then.
    public var mayBeSentTwice = true
    /// The time for the answer, in idle times: more than one if the server does much work before it answers.
    public var patience = 1.0
    /// Whether a compressed body is decoded (`Content-Encoding`). ``headers`` decide which encodings are requested.
    /// Source: CURLOPT_ACCEPT_ENCODING(3).
    public var decodesContent = false
    /// Whether the exchange ends before anything is sent if the server's address is loopback, link-local or private, as
    /// after a redirect from a public host.
    public var refusesLocalAddresses = false
    /// The sink for the body. Called only for statuses from 200 to 299; the body of other answers is kept in
    /// ``ResponseHead/errorBody``.
    public var receive: Receive

    /// Creates a request; by default a `GET` without headers and login, whose answer's body is discarded.
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
    /// The status code, 100–599.
    public var status: Int
    /// The headers in the order of arrival; names as sent.
    public var headers: [(name: String, value: String)] = []
    /// The first bytes, at most 64 KiB, of a body with a status outside 200–299.
    public var errorBody = Data()
    /// Whether the server requires a login and accepts digest (RFC 7616). Source: CURLINFO_HTTPAUTH_AVAIL(3).
    public var offersDigest = false
    /// Whether the server requires a login and accepts basic (RFC 7617). Source: CURLINFO_HTTPAUTH_AVAIL(3).
    public var offersBasic = false
    /// Whether the server answered a digest with a new challenge without checking it. A repeated request answers the
    /// new challenge.
    public var challengeIsNew = false
    /// The URL that answered, without secrets, if redirects led to another path or host. Set by the caller that follows
    /// the redirects.
    public var redirectedTo: URL?

    /// The address of the server that answered; nil with a proxy.
    public var serverAddress: String?

    /// Creates a head with only a status, such as that of a part in a multi-status.
    public init(status: Int) {
        self.status = status
    }

    /// Returns the first header of that name, ignoring case.
    public subscript(name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// Returns all headers of that name, joined as RFC 9110, section 5.3 allows.
    public func joined(_ name: String) -> String? {
        let values = headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Whether the status is in 200–299, so that the body goes to ``TransferRequest/receive``.
    public var isSuccess: Bool { (200..<300).contains(status) }
}

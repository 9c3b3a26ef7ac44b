public import CurlTransport
public import FileProviderCore
public import Foundation

/// One HTTP request of a provider, for the item at a path.
public struct HTTPRequest: Sendable {
    /// When the request may be sent again after a passing failure.
    public enum Repetition: Sendable {
        /// Doing it twice is the same as doing it once.
        case always
        /// Only if the server cannot have done it: it was not reached, or said that it did nothing.
        case ifNotDone
    }

    /// The method in capitals, because methods are case-sensitive (RFC 9110, section 9.1). `GET` and `HEAD` have no
    /// ``body``.
    public var method: String
    /// The item's path, counted from ``HTTPConnection/baseURL``.
    public var path: ProviderPath
    /// The query, percent-encoded; nil for none. Must not hold a secret.
    public var query: String?
    /// The whole URL, for services that return addresses; ``path`` then only names the item in messages. The login goes
    /// there only if the URL is of the connection's own origin.
    public var url: URL?
    /// Other items that the request changes, such as a move's destination. Kept answers about them are not used
    /// afterwards.
    public var touches: [ProviderPath] = []
    /// Whether the URL ends in a slash, as collections' do (RFC 4918, section 5.2).
    public var isFolder: Bool
    /// Headers besides those of the login and the transport. After a redirect to another origin only `Accept…`, `Range`, `If-…`
    /// and `Depth` go on, and `Content-Type` with a body.
    public var headers: [(name: String, value: String)]
    /// The body. It is sent again after a redirect, a login round or a passing failure; with a source that can be read
    /// only once, the request fails there.
    public var body: TransferRequest.Body
    /// When the request may be repeated, for ``HTTPConnection/send(_:)`` alone. A change that the server answered with
    /// 500 is never repeated.
    public var repetition: Repetition
    /// Statuses outside 200–299 that are an answer rather than an error.
    public var accepts: Set<Int>
    /// Whether the operation changes something: Foundation has separate error codes for that.
    public var isWriting: Bool
    /// The number of idle time-outs (`ConnectionOptions.timeouts`) that the answer may take, for example if the server
    /// waits for an event. Nil is the usual one, or ten for a change of something large.
    public var patience: Double?
    /// Whether a redirect to the same path with a slash means that the item is a folder.
    public var needsFile = false
    /// Whether a file's `Content-Encoding` is a property of the stored file, as on S3: sizes and ranges are those of the
    /// encoded bytes, which are read undecoded. False for HTTP's rule, by which the encoding belongs to one answer.
    public var storesContentEncoding = false
    /// As ``TransferRequest/decodesContent``.
    var decodesContent = false
    /// As ``TransferRequest/refusesLocalAddresses``.
    var refusesLocalAddresses = false
    /// Returns the sink for the body of an answer with a status from 200 to 299; called again for each repetition.
    public var receive: TransferRequest.Receive

    /// Creates a request, by default one that changes nothing and may be repeated. For a change pass `isWriting`, and
    /// `.ifNotDone` if doing it twice does harm.
    ///
    /// - Parameter receive: By default, drops the body.
    public init(
        _ method: String, path: ProviderPath, query: String? = nil, isFolder: Bool = false,
        headers: [(name: String, value: String)] = [],
        body: TransferRequest.Body = .none, repetition: Repetition = .always, accepts: Set<Int> = [],
        isWriting: Bool = false,
        receive: @escaping TransferRequest.Receive = { _ in DiscardingSink() }
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.isFolder = isFolder
        self.headers = headers
        self.body = body
        self.repetition = repetition
        self.accepts = accepts
        self.isWriting = isWriting
        self.receive = receive
    }

    /// All items that the request changes.
    var paths: [ProviderPath] { [path] + touches }
}

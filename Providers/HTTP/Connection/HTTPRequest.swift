public import CurlTransport
public import FileProviderCore
public import Foundation

/// One operation on a path, as a provider over HTTP asks for it.
public struct HTTPRequest: Sendable {
    /// When the request may be sent again after a failure for a passing reason.
    public enum Repetition: Sendable {
        /// Doing it twice is the same as doing it once.
        case always
        /// Only when the server cannot have done it: it was not reached, or said that it did nothing.
        case ifNotDone
    }

    /// In capitals: methods are case-sensitive (RFC 9110, section 9.1). `GET` and `HEAD` take no ``body``.
    public var method: String
    /// Counted from ``HTTPConnection/baseURL``.
    public var path: ProviderPath
    /// What stands behind the question mark, percent-encoded; nil for nothing. No place for a secret.
    public var query: String?
    /// The whole URL, in place of ``path``, which then only names the item in messages: for services that hand out
    /// addresses. The login goes there only where it is of the connection's own origin.
    public var url: URL?
    /// Other items that the request changes, such as a move's destination: nothing that was kept of them is used
    /// afterwards.
    public var touches: [ProviderPath] = []
    /// Whether the URL ends in a slash, as collections' do (RFC 4918, section 5.2).
    public var isFolder: Bool
    /// Sent besides the login's and the transport's. After a redirect to another origin only `Accept…`, `Range`, `If-…`
    /// and `Depth` go on, and `Content-Type` with a body.
    public var headers: [(name: String, value: String)]
    /// Sent again after a redirect, a login round or a passing failure; a source that is read only once lets the
    /// request fail there.
    public var body: TransferRequest.Body
    /// Looked at by ``HTTPConnection/send(_:)`` alone. A change that the server answered with 500 is not sent again in
    /// either case.
    public var repetition: Repetition
    /// Statuses outside 200–299 that are an answer rather than an error.
    public var accepts: Set<Int>
    /// Whether the operation changes something: Foundation has error codes of their own for that.
    public var isWriting: Bool
    /// How many idle times the answer may take (`ConnectionOptions.timeouts`), such as when the server waits for
    /// something to happen; nil for the usual one, and ten for what changes something large.
    public var patience: Double?
    /// Whether a redirect to the same path with a slash means that there is a folder, not a file.
    public var needsFile = false
    /// Whether a file's `Content-Encoding` is a property of what is stored, as S3 keeps it: sizes and ranges are those
    /// of the encoded bytes, which are read as they are. False for HTTP's own rule, by which the encoding belongs to
    /// one answer.
    public var storesContentEncoding = false
    /// As ``TransferRequest/decodesContent``.
    var decodesContent = false
    /// As ``TransferRequest/refusesLocalAddresses``.
    var refusesLocalAddresses = false
    /// Says where the body goes, for statuses from 200 to 299 only; called again when the request is sent again.
    public var receive: TransferRequest.Receive

    /// A request, by default one that changes nothing and may be sent again. A change says `isWriting`, and
    /// `.ifNotDone` where doing it twice does harm.
    ///
    /// - Parameter receive: Lets the body go by default.
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

public import CurlTransport
public import FileProviderCore

/// One operation on a path, as a provider over HTTP asks for it.
public struct HTTPRequest: Sendable {
    /// When the request may be sent again after a failure for a passing reason.
    public enum Repetition: Sendable {
        /// Doing it twice is the same as doing it once.
        case always
        /// Only when the server cannot have done it: it was not reached, or said that it did nothing.
        case ifNotDone
    }

    public var method: String
    public var path: ProviderPath
    /// Whether the URL ends in a slash, as collections' do (RFC 4918, section 5.2).
    public var isFolder: Bool
    public var headers: [(name: String, value: String)]
    public var body: TransferRequest.Body
    public var repetition: Repetition
    /// Statuses outside 200–299 that are an answer rather than an error.
    public var accepts: Set<Int>
    /// Whether the operation changes something: Foundation has error codes of their own for that.
    public var isWriting: Bool
    /// Whether a redirect to the same path with a slash means that there is a folder, not a file.
    public var needsFile = false
    public var receive: TransferRequest.Receive

    public init(
        _ method: String, _ path: ProviderPath, isFolder: Bool = false, headers: [(name: String, value: String)] = [],
        body: TransferRequest.Body = .none, repetition: Repetition = .always, accepts: Set<Int> = [], isWriting: Bool = false,
        receive: @escaping TransferRequest.Receive = { _ in DiscardingSink() }
    ) {
        self.method = method
        self.path = path
        self.isFolder = isFolder
        self.headers = headers
        self.body = body
        self.repetition = repetition
        self.accepts = accepts
        self.isWriting = isWriting
        self.receive = receive
    }
}

// Former names, for apps that still use them.
public import CurlTransport
public import FileProviderCore

extension HTTPStatusError {
    /// The former name of ``underlyingError``.
    @available(*, deprecated, renamed: "underlyingError")
    public var told: (any FileProviderHTTPError)? { underlyingError }
}

extension HTTPRequest {
    /// The form without a label that ``init(_:path:query:isFolder:headers:body:repetition:accepts:isWriting:receive:)``
    /// had.
    @available(
        *, deprecated, renamed: "init(_:path:query:isFolder:headers:body:repetition:accepts:isWriting:receive:)"
    )
    public init(
        _ method: String, _ path: ProviderPath, query: String? = nil, isFolder: Bool = false,
        headers: [(name: String, value: String)] = [], body: TransferRequest.Body = .none,
        repetition: Repetition = .always, accepts: Set<Int> = [], isWriting: Bool = false,
        receive: @escaping TransferRequest.Receive = { _ in DiscardingSink() }
    ) {
        self.init(
            method, path: path, query: query, isFolder: isFolder, headers: headers, body: body, repetition: repetition,
            accepts: accepts, isWriting: isWriting, receive: receive)
    }
}

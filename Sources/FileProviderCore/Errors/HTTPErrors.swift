/// A server's own words for a failure, over HTTP (RFC 9110, section 15).
public protocol FileProviderHTTPError: Error {
    /// The status, 100–599.
    var code: FileProviderHTTPErrorCode { get }
    /// The item that the request was about, counted from the provider's root.
    var path: String { get }
    /// The server's message, shortened to a sentence; nil if it sent nothing readable.
    var serverDescription: String? { get }
}

/// An HTTP status (RFC 9110, section 15; RFC 4918, section 11; RFC 6585).
public struct FileProviderHTTPErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// 100–599.
    public let rawValue: Int

    /// Accepts any number: servers invent some.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether the same request may succeed later.
    public var isTransient: Bool { [408, 423, 425, 429, 500, 502, 503, 504, 509].contains(rawValue) }

    /// The number and its usual name.
    public var description: String { Self.names[rawValue].map { "\(rawValue) \($0)" } ?? "\(rawValue)" }

    private static let names: [Int: String] = [
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed",
        406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict",
        410: "Gone",
        411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large", 414: "URI Too Long",
        415: "Unsupported Media Type",
        416: "Range Not Satisfiable", 417: "Expectation Failed", 421: "Misdirected Request",
        422: "Unprocessable Content", 423: "Locked",
        424: "Failed Dependency", 425: "Too Early", 426: "Upgrade Required", 428: "Precondition Required",
        429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
        501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
        505: "HTTP Version Not Supported", 507: "Insufficient Storage", 508: "Loop Detected",
        509: "Bandwidth Limit Exceeded",
    ]
}

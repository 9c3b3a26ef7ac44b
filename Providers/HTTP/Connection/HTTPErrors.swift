import CurlTransport
public import FileProviderCore
public import Foundation

/// The readable part of a server's error.
public struct HTTPServerMessage: FileProviderHTTPError, Sendable {
    /// The error's status.
    public var code: FileProviderHTTPErrorCode
    /// The path of the item, in its `String` form.
    public var path: String
    /// The server's description, 200 characters at most.
    public var serverDescription: String?
    /// A sentence for the user, instead of the usual one for the code. Must not quote the server.
    public var sentence: String?

    /// - Parameters:
    ///   - code: The status, corrected if the service uses another one than HTTP does, such as 409 for 404.
    ///   - description: The server's words, which are shortened to a line of 200 characters.
    public init(code: FileProviderHTTPErrorCode, path: ProviderPath, description: String?) {
        self.code = code
        self.path = path.string
        serverDescription = description.flatMap { ServerWords.line(of: $0) }
    }

    /// Creates a message from the first line of a plain text, or the first `message` or `title` element of a document.
    public init(code: FileProviderHTTPErrorCode, path: ProviderPath, data: Data) {
        self.code = code
        self.path = path.string
        serverDescription = ServerWords.sentence(in: data, type: data.first == UInt8(ascii: "<") ? nil : "text/plain")
    }
}

/// A server's refusal in its own words. If Foundation has a code for the condition, this is the underlying error of
/// ``foundationError``.
public struct HTTPStatusError: FileProviderHTTPError, RetryAfterError, LocalizedError, CustomNSError, Sendable {
    /// The status of the answer, or of the part of a multi-status that failed (RFC 4918, section 13).
    public let code: FileProviderHTTPErrorCode
    /// The path of the request, counted from the provider's root; names that are not UTF-8 are escaped.
    public private(set) var path: String
    /// The first line of a plain text, or the first `message` or `title` element, 200 characters at most; nil if there
    /// is none in the first 64 KiB.
    public let serverDescription: String?
    /// The seconds of `Retry-After` (RFC 9110, section 10.2.3), counted from the answer and negative for a past date; nil
    /// without a valid one.
    public let retryAfter: Double?
    /// The service's own error; nil if the service doesn't define errors.
    public let underlyingError: (any FileProviderHTTPError)?
    let method: String
    let url: URL
    let isWriting: Bool
    /// Bytes that the request sent, where it said so.
    let length: Int64?
    let login: HTTPLogin.State

    /// The domain of this error as an `NSError`.
    public static let errorDomain = "HTTP"
    /// The status code.
    public var errorCode: Int { code.rawValue }
    /// The description (``errorDescription``) and the ``underlyingError``. Has neither the URL nor headers.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: errorDescription ?? code.description]
        info[NSUnderlyingErrorKey] = underlyingError
        return info
    }

    /// One sentence with method, path, status and the server's words; never nil.
    public var errorDescription: String? {
        "The server answered \(method) of “\(path)” with \(code)" + (serverDescription.map { ": \($0)" } ?? ".")
    }

    init(
        _ head: ResponseHead, request: HTTPRequest, url: URL, login: HTTPLogin.State,
        underlyingError: (any FileProviderHTTPError)? = nil
    ) {
        code = underlyingError?.code ?? FileProviderHTTPErrorCode(rawValue: head.status)
        self.underlyingError = underlyingError
        path = request.path.string
        method = request.method
        isWriting = request.isWriting
        length = if case .source(let source) = request.body { source.length } else { nil }
        self.url = url
        self.login = login
        serverDescription =
            underlyingError?.serverDescription ?? ServerWords.sentence(in: head.errorBody, type: head["Content-Type"])
        retryAfter = head["Retry-After"].flatMap { Double($0) ?? HTTPDate.parse($0)?.timeIntervalSinceNow }.flatMap {
            $0.isFinite ? $0 : nil
        }
    }

    /// Whether there was a token for the request, and no password.
    package var isAboutToken: Bool { login.given == .token }

    /// Returns this error with `path` in place of a temporary name.
    package func about(_ path: ProviderPath) -> HTTPStatusError {
        var error = self
        error.path = path.string
        return error
    }

    /// Foundation's error for the condition, with this one as the underlying error; this error itself if Foundation has
    /// none. Source: RFC 9110, section 15.
    public var foundationError: any Error {
        switch code.rawValue {
        case 401:
            return FileError.make(
                .userAuthenticationRequired, url: url, sentence: sentence ?? loginSentence, underlying: self)
        case 407:
            return FileError.make(
                .userAuthenticationRequired, url: url, sentence: "The proxy asks for a login.", underlying: self)
        case 403: return made(isWriting ? .fileWriteNoPermission : .fileReadNoPermission)
        case 404, 410: return made(isWriting ? .fileNoSuchFile : .fileReadNoSuchFile)
        case 507: return made(.fileWriteOutOfSpace)
        case 413 where isWriting:
            return FileError.make(
                .fileWriteUnknown, path: path, url: url, sentence: sentence ?? limitSentence, underlying: self)
        case 300..<400:
            return FileError.make(
                .redirectToNonExistentLocation, url: url,
                sentence: sentence ?? "The server redirects without saying where to.",
                underlying: self)
        default: return self
        }
    }

    private func made(_ cocoa: CocoaError.Code) -> CocoaError {
        FileError.make(cocoa, path: path, url: url, sentence: sentence, underlying: self)
    }

    private var sentence: String? { (underlyingError as? HTTPServerMessage)?.sentence }

    /// The limit may be the server's own or that of a proxy; space has nothing to do with it (RFC 9110, section
    /// 15.5.14).
    private var limitSentence: String {
        let size = length.map { "is \($0) bytes long, which is more than" } ?? "is larger than what"
        return
            "“\(path)” \(size) “\(url.host() ?? "the server")”, or a proxy in front of it, accepts in one request (413)."
            + " In nginx the limit is client_max_body_size."
    }

    private var loginSentence: String {
        let host = url.host() ?? "The server"
        switch (login.withheld, login.given) {
        case (.clearSecret, .token):
            return
                "“\(host)” wants a token over a connection that is not encrypted, which is refused unless it is allowed."
        case (.clearSecret, _):
            return
                "“\(host)” wants the password in clear over a connection that is not encrypted, which is refused unless it is allowed."
        case (.downgrade, _):
            return
                "“\(host)” asks for the password in clear, and did not before. An attacker in between may be asking."
        case (.colon, _): return "“\(host)” cannot log in a user with a colon in the name (Basic, RFC 7617)."
        case (nil, .password): return "“\(host)” refused this user and password."
        case (nil, .token): return "“\(host)” refused this token."
        case (nil, nil): return "“\(host)” asks for a login, and there is no user and password for it."
        }
    }
}

/// Finds what a person can read in the body of an error.
enum ServerWords {
    /// One sentence of 200 characters at most; nil when there is none.
    static func sentence(in body: Data, type: String?) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        let found: Substring?
        if type?.hasPrefix("text/plain") == true {
            found = text.split(whereSeparator: \.isNewline).first
        } else {
            found = content(of: "message", in: text) ?? content(of: "title", in: text)
        }
        return found.flatMap { line(of: $0) }
    }

    /// `text` without control characters and secrets, 200 characters at most; nil when nothing is left.
    static func line(of text: some StringProtocol) -> String? {
        let clean = text.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) }
        let sentence = Secrets.removed(from: String(String.UnicodeScalarView(clean)))
            .trimmingCharacters(in: .whitespaces)
        return sentence.isEmpty ? nil : String(sentence.prefix(200))
    }

    /// The content of the first element of that name, with any prefix and attributes.
    private static func content(of element: String, in text: String) -> Substring? {
        guard
            let name = text.range(of: element + ">", options: .caseInsensitive)
                ?? text.range(of: element + " ", options: .caseInsensitive),
            let open = text[name.lowerBound...].firstIndex(of: ">")
        else { return nil }
        let rest = text[text.index(after: open)...]
        return rest.firstIndex(of: "<").map { rest[..<$0] }
    }
}

extension HTTPStatusError: RelocatableError {}

import CurlTransport
public import FileProviderCore
public import Foundation

/// A server's refusal in its own words. The conditions that Foundation has a code for stand above it; see ``foundationError``.
public struct HTTPStatusError: FileProviderHTTPError, RetryAfterError, LocalizedError, CustomNSError, Sendable {
    /// The status of the answer, or of the part of a multi-status that failed (RFC 4918, section 13).
    public let code: FileProviderHTTPErrorCode
    /// The request's, counted from the provider's root; names that are not UTF-8 are escaped.
    public let path: String
    /// At most 200 characters: the first line of a plain text, else the first `message` or `title` element; nil where there is none in the
    /// first 64 KiB.
    public let serverDescription: String?
    /// Seconds counted from the answer, below zero for a date that has passed; nil without a `Retry-After` that can be read (RFC 9110,
    /// section 10.2.3).
    public let retryAfter: Double?
    let method: String
    let url: URL
    let isWriting: Bool
    let login: HTTPLogin.State

    /// The domain of the `NSError` that Foundation makes of it.
    public static let errorDomain = "HTTP"
    /// The status as a number.
    public var errorCode: Int { code.rawValue }
    /// ``errorDescription`` as the description, and nothing else: neither the URL nor headers.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? code.description] }

    /// Method, path, status and what the server said, in one sentence; never nil.
    public var errorDescription: String? {
        "The server answered \(method) of “\(path)” with \(code)" + (serverDescription.map { ": \($0)" } ?? ".")
    }

    init(_ head: ResponseHead, request: HTTPRequest, url: URL, login: HTTPLogin.State) {
        code = FileProviderHTTPErrorCode(rawValue: head.status)
        path = request.path.string
        method = request.method
        isWriting = request.isWriting
        self.url = url
        self.login = login
        serverDescription = ServerWords.sentence(in: head.errorBody, type: head["Content-Type"])
        retryAfter = head["Retry-After"].flatMap { Double($0) ?? HTTPDate.parse($0)?.timeIntervalSinceNow }.flatMap {
            $0.isFinite ? $0 : nil
        }
    }

    /// The condition in Foundation's words, this error below it; itself where Foundation has none. Source: RFC 9110, section 15.
    public var foundationError: any Error {
        switch code.rawValue {
        case 401: return FileError.make(.userAuthenticationRequired, url: url, sentence: loginSentence, underlying: self)
        case 407:
            return FileError.make(.userAuthenticationRequired, url: url, sentence: "The proxy asks for a login.", underlying: self)
        case 403: return made(isWriting ? .fileWriteNoPermission : .fileReadNoPermission)
        case 404, 410: return made(isWriting ? .fileNoSuchFile : .fileReadNoSuchFile)
        case 507, 413: return made(.fileWriteOutOfSpace)
        case 300..<400:
            return FileError.make(
                .redirectToNonExistentLocation, url: url, sentence: "The server redirects without saying where to.", underlying: self)
        default: return self
        }
    }

    private func made(_ cocoa: CocoaError.Code) -> CocoaError { FileError.make(cocoa, path: path, url: url, underlying: self) }

    private var loginSentence: String {
        let host = url.host() ?? "The server"
        switch (login.withheld, login.given) {
        case (.clearSecret, .token):
            return "“\(host)” wants a token over a connection that is not encrypted, which is refused unless it is allowed."
        case (.clearSecret, _):
            return "“\(host)” wants the password in clear over a connection that is not encrypted, which is refused unless it is allowed."
        case (.downgrade, _):
            return "“\(host)” wants the password in clear where it did not need it before; somebody on the way may have asked."
        case (.colon, _): return "“\(host)” takes no user with a colon in the name (Basic, RFC 7617)."
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
        guard let found else { return nil }
        let clean = found.unicodeScalars.filter { !CharacterSet.controlCharacters.contains($0) }
        let sentence = String(String.UnicodeScalarView(clean)).trimmingCharacters(in: .whitespaces)
        return sentence.isEmpty ? nil : String(sentence.prefix(200))
    }

    /// What stands in the first element of that name, whatever its prefix and attributes.
    private static func content(of element: String, in text: String) -> Substring? {
        guard
            let name = text.range(of: element + ">", options: .caseInsensitive) ?? text.range(of: element + " ", options: .caseInsensitive),
            let open = text[name.lowerBound...].firstIndex(of: ">")
        else { return nil }
        let rest = text[text.index(after: open)...]
        return rest.firstIndex(of: "<").map { rest[..<$0] }
    }
}

import CurlTransport
public import FileProviderCore
public import Foundation

/// A server's refusal in its own words. The conditions that Foundation has a code for stand above it; see ``foundationError``.
public struct HTTPStatusError: FileProviderHTTPError, RetryAfterError, LocalizedError, CustomNSError, Sendable {
    public let code: FileProviderHTTPErrorCode
    public let path: String
    public let serverDescription: String?
    public let retryAfter: Double?
    let method: String
    let url: URL
    let isWriting: Bool
    let login: HTTPLogin.State

    public static let errorDomain = "HTTP"
    public var errorCode: Int { code.rawValue }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: errorDescription ?? code.description] }

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
        retryAfter = head["Retry-After"].flatMap { Double($0) ?? HTTPDate.parse($0)?.timeIntervalSinceNow }
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
        if login.clearPasswordRefused {
            return "“\(host)” wants the password in clear over a connection that is not encrypted, which is refused unless it is allowed."
        }
        return login.hasCredential
            ? "“\(host)” refused this user and password." : "“\(host)” asks for a login, and there is no user and password for it."
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

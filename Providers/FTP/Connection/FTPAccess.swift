import CurlTransport
import FileProviderCore
import Foundation

/// Logs in. Asks the source of credentials once, and again if the server refuses the credential.
final class FTPAccess: Sendable {
    private let origin: Origin
    private let user: String?
    private let credentials: any CredentialSource
    private let url: URL
    private let mayGoInClear: Bool
    /// The login that the server has accepted.
    private let known = LockedValue<(login: FTPLogin, credential: Credential?)?>(nil)

    init(origin: Origin, user: String?, credentials: any CredentialSource, options: ConnectionOptions, url: URL) {
        self.origin = origin
        self.user = user
        self.credentials = credentials
        self.url = url
        mayGoInClear = origin.scheme != "ftp" || origin.isLoopback || options.allowsClearPassword
    }

    /// Opens a connection with the accepted login. If the server refuses it, tries once with another credential. While
    /// other connections are open, a refusal of an accepted login is not taken as a wrong password, because a server
    /// may refuse one more connection with the same code.
    ///
    /// - Throws: The error of `open`; `URLError(.userAuthenticationRequired)` for a password that must not be sent in
    ///   clear.
    func use(isAlone: Bool, _ open: (FTPLogin) async throws -> FTPSession) async throws -> FTPSession {
        guard let known = known.value else { return try await use(credential(), open, mayAskAgain: true) }
        do { return try await open(known.login) } catch  where isAlone && Self.isRefusal(error) {
            self.known.update { $0 = nil }
            guard let credential = known.credential else { throw error }
            credentials.refused(credential, for: origin, user: user)
            guard let other = try await self.credential(), other != credential else { throw error }
            return try await use(other, open, mayAskAgain: false)
        }
    }

    private func use(
        _ credential: Credential?, _ open: (FTPLogin) async throws -> FTPSession, mayAskAgain: Bool
    ) async throws -> FTPSession {
        let login = try login(with: credential)
        do {
            let session = try await open(login)
            known.update { $0 = (login, credential) }
            return session
        } catch  where Self.isRefusal(error) {
            guard let credential else { throw error }
            credentials.refused(credential, for: origin, user: user)
            guard mayAskAgain, let other = try await self.credential(), other != credential else { throw error }
            return try await use(other, open, mayAskAgain: false)
        }
    }

    private func credential() async throws -> Credential? { try await credentials.credential(for: origin, user: user) }

    private func login(with credential: Credential?) throws -> FTPLogin {
        guard let credential else {
            // The anonymous login (RFC 1635).
            return try FTPLogin(user: user ?? "anonymous", password: user == nil ? "anonymous@" : "")
        }
        guard case .password(let user, let password) = credential.kind else {
            throw FileError.make(
                .userAuthenticationRequired, url: url, sentence: "FTP needs a user and a password, not a token.")
        }
        guard mayGoInClear || password.isEmpty || user == "anonymous" else {
            throw FileError.make(
                .userAuthenticationRequired, url: url,
                sentence:
                    "“\(origin.host)” would receive the password in clear over ftp:, which is refused unless allowed; "
                    + "ftpes: encrypts it.")
        }
        return try FTPLogin(user: user.isEmpty ? self.user ?? "anonymous" : user, password: password)
    }

    /// Whether the server refused the user or the password, and not just one more connection.
    static func isRefusal(_ error: any Error) -> Bool {
        guard let last = (error as? FTPFailure)?.outcome.last else { return false }
        return last.code == 530 && ["USER", "PASS"].contains(last.verb) && !isCrowded(last)
    }

    /// Whether the reply to a login says that there are too many connections. "Incorrect password, try again later"
    /// doesn't.
    private static func isCrowded(_ reply: FTPReply) -> Bool {
        let text = reply.text.lowercased()
        func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        return says("maximum", "too many", "try again", "try later", "already connected", "already logged in", "limit")
            && !says("incorrect", "invalid", "wrong", "password")
    }

    // MARK: Errors

    /// `failure` as a Foundation error, with the server's reply as the underlying error.
    static func error(_ failure: FTPFailure, url: URL, path: ProviderPath) -> any Error {
        let host = url.host() ?? "The server"
        // For libcurl, 120 ("ready in some minutes") is a refusal: it doesn't wait.
        guard let last = failure.outcome.last, last.code >= 400 || last.verb.isEmpty && last.code == 120 else {
            return failure.error
        }
        let replyError = FTPReplyError(last, path: path)
        func made(_ code: URLError.Code, _ sentence: String) -> URLError {
            FileError.make(
                code, url: url, sentence: sentence + (replyError.serverDescription.map { ": \($0)" } ?? "."),
                underlying: replyError)
        }
        switch (last.verb, last.code) {
        case (_, 421): return made(.networkConnectionLost, "“\(host)” closed the connection")
        case ("USER", 530) where isCrowded(last), ("PASS", 530) where isCrowded(last):
            return made(.cannotConnectToHost, "“\(host)” accepts no more connections for now")
        case ("USER", _), ("PASS", _):
            return made(.userAuthenticationRequired, "“\(host)” refused this user and password")
        case ("AUTH", _), ("PBSZ", _), ("PROT", _):
            return made(.secureConnectionFailed, "“\(host)” lacks the encryption that ftpes: and ftps: need")
        case ("", _): return made(.cannotConnectToHost, "“\(host)” refused the connection")
        case ("STOR", _), ("APPE", _): return FTPCondition(reply: last, path: path, url: url, isWriting: true).error
        case ("REST", _):
            return FileError.unsupported("read from an offset", by: FTPFileProvider.type, path: path, url: url)
        default: return (failure.error as? URLError)?.code == .unknown ? replyError : failure.error
        }
    }
}

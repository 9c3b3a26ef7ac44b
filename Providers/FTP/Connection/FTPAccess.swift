import CurlTransport
import FileProviderCore
import Foundation

/// Who logs in: the source of credentials is asked once, and again when the server has refused what it gave.
final class FTPAccess: Sendable {
    private let origin: Origin
    private let user: String?
    private let credentials: any CredentialSource
    private let url: URL
    private let mayGoInClear: Bool
    /// What the server has taken.
    private let known = LockedValue<(login: FTPLogin, credential: Credential?)?>(nil)

    init(origin: Origin, user: String?, credentials: any CredentialSource, options: ConnectionOptions, url: URL) {
        self.origin = origin
        self.user = user
        self.credentials = credentials
        self.url = url
        mayGoInClear = origin.scheme != "ftp" || origin.isLoopback || options.allowsClearPassword
    }

    /// Opens a connection with a login; with another one, once, when the server has refused the first. One that was
    /// good before is believed as long as other connections are there: a server may refuse one more with the same code.
    ///
    /// - Throws: What `open` throws; `URLError(.userAuthenticationRequired)` for a password that must not go in clear.
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
            // What is asked for by custom of whoever has no name (RFC 1635).
            return try FTPLogin(user: user ?? "anonymous", password: user == nil ? "anonymous@" : "")
        }
        guard case .password(let user, let password) = credential.kind else {
            throw FileError.make(
                .userAuthenticationRequired, url: url, sentence: "FTP knows users and passwords, and no tokens.")
        }
        guard mayGoInClear || password.isEmpty || user == "anonymous" else {
            throw FileError.make(
                .userAuthenticationRequired, url: url,
                sentence:
                    "“\(origin.host)” would get the password in clear over ftp:, which is refused unless it is allowed; "
                    + "ftpes: encrypts it.")
        }
        return try FTPLogin(user: user.isEmpty ? self.user ?? "anonymous" : user, password: password)
    }

    /// Whether the server refused user or password, and not one connection more.
    static func isRefusal(_ error: any Error) -> Bool {
        guard let last = (error as? FTPFailure)?.outcome.last else { return false }
        return last.code == 530 && ["USER", "PASS"].contains(last.verb) && !isCrowded(last)
    }

    /// Whether a refused login says that there are too many already. "Incorrect password, try again later" says
    /// something else.
    private static func isCrowded(_ reply: FTPReply) -> Bool {
        let text = reply.text.lowercased()
        func says(_ words: String...) -> Bool { words.contains { text.contains($0) } }
        return says("maximum", "too many", "try again", "try later", "already connected", "already logged in", "limit")
            && !says("incorrect", "invalid", "wrong", "password")
    }

    // MARK: What kept an exchange from its end

    /// `failure` in Foundation's words, with the server's below them.
    static func error(_ failure: FTPFailure, url: URL, path: ProviderPath) -> any Error {
        let host = url.host() ?? "The server"
        // "Ready in some minutes" is a refusal to libcurl, which waits for none of them.
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
        case (_, 421): return made(.networkConnectionLost, "“\(host)” closes the connection")
        case ("USER", 530) where isCrowded(last), ("PASS", 530) where isCrowded(last):
            return made(.cannotConnectToHost, "“\(host)” takes no more connections for now")
        case ("USER", _), ("PASS", _):
            return made(.userAuthenticationRequired, "“\(host)” refused this user and password")
        case ("AUTH", _), ("PBSZ", _), ("PROT", _):
            return made(.secureConnectionFailed, "“\(host)” does not encrypt as ftpes: and ftps: need it")
        case ("", _): return made(.cannotConnectToHost, "“\(host)” does not take the connection")
        case ("STOR", _), ("APPE", _): return FTPCondition(reply: last, path: path, url: url, isWriting: true).error
        case ("REST", _):
            return FileError.unsupported("read from an offset", by: FTPFileProvider.type, path: path, url: url)
        default: return (failure.error as? URLError)?.code == .unknown ? replyError : failure.error
        }
    }
}

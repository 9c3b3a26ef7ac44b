import CCurl
import FileProviderCore
import Foundation

/// Logging in to the proxy that the options name: its source is asked for the proxy's own origin, and only when that is
/// needed.
///
/// A proxy of the environment has its login there.
final class ProxyLogin: Sendable {
    /// What goes with a request.
    struct Access: Sendable {
        var user: String?
        var password: String?
        /// Whether a password may go to the proxy in clear.
        var allowsBasic = true
        /// There is a password, which was not sent because it would go in clear.
        var isWithheld = false
        fileprivate var credential: Credential?
    }

    private struct Memory: Sendable {
        var asking: Task<Credential?, any Error>?
        var isAskedFor = false
    }

    private let server: ProxyServer?
    private let credentials: any CredentialSource
    private let allowsBasic: Bool
    private let memory = LockedValue(Memory())

    init(_ options: ConnectionOptions) {
        if case .server(let server) = options.proxy { self.server = server } else { server = nil }
        credentials = options.credentials
        allowsBasic =
            server.map { $0.origin.scheme == "https" || $0.origin.isLoopback || options.allowsClearPassword } ?? true
    }

    /// What to send with the next request: a login where the proxy's URL names a user, or the proxy has asked.
    func access() async throws -> Access {
        guard let server, server.user != nil || memory.value.isAskedFor else { return Access(allowsBasic: allowsBasic) }
        let task = memory.update { [credentials] memory in
            memory.asking.orStart { try await credentials.credential(for: server.origin, user: server.user) }
        }
        do { return access(with: try await task.sharedValue(), to: server) } catch {
            if !(error is CancellationError) { memory.update { if $0.asking == task { $0.asking = nil } } }
            throw error
        }
    }

    /// What to send in place of `refused`; nil where there is nothing else.
    func access(after refused: Access) async throws -> Access? {
        if refused.credential != nil { self.refused(refused) }
        memory.update { $0.isAskedFor = true }
        let next = try await access()
        return next.credential == nil || next.credential == refused.credential ? nil : next
    }

    func refused(_ access: Access) {
        guard let server, let credential = access.credential, !access.isWithheld else { return }
        memory.update { $0.asking = nil }
        credentials.refused(credential, for: server.origin, user: server.user)
    }

    private func access(with credential: Credential?, to server: ProxyServer) -> Access {
        guard case .password(let user, let password) = credential?.kind else { return Access(allowsBasic: allowsBasic) }
        // SOCKS knows the password in clear alone (RFC 1929); over HTTP, digest goes everywhere.
        let isWithheld = !allowsBasic && server.origin.scheme.hasPrefix("socks")
        return Access(
            user: isWithheld ? nil : user, password: isWithheld ? nil : password, allowsBasic: allowsBasic,
            isWithheld: !allowsBasic,
            credential: credential)
    }
}

/// A proxy does not let the request through.
struct ProxyRefusal: Error {
    let error: URLError
    /// Whether another login may help.
    let asksForLogin: Bool

    /// Nil where it was not the proxy that refused.
    init?(_ ending: TransferEnding, text: String, url: URL, options: ConnectionOptions, withheld: Bool) {
        let server: ProxyServer? = if case .server(let server) = options.proxy { server } else { nil }
        let cause = CurlError(code: Int(ending.code.rawValue), text: text)
        let proxyError = CURLproxycode(UInt32(clamping: ending.proxyError))
        // tinyproxy refuses a wrong login as a server would, with 401.
        if [401, 407].contains(ending.connectStatus)
            || [CURLPX_NO_AUTH, CURLPX_USER_REJECTED, CURLPX_RECV_AUTH].contains(proxyError)
        {
            self = Self.login(server, cause: cause, url: url, withheld: withheld)
        } else if ending.code == CURLE_PROXY || ending.connectStatus >= 300 {
            let status = ending.connectStatus >= 300 ? " (\(ending.connectStatus))" : ""
            let host = url.host() ?? ""
            error = FileError.make(
                .cannotConnectToHost, url: url,
                sentence: "\(Self.name(server)) does not connect to “\(host)”\(status).", underlying: cause)
            asksForLogin = false
        } else if ending.code == CURLE_COULDNT_RESOLVE_PROXY {
            error = FileError.make(
                .cannotFindHost, url: url, sentence: "\(Self.name(server)) cannot be found.", underlying: cause)
            asksForLogin = false
        } else if let server, ending.code == CURLE_COULDNT_CONNECT,
            text.contains("\(server.origin.host) port \(server.origin.port)")
        {
            let sentence = "\(Self.name(server)) does not accept a connection."
            error = FileError.make(.cannotConnectToHost, url: url, sentence: sentence, underlying: cause)
            asksForLogin = false
        } else {
            return nil
        }
    }

    private init(error: URLError, asksForLogin: Bool) {
        self.error = error
        self.asksForLogin = asksForLogin
    }

    static func login(_ server: ProxyServer?, cause: CurlError?, url: URL, withheld: Bool) -> ProxyRefusal {
        let sentence =
            withheld
            ? "\(name(server)) wants the password in clear over a connection that is not encrypted, which is refused unless it is allowed."
            : "\(name(server)) asks for a login, or refused the one it got."
        let error = FileError.make(.userAuthenticationRequired, url: url, sentence: sentence, underlying: cause)
        return ProxyRefusal(error: error, asksForLogin: true)
    }

    private static func name(_ server: ProxyServer?) -> String {
        server.map { "The proxy “\($0.url.absoluteString)”" } ?? "The proxy that the environment names"
    }
}

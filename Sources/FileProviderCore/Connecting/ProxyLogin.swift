/// The login at the proxy that the options name. Its source is asked for the proxy's own origin, and only when needed.
///
/// A proxy from the environment has its login in the variable.
package final class ProxyLogin: Sendable {
    /// The credentials to send with a request.
    package struct Access: Sendable, CustomReflectable {
        package fileprivate(set) var user: String?
        package fileprivate(set) var password: String?
        /// Whether a password may go to the proxy in clear.
        package fileprivate(set) var allowsBasic = true
        /// Whether there is a password that was not sent because it would go in clear.
        package fileprivate(set) var isWithheld = false
        fileprivate var credential: Credential?

        /// Nothing, so that no description shows the password.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    private struct Memory: Sendable {
        var asking: Task<Credential?, any Error>?
        var isAskedFor = false
    }

    private let server: ProxyServer?
    private let credentials: any CredentialSource
    private let allowsBasic: Bool
    private let memory = LockedValue(Memory())

    package init(_ options: ConnectionOptions) {
        if case .server(let server) = options.proxy { self.server = server } else { server = nil }
        credentials = options.credentials
        allowsBasic =
            server.map { $0.origin.scheme == "https" || $0.origin.isLoopback || options.allowsClearPassword } ?? true
    }

    /// Returns the login for the next request, if the proxy's URL names a user or the proxy has asked for a login.
    package func access() async throws -> Access {
        guard let server, server.user != nil || memory.value.isAskedFor else { return Access(allowsBasic: allowsBasic) }
        let task = memory.update { [credentials] memory in
            memory.asking.orStart { try await credentials.credential(for: server.origin, user: server.user) }
        }
        do { return access(with: try await task.sharedValue(), to: server) } catch {
            if !(error is CancellationError) { memory.update { if $0.asking == task { $0.asking = nil } } }
            throw error
        }
    }

    /// Returns the login to send in place of `refused`; nil if there is no other.
    package func access(after refused: Access) async throws -> Access? {
        if refused.credential != nil { self.refused(refused) }
        memory.update { $0.isAskedFor = true }
        let next = try await access()
        return next.credential == nil || next.credential == refused.credential ? nil : next
    }

    package func refused(_ access: Access) {
        guard let server, let credential = access.credential, !access.isWithheld else { return }
        memory.update { $0.asking = nil }
        credentials.refused(credential, for: server.origin, user: server.user)
    }

    private func access(with credential: Credential?, to server: ProxyServer) -> Access {
        guard case .password(let user, let password) = credential?.kind else { return Access(allowsBasic: allowsBasic) }
        // SOCKS sends passwords in clear only (RFC 1929); over HTTP, digest is always allowed.
        let isWithheld = !allowsBasic && server.origin.scheme.hasPrefix("socks")
        return Access(
            user: isWithheld ? nil : user, password: isWithheld ? nil : password, allowsBasic: allowsBasic,
            isWithheld: !allowsBasic,
            credential: credential)
    }
}

import CSSH2
import FileProviderCore
import Foundation

extension SSHSession {
    /// Logs in by the methods in their order.
    ///
    /// - Throws: `URLError(.userAuthenticationRequired)` when all were refused; what ``perform(until:_:)`` throws.
    func logIn(_ login: SSHLogin) throws {
        var attempts = SSHAttempts(login: login, server: server)
        do {
            for method in login.methods {
                // The server is asked only where it may spare a try: that costs a round trip.
                if attempts.hasFailed, attempts.accepted == nil { try askForMethods(&attempts) }
                if try libssh2_userauth_authenticated(raw) != 0 || logIn(by: method, &attempts) { return }
            }
            if attempts.accepted == nil { try askForMethods(&attempts) }
        } catch let error as URLError where [.networkConnectionLost, .timedOut].contains(error.code) && attempts.hasBegun {
            // Not to be tried again and again: to some servers it is a refusal.
            throw attempts.refusal(lastWords: wire.lastWords, error)
        }
        if libssh2_userauth_authenticated(raw) == 0 { throw attempts.refusal(lastWords: nil, nil) }
    }

    private func askForMethods(_ attempts: inout SSHAttempts) throws {
        var list: UnsafeMutablePointer<CChar>?
        let user = attempts.login.user
        _ = try round {
            list = libssh2_userauth_list(raw, user, UInt32(user.utf8.count))
            return list == nil ? libssh2_session_last_errno(raw) : 0
        }
        attempts.accepted = list.map { SSHText.line(String(cString: $0).utf8).split(separator: ",").map(String.init) } ?? []
    }

    /// One step of the login.
    private func round(_ step: () -> Int32) throws -> Int32 {
        options.counters.add(.requests)
        return try perform(until: .now + .seconds(options.timeouts.connect), step)
    }

    private func logIn(by method: SSHLogin.Method, _ attempts: inout SSHAttempts) throws -> Bool {
        switch method {
        case .publicKey(let identity) where attempts.mayTry("publickey"): try logIn(with: identity, &attempts)
        case .agent(let socket, let only) where attempts.mayTry("publickey"):
            try logIn(withAgentAt: socket, only: only, &attempts)
        case .password(let password) where attempts.mayTry("password"):
            try tried("password", &attempts) { user in
                libssh2_userauth_password_ex(
                    raw, user, UInt32(user.utf8.count), password.text, UInt32(password.text.utf8.count), nil)
            }
        case .keyboardInteractive(let password, let answer) where attempts.mayTry("keyboard-interactive"):
            try logIn(asking: password, answer, &attempts)
        default: false
        }
    }

    /// - Returns: Whether the login is complete.
    private func tried(_ what: String, _ attempts: inout SSHAttempts, _ step: (String) -> Int32) throws -> Bool {
        let user = attempts.login.user
        attempts.hasBegun = true
        let result = try round { step(user) }
        if result == 0 { return true }
        switch result {
        case LIBSSH2_ERROR_AUTHENTICATION_FAILED, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED:
            attempts.failed(what, cause(result))
            return false
        default: throw failed(result)
        }
    }

    // MARK: Keys

    private func logIn(with identity: SSHIdentity, _ attempts: inout SSHAttempts) throws -> Bool {
        guard attempts.takeKey(type: identity.type) else { return false }
        let key = try bytes(of: identity)
        let user = attempts.login.user
        attempts.hasBegun = true
        let result = try round {
            key.withUnsafeBytes { key in
                libssh2_userauth_publickey_frommemory(
                    raw, user, user.utf8.count, nil, 0, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count,
                    identity.passphrase?.text)
            }
        }
        switch result {
        case 0: return true
        case LIBSSH2_ERROR_AUTHENTICATION_FAILED, LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED:
            attempts.failed("key \(identity.name)", cause(result))
        case _ where wire.hasEnded: throw failed(result)
        default:
            let reason =
                identity.passphrase == nil ? "it is encrypted, or no private key" : "its passphrase is wrong, or it is no private key"
            attempts.unusable("the key “\(identity.name)” cannot be opened: \(reason)", cause(result))
        }
        return false
    }

    private func bytes(of identity: SSHIdentity) throws -> [UInt8] {
        switch identity.key {
        case .memory(let bytes): return bytes
        case .file(let path):
            let file = open(path, O_RDONLY | O_CLOEXEC)
            defer { if file >= 0 { close(file) } }
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = file < 0 ? -1 : read(file, &bytes, bytes.count)
            guard count >= 0 else {
                throw FileError.make(
                    errno == ENOENT ? .fileReadNoSuchFile : .fileReadNoPermission, path: path,
                    sentence: "The key “\(path)” cannot be read: \(String(cString: strerror(errno))).",
                    underlying: POSIXErrorCode(rawValue: errno).map { POSIXError($0) })
            }
            return Array(bytes.prefix(count))
        }
    }

    private func logIn(withAgentAt path: String, only: [[UInt8]]?, _ attempts: inout SSHAttempts) throws -> Bool {
        let agent: SSHAgent
        let identities: [SSHAgent.Identity]
        do {
            agent = try SSHAgent(path: path, control: control)
            identities = try agent.identities()
        } catch let error as CocoaError {
            attempts.unusable(error.sentence.dropLast() + "", error)
            return false
        }
        for identity in identities where only?.contains(identity.blob) ?? true {
            guard SSHAlgorithms.hostKeys.contains(identity.type), attempts.takeKey(type: identity.type) else { continue }
            let signing = SSHSigning { data in try agent.sign(data, with: identity.blob) }
            var context: UnsafeMutableRawPointer? = Unmanaged.passUnretained(signing).toOpaque()
            let isIn = try tried("key \(identity.comment) of the agent", &attempts) { user in
                identity.blob.withUnsafeBufferPointer { blob in
                    libssh2_userauth_publickey(raw, user, blob.baseAddress, blob.count, SSHSigning.sign, &context)
                }
            }
            if let failure = signing.failure { throw failure }
            if isIn { return true }
        }
        return false
    }

    // MARK: Keyboard-interactive

    private func logIn(
        asking password: SSHSecret?, _ answer: (@Sendable (SSHQuestion) throws -> String)?, _ attempts: inout SSHAttempts
    ) throws -> Bool {
        let answers = SSHAnswers(password: password, answer: answer)
        wire.answers = answers
        defer { wire.answers = nil }
        do {
            let isIn = try tried("keyboard-interactive", &attempts) { user in
                libssh2_userauth_keyboard_interactive_ex(raw, user, UInt32(user.utf8.count), SSHAnswers.answer)
            }
            if let failure = answers.failure { throw failure }
            if answers.isEndless { throw endless() }
            if !isIn, let question = answers.unanswered { attempts.unusable("nobody was here to answer “\(question)”", nil) }
            return isIn
        } catch {
            throw answers.failure ?? (answers.isEndless ? endless() : error)
        }
    }

    private func endless() -> URLError {
        FileError.make(
            .userAuthenticationRequired, url: server.url,
            sentence: "“\(server.host)” asks one question after the other; the login was ended.")
    }
}

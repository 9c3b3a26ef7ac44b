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
            // No server counts the first question as a try; OpenSSH counts a later one.
            if login.mayTakeSeveralKeys { try askForMethods(&attempts) }
            if try logIn(byAnyOf: login.methods, &attempts) { return }
            if attempts.accepted == nil { try askForMethods(&attempts) }
        } catch let error as URLError
            where [.networkConnectionLost, .timedOut].contains(error.code) && attempts.hasBegun
        {
            // Not repeated, because some servers count it as a refusal.
            throw attempts.refusal(lastWords: wire.lastWords, error)
        }
        if libssh2_userauth_authenticated(raw) == 0 { throw attempts.refusal(lastWords: nil, nil) }
    }

    /// - Returns: Whether the login is complete.
    private func logIn(byAnyOf methods: [SSHLogin.Method], _ attempts: inout SSHAttempts) throws -> Bool {
        var rest = methods
        while !rest.isEmpty {
            var skipped: [SSHLogin.Method] = []
            for method in rest {
                if libssh2_userauth_authenticated(raw) != 0 { return true }
                guard try mayTry(method.name, attempts: &attempts) else {
                    skipped.append(method)
                    continue
                }
                if try logIn(by: method, &attempts) { return true }
            }
            // The tried method may have been the first of two steps, and a skipped one the second.
            rest = skipped.count < rest.count ? skipped : []
        }
        return false
    }

    /// Whether the server may accept a method. The server is asked only if that may spare a try, because it costs a
    /// round trip.
    private func mayTry(_ method: String, attempts: inout SSHAttempts) throws -> Bool {
        if attempts.hasFailed, attempts.accepted == nil { try askForMethods(&attempts) }
        if attempts.mayTry(method) { return true }
        // A server that requires two methods names the second only after the first.
        guard attempts.isOutdated else { return false }
        try askForMethods(&attempts)
        return attempts.mayTry(method)
    }

    private func askForMethods(_ attempts: inout SSHAttempts) throws {
        var list: UnsafeMutablePointer<CChar>?
        let user = attempts.login.user
        _ = try round {
            list = libssh2_userauth_list(raw, user, UInt32(user.utf8.count))
            return list == nil ? libssh2_session_last_errno(raw) : 0
        }
        attempts.accepted =
            list.map { SSHText.line(String(cString: $0).utf8).split(separator: ",").map(String.init) } ?? []
    }

    /// One step of the login.
    private func round(_ step: () -> Int32) throws -> Int32 {
        options.counters.add(.requests)
        return try perform(until: .now + .clamped(seconds: options.timeouts.connect), step)
    }

    private func logIn(by method: SSHLogin.Method, _ attempts: inout SSHAttempts) throws -> Bool {
        switch method {
        case .publicKey(let identity): try logIn(with: identity, &attempts)
        case .agent(let socket, let only, let first):
            try logIn(withAgentAt: socket, only: only, first: first, &attempts)
        case .password(let password):
            try tried("password", attempts: &attempts) { user in
                libssh2_userauth_password_ex(
                    raw, user, UInt32(user.utf8.count), password.text, UInt32(password.text.utf8.count), nil)
            }
        // Without a closure, only the password could be the answer, and it was refused already.
        case .keyboardInteractive(.some, nil) where attempts.isPasswordRefused: false
        case .keyboardInteractive(let password, let answer): try logIn(asking: password, answer, &attempts)
        }
    }

    /// - Returns: Whether the login is complete.
    private func tried(_ what: String, attempts: inout SSHAttempts, _ step: (String) -> Int32) throws -> Bool {
        let user = attempts.login.user
        attempts.hasBegun = true
        let result = try round { step(user) }
        if result == 0 { return true }
        switch result {
        case LIBSSH2_ERROR_AUTHENTICATION_FAILED: attempts.failed(what, cause(result))
        case LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED: attempts.failedInTheEnd(what, cause: cause(result))
        default: throw failed(result)
        }
        return false
    }

    // MARK: Keys

    private func logIn(with identity: SSHIdentity, _ attempts: inout SSHAttempts) throws -> Bool {
        guard attempts.takeKey(type: identity.type, publicKey: identity.publicKey) else { return false }
        let key = try bytes(of: identity)
        let user = attempts.login.user
        let hadBegun = attempts.hasBegun
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
        case LIBSSH2_ERROR_AUTHENTICATION_FAILED: attempts.failed("key \(identity.name)", cause(result))
        case LIBSSH2_ERROR_PUBLICKEY_UNVERIFIED: attempts.failedInTheEnd("key \(identity.name)", cause: cause(result))
        case _ where wire.hasEnded: throw failed(result)
        default:
            attempts.giveBackKey(publicKey: identity.publicKey, hadBegun: hadBegun)
            let reason =
                identity.passphrase == nil
                ? "it is encrypted, or no private key" : "its passphrase is wrong, or it is no private key"
            attempts.unusable("the key \(identity.quotedName) cannot be opened: \(reason)", cause(result))
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

    private func logIn(
        withAgentAt path: String, only: [[UInt8]]?, first: [[UInt8]], _ attempts: inout SSHAttempts
    ) throws -> Bool {
        let agent: SSHAgent
        let identities: [SSHAgent.Identity]
        do {
            agent = try SSHAgent(path: path, control: control)
            identities = SSHAgent.ordered(try agent.identities(), first: first)
        } catch let error as CocoaError {
            attempts.unusable(error.sentence.dropLast() + "", error)
            return false
        }
        if only?.count == 1, !identities.contains(where: { only?.contains($0.blob) ?? false }) {
            attempts.unusable("the agent does not have the key that was named", nil)
        }
        for identity in identities where only?.contains(identity.blob) ?? true {
            guard try mayTry("publickey", attempts: &attempts) else { return false }
            guard SSHAlgorithms.hostKeys.contains(identity.type),
                attempts.takeKey(type: identity.type, publicKey: identity.blob)
            else {
                continue
            }
            let signing = SSHSigner { data in try agent.sign(data, with: identity.blob) }
            var context: UnsafeMutableRawPointer? = Unmanaged.passUnretained(signing).toOpaque()
            let isIn = try tried("key \(identity.comment) of the agent", attempts: &attempts) { user in
                identity.blob.withUnsafeBufferPointer { blob in
                    libssh2_userauth_publickey(raw, user, blob.baseAddress, blob.count, SSHSigner.sign, &context)
                }
            }
            if let failure = signing.failure { throw failure }
            if isIn { return true }
        }
        return false
    }

    // MARK: Keyboard-interactive

    private func logIn(
        asking password: SSHSecret?, _ answer: (@Sendable (LoginQuestion) throws -> String)?,
        _ attempts: inout SSHAttempts
    ) throws -> Bool {
        let answers = SSHAnswers(host: server.host, password: password, answer: answer)
        wire.answers = answers
        defer { wire.answers = nil }
        do {
            let isIn = try tried("keyboard-interactive", attempts: &attempts) { user in
                libssh2_userauth_keyboard_interactive_ex(raw, user, UInt32(user.utf8.count), SSHAnswers.answer)
            }
            if let failure = answers.failure { throw failure }
            if answers.isEndless { throw endless() }
            if !isIn { noteUnanswered(answers, attempts: &attempts) }
            return isIn
        } catch {
            noteUnanswered(answers, attempts: &attempts)
            throw answers.failure ?? (answers.isEndless ? endless() : error)
        }
    }

    private func noteUnanswered(_ answers: SSHAnswers, attempts: inout SSHAttempts) {
        if let question = answers.unanswered { attempts.unusable("there was no one to answer “\(question)”", nil) }
    }

    private func endless() -> URLError {
        FileError.make(
            .userAuthenticationRequired, url: server.url,
            sentence: "“\(server.host)” asked too many questions; the login was ended.")
    }
}

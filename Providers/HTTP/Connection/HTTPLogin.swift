import CurlTransport
import FileProviderCore
import Foundation

/// The login to one origin: the secret is asked for once, the scheme comes from the first challenge, and later requests
/// send both at once.
final class HTTPLogin: Sendable {
    /// The state of the login, for the sentence of a refusal.
    struct State: Sendable {
        /// The kinds of secret there are for this.
        enum SecretKind: Sendable {
            case password, token
        }

        /// The login that the server wants and does not get.
        enum WithheldReason: Sendable {
            /// A password, or token, over a connection that is not encrypted.
            case clearSecret
            /// A password in clear, where digest was offered before.
            case downgrade
            /// Basic from a user with a colon in the name (RFC 7617, section 2).
            case colon
        }

        /// The kind of the source's last secret; an error keeps no secret.
        var given: SecretKind?
        var withheld: WithheldReason?
    }

    /// The login of a request.
    struct Access: Sendable {
        var authentication = TransferRequest.Authentication.none
        var bearer: String?
        /// The credential of a signer.
        var signing: Credential?
        /// Counts the answers of the credential source.
        fileprivate(set) var answer = 0
    }

    let origin: Origin
    private let user: String?
    private let credentials: any CredentialSource
    private let policy: SecretPolicy
    private let isSigned: Bool
    private let memory = LockedValue(Memory())

    private struct Memory: Sendable {
        var asking: Task<Credential?, any Error>?
        var access: Access?
        var credential: Credential?
        /// The number of the credential source's answer in use.
        var answer = 0
        /// How a login that was refused was sent: the next one goes so at once.
        var refusedWay: TransferRequest.Authentication?
        /// The login opened something once: what is refused after that is a place, not the login.
        var wasAccepted = false
        /// Digest was offered once: a password in clear is no longer what this server needs.
        var hasOfferedDigest = false
        var state = State()
        var wasAskedFor = false

        mutating func use(_ other: Credential?, _ access: Access?) {
            (asking, self.access, credential) = (nil, access, other)
            wasAskedFor = false
            answer += 1
            self.access?.answer = answer
        }
    }

    init(origin: Origin, user: String?, credentials: any CredentialSource, options: ConnectionOptions, isSigned: Bool) {
        self.origin = origin
        self.user = user
        self.credentials = credentials
        self.isSigned = isSigned
        policy = SecretPolicy(origin, options: options)
    }

    var state: State { memory.value.state }

    /// Whether the server may still ask for a login in a way that is not known yet.
    func isOpen() async throws -> Bool {
        if case .negotiate = try await access().authentication { !memory.value.wasAskedFor } else { false }
    }

    /// The server had its chance to ask.
    func wasAskedFor() { memory.update { $0.wasAskedFor = true } }

    /// Returns the login for the next request. Concurrent callers wait for one answer of the credential source.
    func access() async throws -> Access {
        let (known, asking) = memory.update {
            [credentials, origin, user] memory -> (Access?, Task<Credential?, any Error>) in
            if memory.credential?.isExpired == true { memory.use(nil, nil) }
            let task = memory.asking.orStart { try await credentials.credential(for: origin, user: user) }
            return (memory.access, task)
        }
        if let known { return known }
        let credential: Credential?
        do {
            credential = try await asking.sharedValue()
            try credential?.check(for: origin)
        } catch {
            // A prompt that was broken off may be answered the next time; who stops waiting leaves it to the others.
            if !(error is CancellationError) { memory.update { if $0.asking == asking { $0.asking = nil } } }
            throw error
        }
        let access = memory.update { memory -> Access? in
            // Refused meanwhile: the answer to another question counts.
            guard memory.asking == asking else { return nil }
            var access = memory.access ?? first(credential, memory)
            access.answer = memory.answer
            memory.access = access
            memory.credential = credential
            memory.state.given = credential.map { $0.isBearer ? .token : .password }
            return access
        }
        if let access { return access }
        return try await self.access()
    }

    private func first(_ credential: Credential?, _ memory: Memory) -> Access {
        if isSigned { return Access(signing: credential) }
        return switch (credential?.kind, memory.refusedWay) {
        case (.password(let user, let password), .basic): Access(authentication: .basic(user: user, password: password))
        case (.password(let user, let password), .digest):
            Access(authentication: .digest(user: user, password: password))
        case (.password(let user, let password), _):
            // If a password in clear is a matter of trust, the server's whole offer is read before it is sent.
            Access(
                authentication: .negotiate(
                    user: user, password: password, allowsBasic: policy.mayDowngrade && withheld(user, memory) == nil))
        case (.bearer(let token), _): Access(bearer: policy.allowsClear ? token : nil)
        case (.privateKey, _), (nil, _): Access()
        }
    }

    private func withheld(_ user: String, _ memory: Memory) -> State.WithheldReason? {
        if user.contains(":") { return .colon }
        if !policy.allowsClear { return .clearSecret }
        return memory.hasOfferedDigest && !policy.mayDowngrade ? .downgrade : nil
    }

    /// Whether the password of `user` may be sent by Basic without a challenge; if not, ``state`` has the reason.
    func mayUseBasic(user: String) -> Bool {
        memory.update { memory in
            memory.state.withheld = withheld(user, memory)
            return memory.state.withheld == nil
        }
    }

    /// Notes whether the server accepted `access`. A login that never worked is asked for again the next time, and its
    /// source learns of the refusal.
    func judge(_ head: ResponseHead, of access: Access, isRefused: Bool) {
        let refused = memory.update { memory -> Credential? in
            // Without a challenge that can be answered, the login was not sent, and nothing is known about it.
            let wasSent =
                access.bearer != nil || access.signing != nil || access.isSettled || head.offersBasic
                || head.offersDigest
            guard memory.answer == access.answer, wasSent, memory.state.withheld == nil else { return nil }
            memory.wasAccepted = memory.wasAccepted || !isRefused
            guard !memory.wasAccepted, let credential = memory.credential else { return nil }
            memory.refusedWay = memory.access?.authentication
            memory.use(nil, nil)
            return credential
        }
        if let refused { credentials.refused(refused, for: origin, user: user) }
    }

    /// Whether a refusal may be for the way of answering, or for a token that has had its day, and there is another to
    /// try.
    ///
    /// - Throws: What the credential source throws when it has to find another token.
    func reconsider(_ head: ResponseHead, of access: Access) async throws -> Bool {
        switch access.authentication {
        case .none: return access.bearer == nil || !head.refusesToken ? false : try await replaceToken(of: access)
        case .digest where head.offersDigest: return head.challengeIsNew
        case .digest(let user, let password) where head.offersBasic:
            return answer(.basic(user: user, password: password))
        case .basic(let user, let password) where head.offersDigest:
            return answer(.digest(user: user, password: password))
        case .negotiate(_, _, allowsBasic: false) where head.offersBasic && !head.offersDigest:
            return memory.value.access?.isSettled == true
        default: return false
        }
    }

    /// Answers in another way from now on, where the policy lets it.
    private func answer(_ way: TransferRequest.Authentication) -> Bool {
        memory.update { memory in
            if case .basic(let user, _) = way {
                memory.state.withheld = withheld(user, memory)
            } else {
                memory.state.withheld = nil
            }
            guard memory.state.withheld == nil else { return false }
            memory.access?.authentication = way
            return true
        }
    }

    private func replaceToken(of access: Access) async throws -> Bool {
        let (isOther, refused) = memory.update { ($0.answer != access.answer, $0.credential) }
        guard !isOther, let refused else { return isOther }
        guard let next = try await credentials.replacement(for: refused, origin: origin, user: user),
            next.kind != refused.kind
        else {
            return false
        }
        try next.check(for: origin)
        memory.update { if $0.answer == access.answer { $0.use(next, first(next, $0)) } }
        return true
    }

    /// Remembers how the server wants to be answered.
    func learn(from head: ResponseHead) {
        memory.update { memory in
            if head.offersDigest { (memory.hasOfferedDigest, memory.state.withheld) = (true, nil) }
            guard case .negotiate(let user, let password, _) = memory.access?.authentication else {
                if memory.credential?.isBearer == true, !policy.allowsClear, head.status == 401 {
                    memory.state.withheld = .clearSecret
                }
                return
            }
            if head.offersDigest {
                memory.access?.authentication = .digest(user: user, password: password)
            } else if head.offersBasic {
                memory.state.withheld = withheld(user, memory)
                if memory.state.withheld == nil {
                    memory.access?.authentication = .basic(user: user, password: password)
                }
            }
        }
    }
}

/// Over which connections a secret may go in clear.
private struct SecretPolicy: Sendable {
    /// Encrypted, within this machine, or allowed all the same.
    let allowsClear: Bool
    /// Whether no attacker in between can have removed digest from the server's offer.
    let mayDowngrade: Bool

    init(_ origin: Origin, options: ConnectionOptions) {
        let staysHere = origin.isLoopback && options.proxy.staysOnThisMachine
        allowsClear = origin.scheme == "https" || staysHere || options.allowsClearPassword
        mayDowngrade = (origin.scheme == "https" && !options.trust.isInsecure) || staysHere
    }
}

extension HTTPLogin.Access {
    /// The identity by which kept answers are separated: the user, or the secret if there is no user.
    var identity: String {
        switch authentication {
        case .basic(let user, _), .digest(let user, _), .negotiate(let user, _, _): return "user \(user)"
        case .none: break
        }
        if let bearer { return "bearer \(bearer)" }
        return switch signing?.kind {
        case .password(let user, _): "key \(user)"
        case .bearer(let token): "bearer \(token)"
        case .privateKey, nil: "no user"
        }
    }

    /// Whether the way of answering is known, so that the login goes with the request at once.
    fileprivate var isSettled: Bool {
        switch authentication {
        case .basic, .digest: true
        default: false
        }
    }
}

extension Credential {
    fileprivate var isBearer: Bool {
        if case .bearer = kind { true } else { false }
    }

    /// Sees that the secret can be sent: a line break in it would be read as the next header, and libcurl stops at a
    /// NUL.
    fileprivate func check(for origin: Origin) throws {
        let isSendable =
            switch kind {
            case .bearer(let token): !token.isEmpty && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            case .password(let user, let password): !(user + password).utf8.contains(0)
            // It goes nowhere.
            case .privateKey: true
            }
        guard !isSendable else { return }
        throw FileError.make(
            .userAuthenticationRequired, url: nil,
            sentence:
                "The \(isBearer ? "token" : "user or password") for “\(origin.host)” holds characters that cannot be sent."
        )
    }
}

extension ResponseHead {
    /// Whether this is said about the token, not about what it may do (RFC 6750, section 3.1).
    fileprivate var refusesToken: Bool {
        guard status == 401, let challenge = joined("WWW-Authenticate")?.lowercased() else { return status == 401 }
        return !challenge.contains("insufficient_scope") && !challenge.contains("invalid_request")
    }
}

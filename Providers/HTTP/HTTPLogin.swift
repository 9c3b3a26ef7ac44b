import CurlTransport
import FileProviderCore

/// What is known about logging in to one origin: asked for once, learnt from the first challenge, then sent at once.
final class HTTPLogin: Sendable {
    /// Where the login stands, for the sentence of a refusal.
    struct State: Sendable {
        var hasCredential = false
        /// The server wanted a password in clear, which is not allowed here.
        var clearPasswordRefused = false
    }

    /// What goes with a request.
    struct Access: Sendable {
        var authentication = TransferRequest.Authentication.none
        var bearer: String?
        /// What a signer proves itself with.
        var signing: Credential?
        /// Counts the answers of the credential source.
        fileprivate(set) var answer = 0
    }

    let origin: Origin
    private let user: String?
    private let credentials: any CredentialSource
    private let allowsBasic: Bool
    private let isSigned: Bool
    private let memory = Locked(Memory())

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
        var state = State()
        var wasAskedFor = false
    }

    init(origin: Origin, user: String?, credentials: any CredentialSource, allowsClearPassword: Bool, isSigned: Bool) {
        self.origin = origin
        self.user = user
        self.credentials = credentials
        self.isSigned = isSigned
        allowsBasic = origin.scheme == "https" || origin.isLoopback || allowsClearPassword
    }

    var state: State { memory.value.state }

    /// Whether the server may still ask for a login in a way that is not known yet.
    func isOpen() async throws -> Bool {
        if case .negotiate = try await access().authentication { !memory.value.wasAskedFor } else { false }
    }

    /// The server had its chance to ask.
    func wasAskedFor() { memory.update { $0.wasAskedFor = true } }

    /// What to send with the next request. Many callers at once wait for the same answer of the credential source.
    func access() async throws -> Access {
        if let access = memory.value.access { return access }
        let asking = memory.update { memory in
            let task = memory.asking ?? Task { [credentials, origin, user] in try await credentials.credential(for: origin, user: user) }
            memory.asking = task
            return task
        }
        let credential: Credential?
        do { credential = try await asking.sharedValue() } catch {
            // A prompt that was broken off may be answered the next time; who stops waiting leaves it to the others.
            if !(error is CancellationError) { memory.update { $0.asking = nil } }
            throw error
        }
        return memory.update { memory in
            var access = memory.access ?? first(credential, like: memory.refusedWay)
            access.answer = memory.answer
            memory.access = access
            memory.credential = credential
            memory.state.hasCredential = credential != nil
            return access
        }
    }

    private func first(_ credential: Credential?, like way: TransferRequest.Authentication?) -> Access {
        if isSigned { return Access(signing: credential) }
        return switch (credential?.kind, way) {
        case (.password(let user, let password), .basic): Access(authentication: .basic(user: user, password: password))
        case (.password(let user, let password), .digest): Access(authentication: .digest(user: user, password: password))
        case (.password(let user, let password), _):
            Access(authentication: .negotiate(user: user, password: password, allowsBasic: allowsBasic))
        // A bearer token is as good as a password: in clear only where one may go.
        case (.bearer(let token), _): Access(bearer: allowsBasic ? token : nil)
        case (nil, _): Access()
        }
    }

    /// What the server made of `access`. A login that never worked is asked for anew the next time, and its source told.
    func judge(_ head: ResponseHead, of access: Access) {
        let refused = memory.update { memory -> Credential? in
            // Without a challenge that can be answered, the login was not sent, and nothing is known about it.
            let wasSent = access.bearer != nil || access.signing != nil || access.isSettled || head.offersBasic || head.offersDigest
            guard memory.answer == access.answer, wasSent, !memory.state.clearPasswordRefused else { return nil }
            memory.wasAccepted = memory.wasAccepted || head.status != 401
            guard !memory.wasAccepted, let credential = memory.credential else { return nil }
            memory.refusedWay = memory.access?.authentication
            (memory.asking, memory.access, memory.credential) = (nil, nil, nil)
            memory.wasAskedFor = false
            memory.answer += 1
            return credential
        }
        if let refused { credentials.refused(refused, for: origin, user: user) }
    }

    /// Whether a refusal may be for the way of answering rather than for the password: one server may ask in several ways.
    func reconsider(_ head: ResponseHead) -> Bool {
        memory.update { memory in
            switch memory.access?.authentication {
            case .digest(let user, let password) where head.offersBasic && !head.offersDigest,
                .basic(let user, let password) where head.offersDigest:
                memory.access?.authentication = .negotiate(user: user, password: password, allowsBasic: allowsBasic)
                return true
            default: return false
            }
        }
    }

    /// Remembers how the server wants to be answered.
    func learn(from head: ResponseHead) {
        memory.update { memory in
            guard case .negotiate(let user, let password, let allowsBasic) = memory.access?.authentication else { return }
            if head.offersDigest {
                memory.access?.authentication = .digest(user: user, password: password)
            } else if head.offersBasic {
                if allowsBasic { memory.access?.authentication = .basic(user: user, password: password) }
                memory.state.clearPasswordRefused = !allowsBasic
            }
        }
    }
}

extension HTTPLogin.Access {
    /// Whether the way of answering is known, so that the login goes with the request at once.
    fileprivate var isSettled: Bool {
        switch authentication {
        case .basic, .digest: true
        default: false
        }
    }
}

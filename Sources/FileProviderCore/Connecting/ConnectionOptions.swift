public import Logging
import Synchronization

/// How a provider connects: access, trust and policies. One value for every remote provider.
public struct ConnectionOptions: Sendable {
    /// The source of secrets. A password in the URL that the provider is made for takes precedence.
    public var credentials: any CredentialSource
    /// Whom to trust over TLS and SSH, and which certificate or key to show.
    public var trust: TrustPolicy
    /// Opens ``TrustPolicy/clientKey``, the ``TrustPolicy/identities``, and a
    /// ``Credential/privateKey(user:key:passphrase:)`` without a passphrase, if they are encrypted. It is a password
    /// whose user is ignored; nil if no key is encrypted.
    public var clientKeyPassword: Credential?
    /// Answers the questions of an SSH server at login other than the password, such as for a one-time code (RFC 4256),
    /// and the password if ``credentials`` have none. Called at each login, on a thread of the connection. It may wait
    /// for a person to type as long as the server does, and nothing interrupts it. If it throws, the login fails with
    /// that error. Nil, the default, answers nothing; the ssh program never calls it.
    public var answer: (@Sendable (LoginQuestion) throws -> String)?
    /// Whether requests, and connections over FTP and SSH, go by a proxy.
    public var proxy: ProxyPolicy
    /// How long to wait before an operation fails.
    public var timeouts: Timeouts
    /// How often, and after which pauses, an operation that failed for a passing reason is tried again.
    public var retries: RetryPolicy
    /// The most exchanges with one host at once; over HTTP/1 each has a connection. An exchange that waits for its own
    /// source or sink does not count.
    public var connectionsPerHost: Int
    /// The most ranges of one large file at once, over HTTP, WebDAV, S3 and FTP, if that is faster; each is a separate
    /// exchange. 1 for none.
    public var maxRangesAtOnce: Int
    /// Bytes a second of one provider in each direction, shared by its transfers; nil for no limit.
    public var bandwidth: Int64?
    /// Requests a second; nil for no limit. Counts each request over HTTP, each command and transfer over FTP, and over
    /// SFTP each request except those for a file's bytes. One value may serve several providers.
    public var requestLimit: RequestLimit?
    /// Whether a password may go over a connection that is not encrypted, to a host that is not this machine.
    public var allowsClearPassword: Bool
    /// Whether a redirect to another scheme, host or port is refused. Without it such redirects are followed for
    /// reading, and from a host with a public address never to one with a private, link-local or loopback address.
    public var keepsRedirectsInOrigin: Bool
    /// What may be answered from memory.
    public var cache: CachePolicy
    /// The settings that only this provider knows, by the names in its ``ProviderRegistration/settings``.
    public var settings: [String: String]
    /// Counts requests, connections, bytes and retries.
    public var counters: TransferCounters
    /// Receives a line at `.debug` for each request, or for each operation over SFTP, whose packets are logged at
    /// `.trace`; never a secret. If it is nil, or `.debug` is off, no line is made. Its handler is called on the task
    /// that made the request, which waits for it.
    public var logger: Logger?

    /// The defaults: no secrets, the system's authorities, a proxy if the environment names one, 8 exchanges at once, 4
    /// ranges of a file at once, no limit on bandwidth, nothing answered from memory, separate counters, and no log.
    public init(
        credentials: any CredentialSource = FixedCredential(nil), trust: TrustPolicy = TrustPolicy(),
        timeouts: Timeouts = Timeouts(),
        retries: RetryPolicy = RetryPolicy(), connectionsPerHost: Int = 8, bandwidth: Int64? = nil,
        allowsClearPassword: Bool = false,
        cache: CachePolicy = .none, settings: [String: String] = [:], counters: TransferCounters = TransferCounters(),
        proxy: ProxyPolicy = .environment, clientKeyPassword: Credential? = nil,
        answer: (@Sendable (LoginQuestion) throws -> String)? = nil, keepsRedirectsInOrigin: Bool = false,
        requestLimit: RequestLimit? = nil, logger: Logger? = nil, maxRangesAtOnce: Int = 4
    ) {
        self.credentials = credentials
        self.trust = trust
        self.clientKeyPassword = clientKeyPassword
        self.answer = answer
        self.proxy = proxy
        self.timeouts = timeouts
        self.retries = retries
        self.connectionsPerHost = connectionsPerHost
        self.maxRangesAtOnce = maxRangesAtOnce
        self.bandwidth = bandwidth
        self.requestLimit = requestLimit
        self.allowsClearPassword = allowsClearPassword
        self.keepsRedirectsInOrigin = keepsRedirectsInOrigin
        self.cache = cache
        self.settings = settings
        self.counters = counters
        self.logger = logger
    }
}

/// A question of an SSH server in a login by keyboard-interactive (RFC 4256).
public struct LoginQuestion: Sendable, Hashable {
    /// The host that asks, such as `ssh.example`; `HostName` in ssh's configuration.
    public let host: String
    /// The server's question, in one line.
    public let prompt: String
    /// The server's words to all questions of a round; often empty.
    public let instruction: String
    /// Whether the answer may be shown while it is typed.
    public let echoes: Bool

    /// Created by a login, and by apps in their tests.
    public init(host: String, prompt: String, instruction: String = "", echoes: Bool) {
        self.host = host
        self.prompt = prompt
        self.instruction = instruction
        self.echoes = echoes
    }
}

/// Whom to trust over TLS and SSH, and which certificate or key to show. The default trusts the system's authorities,
/// checks the host name, and accepts known host keys.
public struct TrustPolicy: Sendable, Hashable, Codable {
    /// Which keys of SSH servers are accepted. One that differs from a known key never is.
    public enum HostKeys: Sendable, Hashable, Codable {
        /// Keys in the files of known hosts. Another key fails with `URLError(.serverCertificateHasUnknownRoot)` if no
        /// key of the host is known, else with `.serverCertificateUntrusted`.
        case known
        /// As ``known``, and also the key of a host without known keys, which is added to the first file. An attacker
        /// in between at the first connection is trusted.
        case acceptNew
        /// Keys with one of these fingerprints, each `SHA256:` and the hash in Base64, as ssh-keygen(1) shows them,
        /// whatever the files of known hosts say, unless they revoke it. The ssh program cannot check them: with it,
        /// this is an error.
        case pinned([String])
    }

    /// A PEM file of authorities to trust instead of the system's.
    public var authorities: String?
    /// A PEM file with the client's certificate. Its key may be in ``clientKey``.
    public var clientCertificate: String?
    /// A PEM file with the key of ``clientCertificate``; nil if both are in one file.
    public var clientKey: String?
    /// Whether neither certificate nor host name is checked over TLS. Anybody between client and server can then read
    /// and change everything. SSH host keys are still checked.
    public var isInsecure: Bool
    /// The only servers to trust over TLS: each has to show a key or a certificate with one of these hashes. The
    /// signature, names and dates of the certificate are then ignored, and so are ``authorities`` and ``isInsecure``.
    /// Empty, the default, trusts by authority and name. Pins don't work with a proxy that uses TLS itself.
    public var pins: [ServerPin]
    /// Files with private keys to log in with over SSH, in order of preference, six at most. Empty takes an agent's
    /// keys, then those that ssh(1) would take. A file that cannot be read, or that others can read, is an error.
    public var identities: [String]
    /// Files of known hosts (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"). New keys are added to the first. Nil takes those
    /// in ssh's configuration, else the user's and the system's. The ssh program accepts one at most.
    public var knownHosts: [String]?
    /// ``HostKeys/known`` by default.
    public var hostKeys: HostKeys

    /// The defaults: the system's authorities, no client certificate, everything checked, keys and known hosts as
    /// ssh(1) has them.
    public init(
        authorities: String? = nil, clientCertificate: String? = nil, clientKey: String? = nil,
        isInsecure: Bool = false,
        identities: [String] = [], knownHosts: [String]? = nil, hostKeys: HostKeys = .known, pins: [ServerPin] = []
    ) {
        self.authorities = authorities
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.isInsecure = isInsecure
        self.identities = identities
        self.knownHosts = knownHosts
        self.hostKeys = hostKeys
        self.pins = pins
    }

    /// Reads a value that an older version wrote, too.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            authorities: try values.decodeIfPresent(String.self, forKey: .authorities),
            clientCertificate: try values.decodeIfPresent(String.self, forKey: .clientCertificate),
            clientKey: try values.decodeIfPresent(String.self, forKey: .clientKey),
            isInsecure: try values.decode(Bool.self, forKey: .isInsecure),
            identities: try values.decode([String].self, forKey: .identities),
            knownHosts: try values.decodeIfPresent([String].self, forKey: .knownHosts),
            hostKeys: try values.decode(HostKeys.self, forKey: .hostKeys),
            pins: try values.decodeIfPresent([ServerPin].self, forKey: .pins) ?? [])
    }
}

/// How long to wait, in seconds.
public struct Timeouts: Sendable, Hashable, Codable {
    /// For a connection, TLS included.
    public var connect: Double
    /// While no byte moves in either direction.
    public var idle: Double
    /// For one request with its body; nil, which large files need, for no limit.
    public var whole: Double?
    /// The fewest bytes that a transfer over HTTP or FTP has to move in each minute in which it moves any; nil or 0 for
    /// no limit. Ends transfers that would take days. A bandwidth limit lowers it.
    public var leastPerMinute: Int64?

    /// All but `leastPerMinute` in seconds. The defaults don't limit a request as long as it moves a byte at least once
    /// a minute.
    public init(connect: Double = 20, idle: Double = 60, whole: Double? = nil, leastPerMinute: Int64? = nil) {
        self.connect = connect
        self.idle = idle
        self.whole = whole
        self.leastPerMinute = leastPerMinute
    }
}

/// How often, and after which pauses, an operation that failed for a passing reason is tried again.
public struct RetryPolicy: Sendable, Hashable, Codable {
    /// Tries after the first; 0 for none.
    public var retries: Int
    /// The pause before the second try, in seconds; it doubles from try to try.
    public var firstPause: Double
    /// The longest pause, in seconds, also for a pause that a server's `Retry-After` asks for.
    public var longestPause: Double
    /// Whether this task retries nothing, because its caller does.
    @TaskLocal static var isOff = false

    /// The defaults: three more tries, after pauses of up to 0.2, 0.4 and 0.8 seconds, or as long as the server asks
    /// for, up to 30.
    public init(retries: Int = 3, firstPause: Double = 0.2, longestPause: Double = 30) {
        self.retries = retries
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// Runs `body` until it succeeds, fails for good, or the tries are used up.
    ///
    /// - Parameter mayRepeat: Whether the operation can be done twice without harm; called after each failure.
    public func run<Value: Sendable>(
        counters: TransferCounters, mayRepeat: @Sendable (any Error) -> Bool = { $0.isTransient },
        _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        var tries = 0
        var again: RepeatedTry?
        while true {
            do {
                return try await RepeatedTry.run(again, body)
            } catch let error where !Self.isOff && tries < retries && mayRepeat(error) && !error.isCancellation {
                tries += 1
                again = RepeatedTry(number: tries, cause: error)
                counters.add(.retries)
                try await Task.sleep(for: .seconds(pause(before: tries, after: error)))
            }
        }
    }

    /// Returns the seconds to wait before the repetition `attempt`, 1 or more; longer if the server said so in `error`.
    ///
    /// Half of the pause is fixed and half is random, so that many clients do not return at the same moment.
    package func pause(before attempt: Int, after error: (any Error)?) -> Double {
        let backoff = min(longestPause, firstPause * Double(1 << min(attempt - 1, 16)))
        let asked = (error as? any RetryAfterError)?.retryAfter ?? 0
        return min(longestPause, max(asked, backoff * Double.random(in: 0.5...1)))
    }
}

/// An error with which the server said when to try again.
public protocol RetryAfterError: Error {
    /// Seconds; nil if the server did not say.
    var retryAfter: Double? { get }
}

/// Counters of requests, connections, bytes and retries. One value may serve several providers.
public final class TransferCounters: Sendable {
    /// What is counted.
    public enum Counter: Int, Sendable, CaseIterable {
        /// Requests sent, each round of a login included.
        case requests
        /// Connections that were made; reuse of one does not count.
        case connections
        /// Data connections beside the one for commands, in protocols that have both.
        case dataConnections
        /// Bytes of heads and bodies received.
        case bytesIn
        /// Bytes of heads and bodies sent, without the overhead of TLS.
        case bytesOut
        /// Tries after the first, by ``RetryPolicy/run(counters:mayRepeat:_:)``.
        case retries
    }

    private let counts = Mutex([Int64](repeating: 0, count: Counter.allCases.count))

    /// Creates counters that are all 0.
    public init() {}

    /// The count since the value was made; safe to read from any thread.
    public subscript(counter: Counter) -> Int64 { counts.withLock { $0[counter.rawValue] } }

    /// Adds `amount` to a count; safe to call from any thread.
    public func add(_ counter: Counter, _ amount: Int64 = 1) { counts.withLock { $0[counter.rawValue] += amount } }
}

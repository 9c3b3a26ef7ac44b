public import Logging
import Synchronization

/// How a provider connects: access, trust and policies. One value for every remote provider.
public struct ConnectionOptions: Sendable {
    /// Where secrets come from. A password in the URL that the provider is made for goes before it.
    public var credentials: any CredentialSource
    /// Whom to trust over TLS and SSH, and what to show there.
    public var trust: TrustPolicy
    /// Opens ``TrustPolicy/clientKey``, the ``TrustPolicy/identities``, and a
    /// ``Credential/privateKey(user:key:passphrase:)`` without a passphrase, where these are encrypted: a password, whose
    /// user says nothing; nil for keys that are not.
    public var clientKeyPassword: Credential?
    /// Answers what an SSH server asks in a login besides the password, such as for a code that is used once (RFC
    /// 4256), and the password where ``credentials`` have none. It is called on a thread of the connection's own, at
    /// each login, and may wait for somebody to type, as long as the server does; nothing interrupts it. What it throws
    /// ends the login. The ssh program asks nobody. Nil where nobody is there to be asked.
    public var answer: (@Sendable (LoginQuestion) throws -> String)?
    /// Whether requests, and connections over FTP and SSH, go by a proxy.
    public var proxy: ProxyPolicy
    /// How long to wait before an operation fails.
    public var timeouts: Timeouts
    /// How often, and after which pauses, what failed for a passing reason is tried again.
    public var retries: RetryPolicy
    /// Exchanges with one host at once; over HTTP/1 each has a connection. One that waits for its own source or sink
    /// does not count.
    public var connectionsPerHost: Int
    /// Ranges of one large file that are fetched at once over HTTP, WebDAV, S3 and FTP where that is faster; each is an
    /// exchange of its own. 1 for none.
    public var maxRangesAtOnce: Int
    /// Bytes a second of one provider in each direction, shared by its transfers; nil for no limit.
    public var bandwidth: Int64?
    /// Requests a second: over HTTP each request, over FTP each command and transfer, over SFTP each request but those
    /// for a file's bytes. Nil for no limit. One value may serve several providers.
    public var requestLimit: RequestLimit?
    /// Whether a password may go over a connection that is not encrypted, to a host that is not this machine.
    public var allowsClearPassword: Bool
    /// Whether a redirect to another scheme, host or port is refused. Without it such redirects are followed for
    /// reading, and from a host with a public address never to one with a private, link-local or loopback address.
    public var keepsRedirectsInOrigin: Bool
    /// What may be answered from memory.
    public var cache: CachePolicy
    /// What the provider alone knows, by the names in its ``ProviderRegistration/settings``.
    public var settings: [String: String]
    /// Counts what goes over the wire.
    public var counters: TransferCounters
    /// Receives a line at `.debug` for each request, or for each operation over SFTP, and what SFTP sends for it at
    /// `.trace`; never a secret. With nil, and while `.debug` is off, no line is made. Its handler is called on the
    /// task that made the request, which waits for it.
    public var logger: Logger?

    /// The defaults: no secrets, the system's authorities, a proxy where the environment names one, 8 exchanges at
    /// once, 4 ranges of a file at once, no limit on bandwidth, nothing answered from memory, counters of its own, and no
    /// log.
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

/// What an SSH server asks in a login by keyboard-interactive (RFC 4256).
public struct LoginQuestion: Sendable, Hashable {
    /// Who asks, such as `ssh.example`: what ssh's configuration calls `HostName`.
    public let host: String
    /// The server's words to one question, in one line.
    public let prompt: String
    /// Its words to all questions of a round; often none.
    public let instruction: String
    /// Whether the answer may be seen while it is typed.
    public let echoes: Bool

    /// Made by a login; by apps for their tests.
    public init(host: String, prompt: String, instruction: String = "", echoes: Bool) {
        self.host = host
        self.prompt = prompt
        self.instruction = instruction
        self.echoes = echoes
    }
}

/// Whom to trust over TLS and SSH, and what to show there. The default trusts the system's authorities, checks the host
/// name, and takes the host keys that are known.
public struct TrustPolicy: Sendable, Hashable, Codable {
    /// Which keys of SSH servers are taken. One that differs from a known one never is.
    public enum HostKeys: Sendable, Hashable, Codable {
        /// Those in the files of known hosts. Another is `URLError(.serverCertificateHasUnknownRoot)` where nothing is
        /// known of the host, else `.serverCertificateUntrusted`.
        case known
        /// Also that of a host of which nothing is known: it is added to the first file. Whoever is on the way the
        /// first time is believed.
        case acceptNew
        /// Those with one of these fingerprints, each `SHA256:` and the hash in Base64, as ssh-keygen(1) shows them,
        /// whatever the files of known hosts say, unless they revoke it. By the ssh program they cannot be checked: an
        /// error.
        case pinned([String])
    }

    /// A PEM file of authorities to trust instead of the system's.
    public var authorities: String?
    /// A PEM file with the client's certificate, and one with its key where that lies apart.
    public var clientCertificate: String?
    /// A PEM file with the key of ``clientCertificate``; nil where both are in one file.
    public var clientKey: String?
    /// Checks neither certificate nor host name over TLS. Anybody on the way can then read and change everything. Host
    /// keys are checked all the same.
    public var isInsecure: Bool
    /// The only servers that are trusted over TLS: each has to show a key or a certificate with one of these hashes.
    /// Who has signed its certificate, for which name and time, plays no part then, nor do ``authorities`` and
    /// ``isInsecure``. Empty, as by default, trusts by authority and name. A proxy with TLS of its own cannot be used
    /// with pins.
    public var pins: [ServerPin]
    /// Files with private keys to log in with over SSH, the first one first, six at most; with none, those that ssh(1)
    /// would take, an agent's before. One that cannot be read, or that others can read, is an error.
    public var identities: [String]
    /// Files of known hosts (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"), new keys go to the first; nil takes those that
    /// ssh's configuration names, else the user's and the system's. The ssh program takes one at most.
    public var knownHosts: [String]?
    /// ``HostKeys/known`` unless said otherwise.
    public var hostKeys: HostKeys

    /// The defaults: the system's authorities, no certificate to show, everything checked, keys and known hosts as
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
    /// While nothing moves in either direction.
    public var idle: Double
    /// For one request, its body included; nil for no limit, as large files need.
    public var whole: Double?
    /// The fewest bytes that a transfer over HTTP or FTP has to move in each minute in which it moves any; nil or 0 for
    /// no such limit. Ends transfers that would go on for days. A bandwidth limit lowers it.
    public var leastPerMinute: Int64?

    /// All but `leastPerMinute` in seconds. The defaults let a request take as long as it likes, while something moves
    /// at least once a minute.
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
    /// The longest pause, in seconds; a server's `Retry-After` may ask for as much.
    public var longestPause: Double
    /// Whether nothing is tried again in this task, as its caller sees to that.
    @TaskLocal static var isOff = false

    /// The defaults: three tries more, after pauses of up to 0.2, 0.4 and 0.8 seconds, or of as many as the server asks
    /// for, up to 30.
    public init(retries: Int = 3, firstPause: Double = 0.2, longestPause: Double = 30) {
        self.retries = retries
        self.firstPause = firstPause
        self.longestPause = longestPause
    }

    /// Runs `body` until it succeeds, fails for good, or the tries are used up.
    ///
    /// - Parameter mayRepeat: Whether the operation can be done twice without doing harm; asked after each failure.
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

    /// Seconds to wait before the repetition `attempt`, 1 and more; longer where the server said so in `error`.
    ///
    /// Half of the pause is fixed and half is chance, so that many clients do not come back at the same moment.
    package func pause(before attempt: Int, after error: (any Error)?) -> Double {
        let backoff = min(longestPause, firstPause * Double(1 << min(attempt - 1, 16)))
        let asked = (error as? any RetryAfterError)?.retryAfter ?? 0
        return min(longestPause, max(asked, backoff * Double.random(in: 0.5...1)))
    }
}

/// An error with which the server said when to come back.
public protocol RetryAfterError: Error {
    /// Seconds; nil where the server did not say.
    var retryAfter: Double? { get }
}

/// Counts what goes over the wire; one value may serve several providers.
public final class TransferCounters: Sendable {
    /// What is counted.
    public enum Counter: Int, Sendable, CaseIterable {
        /// Requests sent, each round of a login included.
        case requests
        /// Connections that were made; one that was kept and is used again does not count.
        case connections
        /// Connections for data beside the one for commands, in protocols that have both.
        case dataConnections
        /// Bytes of heads and bodies.
        case bytesIn
        /// Bytes of heads and bodies that went out, without what TLS adds.
        case bytesOut
        /// Tries after the first, by ``RetryPolicy/run(counters:mayRepeat:_:)``.
        case retries
    }

    private let counts = Mutex([Int64](repeating: 0, count: Counter.allCases.count))

    /// All begin at 0.
    public init() {}

    /// The count since the value was made; safe to read from any thread.
    public subscript(counter: Counter) -> Int64 { counts.withLock { $0[counter.rawValue] } }

    /// Adds `amount` to a count; safe to call from any thread.
    public func add(_ counter: Counter, _ amount: Int64 = 1) { counts.withLock { $0[counter.rawValue] += amount } }
}

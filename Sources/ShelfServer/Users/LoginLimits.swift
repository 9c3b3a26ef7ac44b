import FileProviderCore
import Foundation

/// Keeps clients from trying passwords, without shutting out the people whose names they try.
///
/// Wrong logins count for the client's address, for the name at this address, and for the name at all addresses, each
/// within a window of time. At the first two limits, logins from the address are refused. At the third, logins with the
/// name wait for each other, except at addresses where one was right.
///
/// A login counts as wrong when it begins, and no more when it was right. Logins that arrive at the same time therefore
/// can't exceed the limit.
public final class LoginLimits: Sendable {
    /// How many wrong logins are allowed.
    public struct Settings: Hashable, Sendable {
        /// Wrong logins and registrations from one address within ``window``; 20.
        public var perAddress = 20
        /// Wrong logins with one name from one address within ``window``; 10.
        public var perName = 10
        /// Wrong logins with one name from all addresses within ``window``, after which logins with it are slowed; 100.
        public var perNameOverall = 100
        /// 5 minutes.
        public var window: Duration = .seconds(300)

        /// The defaults.
        public init() {}
    }

    /// A login that began.
    package struct Attempt: Sendable {
        fileprivate let keys: Keys
        fileprivate let time: ContinuousClock.Instant
    }

    /// What a login counts for.
    fileprivate struct Keys: Sendable {
        let network: String
        let address: String
        /// The name at the address, and at all addresses; nil for a registration.
        let pair: String?
        let name: String?

        init(address: String, name: String?) {
            // An IPv6 client has a whole network of 64 bits.
            let network = LoginLimits.network(of: address)
            self.network = network
            self.address = "a" + network
            // In bytes: a single character may have thousands of them.
            let name = name.map { PeopleStore.key(of: String(decoding: $0.utf8.prefix(256), as: UTF8.self)) }
            self.name = name.map { "n" + $0 }
            self.pair = name.map { "p" + network + " " + $0 }
        }

        var all: [String] { [address, pair, name].compactMap(\.self) }
    }

    private struct State: Sendable {
        /// The times of wrong logins by their keys.
        var wrong: [String: [ContinuousClock.Instant]] = [:]
        /// The networks of right logins by the keys of names, the latest last.
        var known: [String: [String]] = [:]
        /// When the next slowed login with a name may be compared.
        var next: [String: ContinuousClock.Instant] = [:]
        /// When the slowed login with a name from an address may be compared, by the keys of pairs.
        var waiting: [String: ContinuousClock.Instant] = [:]
    }

    /// With more addresses and names than this, the older half is forgotten, and those at their limit last.
    private static let most = 10_000
    /// The most networks that are known for a name.
    private static let mostNetworks = 16
    /// The time between two slowed logins with one name.
    static let spacing = Duration.seconds(2)
    /// The longest time that a slowed login waits.
    static let longestPause = Duration.seconds(30)

    private let settings: Settings
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = LockedValue(State())

    package init(
        _ settings: Settings = Settings(), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.settings = settings
        self.now = now
    }

    // MARK: Logins

    /// Returns how long a login has to wait before its password is compared, or `nil` if too many wait already.
    ///
    /// The time is reserved, also for a client that leaves before: call ``begin(address:name:)`` before the wait, which
    /// counts the login, and let no other login come between the two calls.
    ///
    /// There is a wait only if there were too many wrong logins with the name, and none was right at the address since the
    /// server started. Such logins begin 2 seconds after each other, and one at a time for each address.
    package func pause(address: String, name: String) -> Duration? {
        let (time, keys) = (now(), Keys(address: address, name: name))
        guard let pair = keys.pair, let nameKey = keys.name else { return .zero }
        return state.update { state in
            prune(keys, in: &state, at: time)
            // One that is refused anyway must not keep others waiting.
            if !isAtLimit(nameKey, state) || isAtLimit(keys.address, state) || isAtLimit(pair, state) { return .zero }
            if state.known[nameKey]?.contains(keys.network) == true { return .zero }
            let start = max(time, state.next[nameKey] ?? time)
            guard start - time <= Self.longestPause, state.waiting[pair] ?? time <= time else { return nil }
            state.next[nameKey] = start + Self.spacing
            state.waiting[pair] = start
            return start - time
        }
    }

    /// Begins a login or a registration; returns nil if there were too many wrong logins and registrations.
    ///
    /// - Parameters:
    ///   - address: The client's.
    ///   - name: As it was entered; nil for a registration, which counts for the address alone.
    package func begin(address: String, name: String?) -> Attempt? {
        let (time, keys) = (now(), Keys(address: address, name: name))
        return state.update { state in
            prune(keys, in: &state, at: time)
            if isAtLimit(keys.address, state) || keys.pair.map({ isAtLimit($0, state) }) == true { return nil }
            for key in keys.all {
                // Those of a name go on to be counted at their limit, of which no more are kept.
                if isAtLimit(key, state) { state.wrong[key]?.removeFirst() }
                state.wrong[key, default: []].append(time)
            }
            return Attempt(keys: keys, time: time)
        }
    }

    /// Takes back that `attempt` counts as wrong, forgets the wrong logins with its name from its address, and remembers
    /// that this address is one of the name's.
    package func succeed(_ attempt: Attempt) {
        let keys = attempt.keys
        state.update { state in
            for key in keys.all {
                guard let index = state.wrong[key]?.firstIndex(of: attempt.time) else { continue }
                state.wrong[key]?.remove(at: index)
                if state.wrong[key]?.isEmpty == true { state.wrong[key] = nil }
            }
            if let pair = keys.pair { state.wrong[pair] = nil }
            remember(keys, in: &state)
        }
    }

    /// Remembers that somebody logged in with `name` at `address`, without a new comparison.
    package func note(address: String, name: String) {
        let keys = Keys(address: address, name: name)
        state.update { remember(keys, in: &$0) }
    }

    private func remember(_ keys: Keys, in state: inout State) {
        guard let name = keys.name, state.known[name]?.last != keys.network else { return }
        // Names of people alone come here: more are not expected.
        if state.known.count > Self.most { state.known = [:] }
        let others = state.known[name, default: []].filter { $0 != keys.network }
        state.known[name] = others.suffix(Self.mostNetworks - 1) + [keys.network]
    }

    // MARK: Counts

    private func limit(of key: String) -> Int {
        switch key.first {
        case "a": settings.perAddress
        case "p": settings.perName
        default: settings.perNameOverall
        }
    }

    private func isAtLimit(_ key: String, _ state: State) -> Bool { state.wrong[key]?.count ?? 0 >= limit(of: key) }

    /// Forgets what is older than the window, and makes room.
    private func prune(_ keys: Keys, in state: inout State, at time: ContinuousClock.Instant) {
        if state.wrong.count > Self.most { makeRoom(in: &state.wrong, at: time) }
        if state.waiting.count > Self.most || state.next.count > Self.most {
            state.next = state.next.filter { $0.value > time }
            state.waiting = state.waiting.filter { $0.value > time }
        }
        for key in keys.all { state.wrong[key]?.removeAll { time - $0 > settings.window } }
    }

    private func makeRoom(in wrong: inout [String: [ContinuousClock.Instant]], at time: ContinuousClock.Instant) {
        wrong = wrong.filter { entry in entry.value.contains { time - $0 <= settings.window } }
        if wrong.count <= Self.most { return }
        let entries = wrong.map { (key: $0.key, times: $0.value, isAtLimit: $0.value.count >= limit(of: $0.key)) }
        let sorted = entries.sorted { first, second in
            if first.isAtLimit != second.isAtLimit { return second.isAtLimit }
            return (first.times.last ?? time) < (second.times.last ?? time)
        }
        wrong = Dictionary(uniqueKeysWithValues: sorted.suffix(Self.most / 2).map { ($0.key, $0.times) })
    }

    /// Seconds after which a refused client may try again: the value of `Retry-After`.
    package var retryAfter: Int { Int(settings.window.components.seconds) }

    fileprivate static func network(of address: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        // An IPv4 address in the form of IPv6 (RFC 4291, section 2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 255, bytes[11] == 255 {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}

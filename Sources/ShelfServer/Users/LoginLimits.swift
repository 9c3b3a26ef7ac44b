import FileProviderCore
import Foundation

/// Keeps clients from trying passwords: wrong ones count for the client's address and for the name, each within a window
/// of time.
///
/// A login counts as wrong when it begins, and no more when it was right. Logins that arrive at the same time therefore
/// can't exceed the limit.
public final class LoginLimits: Sendable {
    /// How many wrong logins are allowed.
    public struct Settings: Hashable, Sendable {
        /// Wrong logins and registrations from one address within ``window``; 20.
        public var perAddress = 20
        /// Wrong logins with one name within ``window``; 10.
        public var perName = 10
        /// 5 minutes.
        public var window: Duration = .seconds(300)

        /// The defaults.
        public init() {}
    }

    /// A login that began.
    package struct Attempt: Sendable {
        fileprivate let keys: [String]
        fileprivate let time: ContinuousClock.Instant
    }

    /// With more addresses and names than this, the older half is forgotten, and those at their limit last.
    private static let most = 10_000

    private let settings: Settings
    private let now: @Sendable () -> ContinuousClock.Instant
    private let wrong = LockedValue<[String: [ContinuousClock.Instant]]>([:])

    package init(
        _ settings: Settings = Settings(), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.settings = settings
        self.now = now
    }

    /// Begins a login or a registration; returns nil if there were too many wrong logins and registrations.
    ///
    /// - Parameters:
    ///   - address: The client's.
    ///   - name: As it was entered; nil for a registration, which counts for the address alone.
    package func begin(address: String, name: String?) -> Attempt? {
        let time = now()
        let (window, settings) = (settings.window, settings)
        // An IPv6 client has a whole network of 64 bits.
        let nameKey = name.map { "n" + PeopleStore.key(of: String($0.prefix(200))) }
        let keys = ["a" + Self.network(of: address)] + [nameKey].compactMap(\.self)
        return wrong.update { wrong in
            if wrong.count > Self.most { makeRoom(in: &wrong, at: time) }
            for key in keys { wrong[key]?.removeAll { time - $0 > window } }
            let isAllowed = zip(keys, [settings.perAddress, settings.perName]).allSatisfy { key, most in
                wrong[key]?.count ?? 0 < most
            }
            guard isAllowed else { return nil }
            for key in keys { wrong[key, default: []].append(time) }
            return Attempt(keys: keys, time: time)
        }
    }

    private func makeRoom(in wrong: inout [String: [ContinuousClock.Instant]], at time: ContinuousClock.Instant) {
        wrong = wrong.filter { entry in entry.value.contains { time - $0 <= settings.window } }
        if wrong.count <= Self.most { return }
        func isAtLimit(_ key: String, _ times: [ContinuousClock.Instant]) -> Bool {
            times.count >= (key.hasPrefix("a") ? settings.perAddress : settings.perName)
        }
        let entries = wrong.map { (key: $0.key, times: $0.value, isAtLimit: isAtLimit($0.key, $0.value)) }
        let sorted = entries.sorted { first, second in
            if first.isAtLimit != second.isAtLimit { return second.isAtLimit }
            return (first.times.last ?? time) < (second.times.last ?? time)
        }
        wrong = Dictionary(uniqueKeysWithValues: sorted.suffix(Self.most / 2).map { ($0.key, $0.times) })
    }

    /// Takes back that `attempt` counts as wrong, and forgets the wrong logins with its name.
    package func succeed(_ attempt: Attempt) {
        wrong.update { wrong in
            for key in attempt.keys {
                guard let index = wrong[key]?.firstIndex(of: attempt.time) else { continue }
                wrong[key]?.remove(at: index)
            }
            for key in attempt.keys.dropFirst() { wrong[key] = nil }
            if wrong[attempt.keys[0]]?.isEmpty == true { wrong[attempt.keys[0]] = nil }
        }
    }

    /// Seconds after which a refused client may try again: the value of `Retry-After`.
    package var retryAfter: Int { Int(settings.window.components.seconds) }

    private static func network(of address: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        // An IPv4 address in the form of IPv6 (RFC 4291, section 2.5.5.2).
        if bytes.prefix(10).allSatisfy({ $0 == 0 }), bytes[10] == 255, bytes[11] == 255 {
            return bytes.suffix(4).map(String.init).joined(separator: ".")
        }
        return bytes.prefix(8).map { String($0, radix: 16) }.joined(separator: ":")
    }
}

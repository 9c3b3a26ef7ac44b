import FileProviderCore

/// Where an app remembers the passphrases that fitted, as hashes. Without a store, nothing is remembered or written.
public protocol UserKeyStore: Sendable {
    /// Returns the hashes that may fit `license`, the likeliest first: the one that was kept for the same licence, then
    /// those of other licences of the same provider and user.
    func keys(for license: LicenseDocument) async throws -> [HashedPassphrase]

    /// Keeps a hash that unlocked `license`.
    func keep(_ key: HashedPassphrase, for license: LicenseDocument) async throws
}

/// Hashes of passphrases in memory, for the lifetime of the object.
public final class MemoryUserKeyStore: UserKeyStore, CustomReflectable {
    private enum Owner: Hashable {
        case license(String)
        case user(provider: String, id: String)
    }

    private let kept = LockedValue<[Owner: [HashedPassphrase]]>([:])

    /// An empty store.
    public init() {}

    /// Returns the hashes as the protocol orders them; never throws.
    public func keys(for license: LicenseDocument) async throws -> [HashedPassphrase] {
        kept.update { kept in
            Self.owners(of: license).reduce(into: []) { keys, owner in
                keys += (kept[owner] ?? []).filter { !keys.contains($0) }
            }
        }
    }

    /// Keeps `key` before those that were kept earlier; never throws.
    public func keep(_ key: HashedPassphrase, for license: LicenseDocument) async throws {
        kept.update { kept in
            for owner in Self.owners(of: license) {
                kept[owner] = [key] + (kept[owner] ?? []).filter { $0 != key }
            }
        }
    }

    private static func owners(of license: LicenseDocument) -> [Owner] {
        var owners = [Owner.license(license.id)]
        if let id = license.user.id { owners.append(.user(provider: license.provider, id: id)) }
        return owners
    }

    /// Without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

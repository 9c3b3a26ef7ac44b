import Cryptography
import FileProviderCore
import Foundation
public import Logging

/// Unlocks licences with passphrases (LCP 1.0, sections 4.2 and 7.3).
///
/// Hashes that ``keys`` remembers are tried first, then the answers of ``source``, until one fits or there is no
/// further answer.
public struct LicenseUnlocking: Sendable {
    /// The most passphrases that are asked for; 10.
    public static let maxAttempts = 10

    /// The profiles that can be unlocked; by default the basic one.
    public var profiles: [any LCPProfile]
    /// The source of passphrases; nil to use remembered ones only.
    public var source: (any PassphraseSource)?
    /// Where hashes that fit are remembered; nil to remember none.
    public var keys: (any UserKeyStore)?
    /// Receives a warning for each failure of ``keys``, which doesn't keep a book from being read.
    public var logger: Logger?

    /// Unlocking with the profiles, source and store of an app.
    public init(
        profiles: [any LCPProfile] = [BasicProfile()], source: (any PassphraseSource)? = nil,
        keys: (any UserKeyStore)? = nil, logger: Logger? = nil
    ) {
        self.profiles = profiles
        self.source = source
        self.keys = keys
        self.logger = logger
    }

    /// Returns the key of the publication that `license` belongs to. Doesn't validate the licence's signature or dates.
    ///
    /// - Throws: ``LCPProblem`` of the kinds `unknownProfile`, `unknownAlgorithm`, `passphraseNeeded` if there is no
    ///   passphrase, `wrongPassphrase` if none fits, `wrongContentKey` if one fits and the licence is damaged; errors of
    ///   the source.
    /// - Complexity: No request, besides those of the source.
    public func unlock(_ license: LicenseDocument) async throws -> LicenseKey {
        let lock = try LicenseLock(license, profiles: profiles)
        for key in try await remembered(license) where lock.fits(key) { return try lock.open(key) }
        var refused: Set<HashedPassphrase> = []
        for _ in 0..<Self.maxAttempts {
            let request = PassphraseRequest(license: license, refused: refused)
            guard let key = try await source?.passphrase(for: request) else { break }
            guard lock.fits(key) else {
                refused.insert(key)
                continue
            }
            let opened = try lock.open(key)
            try await keep(key, license)
            return opened
        }
        throw LCPProblem(refused.isEmpty ? .passphraseNeeded : .wrongPassphrase)
    }

    private func remembered(_ license: LicenseDocument) async throws -> [HashedPassphrase] {
        do {
            return try await keys?.keys(for: license) ?? []
        } catch let error where !error.isCancellation {
            logger?.warning("the remembered passphrases cannot be read", metadata: ["error": "\(error.sentence)"])
            return []
        }
    }

    private func keep(_ key: HashedPassphrase, _ license: LicenseDocument) async throws {
        do {
            try await keys?.keep(key, for: license)
        } catch let error where !error.isCancellation {
            logger?.warning("the passphrase's hash cannot be remembered", metadata: ["error": "\(error.sentence)"])
        }
    }
}

/// The encrypted parts of a licence, with the profile that its user key is made by.
private struct LicenseLock {
    private static let contentAlgorithm = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
    private static let userAlgorithm = "http://www.w3.org/2001/04/xmlenc#sha256"
    private static let keyLength = 32

    private let license: LicenseDocument
    private let profile: any LCPProfile

    init(_ license: LicenseDocument, profiles: [any LCPProfile]) throws {
        guard let profile = profiles.first(where: { $0.identifier == license.profile }) else {
            throw LCPProblem(.unknownProfile(license.profile))
        }
        guard license.contentKeyAlgorithm == Self.contentAlgorithm else {
            throw LCPProblem(.unknownAlgorithm(license.contentKeyAlgorithm))
        }
        guard license.userKeyAlgorithm == Self.userAlgorithm else {
            throw LCPProblem(.unknownAlgorithm(license.userKeyAlgorithm))
        }
        self.license = license
        self.profile = profile
    }

    /// Whether the key check decrypts to the licence's identifier.
    func fits(_ key: HashedPassphrase) -> Bool {
        decrypted(license.keyCheck, key).map { ConstantTime.areEqual($0, Array(license.id.utf8)) } ?? false
    }

    /// Returns the content key.
    func open(_ key: HashedPassphrase) throws -> LicenseKey {
        guard let content = decrypted(license.contentKey, key), content.count == Self.keyLength else {
            throw LCPProblem(.wrongContentKey)
        }
        return LicenseKey(contentKey: Array(content))
    }

    private func decrypted(_ data: Data, _ key: HashedPassphrase) -> ArraySlice<UInt8>? {
        let userKey = profile.userKey(of: key.bytes)
        guard userKey.count == Self.keyLength else { return nil }
        return AESCBC.decrypted(data, key: userKey).flatMap { BlockPadding.removed(from: $0) }
    }
}

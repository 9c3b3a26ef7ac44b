public import Archives
public import FileProviderCore
public import Foundation
public import Logging
import MediaTypes
public import Publication

/// Opens publications that Readium LCP protects, wherever they lie, and decrypts their resources by ranges as they are
/// read (LCP 1.0).
///
/// ```swift
/// var options = OpeningOptions()
/// options.protections = [LCPContentProtection(trust: trust, unlocking: LicenseUnlocking(source: prompt))]
/// ```
///
/// A licence is looked for in EPUB, in the packages of Readium, and alone: a file with nothing but a licence (`.lcpl`)
/// opens the publication that it links to, in place and by ranges, through the provider of the link's scheme. The file
/// must have the link's length. Its hash is not checked, because that would take all of its bytes.
///
/// A book that cannot be unlocked opens to its metadata. ``/Publication/Protection/reason`` is the sentence of the
/// ``LCPProblem``, and `problems` receives the problem itself.
///
/// A licence with an end date is refused with `clockSetBack` if the clock is more than 5 minutes behind the last time
/// that the store has for it. The store keeps that time at each opening, so a clock that was once far ahead keeps such
/// a licence from being used until then, or until the app corrects the time in its store.
public struct LCPContentProtection: ContentProtection {
    private let check: LicenseCheck
    private let unlocking: LicenseUnlocking
    private let linked: LinkedPublication
    private let problems: @Sendable (LCPProblem) -> Void

    /// A protection for any number of publications.
    ///
    /// - Parameters:
    ///   - trust: The certificates that licences must be signed under.
    ///   - unlocking: Where passphrases come from, and where their hashes are remembered.
    ///   - store: What the app keeps of each licence: times, budgets, newer licences.
    ///   - status: Asks providers whether licences are still valid; nil to ask none. A provider that doesn't answer keeps
    ///     no book from being read.
    ///   - clock: The time by which licences begin and end.
    ///   - registry: The providers for the links of licences that are opened alone.
    ///   - connection: Credentials, trust and the other policies of those providers.
    ///   - logger: Receives at `.info` that a status is unknown, and warnings. No secret is logged.
    ///   - problems: Called for each book that cannot be unlocked, before ``open(_:warnings:)`` returns or throws.
    public init(
        trust: LicenseTrust, unlocking: LicenseUnlocking, store: any LicenseStore = MemoryLicenseStore(),
        status: LicenseStatusClient? = nil, clock: @escaping @Sendable () -> Date = { Date() },
        registry: ProviderRegistry = .shared, connection: ConnectionOptions = ConnectionOptions(),
        logger: Logger? = nil, problems: @escaping @Sendable (LCPProblem) -> Void = { _ in }
    ) {
        check = LicenseCheck(trust: trust, store: store, status: status, clock: clock, logger: logger)
        self.unlocking = unlocking
        linked = LinkedPublication(registry: registry, connection: connection)
        self.problems = problems
    }

    /// Opens `asset` if it has a licence or is one; returns nil if not.
    ///
    /// - Throws: ``LCPProblem`` for a licence alone that is damaged, not trusted, or does not lead to its publication;
    ///   errors of the storage, the store and the passphrase source.
    /// - Complexity: Reads the licence together with the documents that parsers read. Asking for the status is one
    ///   request more. A licence alone costs as much as opening its publication, and the licence.
    public func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset? {
        if asset.form == .file {
            return asset.mediaType == .lcpLicenseDocument ? try await openLicense(asset, warnings) : nil
        }
        guard let package = try await LCPPackage(asset, warnings: warnings) else { return nil }
        return try await opened(package) {
            let license = try await Self.license { try await package.licenseData(limit: $0) }
            try await check.trust.validate(license)
            return license
        }
    }

    private func openLicense(_ asset: PublicationAsset, _ warnings: WarningLog) async throws -> ProtectedAsset {
        let license: LicenseDocument
        let publication: PublicationAsset
        do {
            license = try await Self.license { try await asset.fileData(limit: $0) }
            // Its link is not followed before it is known whose it is.
            try await check.trust.validate(license)
            publication = try await linked.asset(of: license, remote: asset.remote)
        } catch let problem as LCPProblem {
            problems(problem)
            throw problem
        }
        do {
            guard let package = try await LCPPackage(publication, hasLicense: true, warnings: warnings) else {
                throw LCPProblem(.damagedPackage)
            }
            let opened = try await opened(package) { license }
            // All of the licence is in memory now.
            await asset.fetcher.close()
            return opened
        } catch {
            await publication.fetcher.close()
            throw error
        }
    }

    /// The package, unlocked with a valid licence, or locked with the reason.
    private func opened(_ package: LCPPackage, by license: () async throws -> LicenseDocument) async throws
        -> ProtectedAsset
    {
        do {
            let license = try await check.current(license())
            if package.isWithoutList {
                throw LCPProblem(
                    .damagedPackage,
                    sentence: "The book has a licence, but no readable list of what is encrypted, so it cannot be read."
                )
            }
            return unlocked(package, license, by: try await unlocking.unlock(license))
        } catch let problem as LCPProblem {
            problems(problem)
            return package.locked(reason: problem.sentence)
        }
    }

    private func unlocked(_ package: LCPPackage, _ license: LicenseDocument, by key: LicenseKey) -> ProtectedAsset {
        let decryptor = LicenseDecryptor(key: key) { package.encryption(of: $0) }
        var opened = package.unlocked(by: decryptor.transformer)
        let (store, clock) = (check.store, check.clock)
        opened.services = { services in
            services.set(.licenseRights) { _ in LicenseRightsService(license: license, store: store, clock: clock) }
        }
        return opened
    }

    /// Reads a licence with `read`, which gets the most bytes that one may have.
    private static func license(_ read: (_ limit: Int) async throws -> Data?) async throws -> LicenseDocument {
        do {
            guard let data = try await read(LicenseDocument.largest) else { throw LCPProblem(.invalidLicense) }
            return try LicenseDocument(data: data)
        } catch let error as CocoaError where error.code == .fileReadTooLarge || error.code == .fileReadCorruptFile {
            throw LCPProblem(
                .invalidLicense, sentence: "The licence cannot be read: \(error.sentence)", underlying: error)
        }
    }
}

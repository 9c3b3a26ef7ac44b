import Archives
import FileProviderCore
import Foundation
import SafeXML

/// Recognises the usual schemes by their files in a package, and locks the resources that they encrypt. Unlocks
/// nothing.
///
/// Obfuscated fonts are not a protection. A package without any such file costs no request; of another, the small files
/// that say more are read together with those that a parser is about to read.
struct DetectedProtection: ContentProtection {
    func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset? {
        guard let archive = asset.fetcher.archiveBelow else { return nil }
        // Parsers find the document whatever the case of its name.
        let hasEncryption = archive.entries.contains { $0.path.lowercased() == EncryptionDocument.href.lowercased() }
        guard ProtectionMark.areIn(archive) || hasEncryption else { return nil }
        let listed = try await EPUBStructure.prefetch(from: asset.fetcher)
        var documents = EPUBDocuments(fetcher: asset.fetcher, warnings: warnings)
        documents.inventory = listed.map { EPUBInventory($0, in: archive) }
        let findings = try await ProtectionFindings(archive, documents: documents)
        guard let scheme = findings.scheme else { return nil }
        let reason = scheme.reason
        let locked = LockedResources(archive, isLocked: findings.isLocked, reason: reason)
        var asset = asset
        asset.fetcher = TransformingFetcher(asset.fetcher, label: "decryption", transformer: locked.transformer)
        return ProtectedAsset(asset: asset, protection: .locked(scheme, reason: reason))
    }
}

/// The protection that the files of a package show.
private struct ProtectionFindings {
    let scheme: Protection.Scheme?
    /// Whether the entry at a path is encrypted.
    let isLocked: @Sendable (_ path: String) -> Bool

    init(_ archive: any Archive, documents: EPUBDocuments) async throws {
        let hasLicense = ProtectionMark.license(in: archive) != nil
        let encryption = try await PackageEncryption(archive, documents: documents, readsManifest: hasLicense)
        let isKobo = try await Self.isKobo(archive, documents)

        if hasLicense || encryption.declared.values.contains(where: { $0.scheme == EncryptionDocument.lcp }) {
            scheme = .lcp
        } else if let rights = try await Self.adobeScheme(archive, documents: documents) {
            scheme = rights
        } else if encryption.document?.hasADEPTKeys == true {
            scheme = .adept
        } else if ProtectionMark.sinf.entry(in: archive) != nil {
            scheme = .other("Apple FairPlay")
        } else if isKobo {
            scheme = .other("Kobo")
        } else {
            scheme = encryption.declared.isEmpty ? nil : .other(nil)
        }
        // Kobo's readers don't publish the list of encrypted files; an LCP package without a readable list is damaged,
        // and its content is not plain text.
        let entries = encryption.entries
        let isAll = (isKobo || hasLicense) && entries.isEmpty
        isLocked = { path in
            isAll ? !PackageEncryption.isStructure(path) : entries[path] != nil
        }
    }

    /// ADEPT's licence contains an encrypted key for the book. Books without protection may have an empty file of that
    /// name; Barnes & Noble's keys are much shorter than Adobe's.
    private static func adobeScheme(_ archive: any Archive, documents: EPUBDocuments) async throws -> Protection.Scheme?
    {
        guard ProtectionMark.rights.entry(in: archive) != nil,
            let root = try await documents.optionalDocument(ProtectionMark.rights.rawValue),
            root.namespace == EncryptionDocument.adept || !root.descendants("encryptedKey").isEmpty
        else { return nil }
        let key = root.descendants("encryptedKey").first.map { MarkupText.trimmed($0.text) } ?? ""
        return key.utf8.count == 64 ? .other("Barnes & Noble") : .adept
    }

    private static func isKobo(_ archive: any Archive, _ documents: EPUBDocuments) async throws -> Bool {
        guard ProtectionMark.rightsAtRoot.entry(in: archive) != nil,
            let root = try await documents.optionalDocument(ProtectionMark.rightsAtRoot.rawValue)
        else { return false }
        return root.name.lowercased() == "kdrm" || !root.descendants("kdrm").isEmpty
    }
}

extension Protection.Scheme {
    /// The reason why the text of a book with this scheme cannot be read.
    fileprivate var reason: String {
        switch self {
        case .lcp:
            "The book is protected by Readium LCP, and its text can be read only with its licence and passphrase."
        case .adept:
            "The book is protected by Adobe ADEPT, and its text can be read only by an app that its buyer has authorised."
        case .other(let name?):
            "The book is protected by \(name), and its text can be read only by an app that supports it."
        case .other(nil): "The book is encrypted in an unknown way, and its text cannot be read."
        }
    }
}

/// Takes the place of decryption: refuses encrypted resources, and serves the others.
struct LockedResources: Sendable {
    private let archive: any Archive
    private let isLocked: @Sendable (_ path: String) -> Bool
    private let reason: String

    init(_ archive: any Archive, isLocked: @escaping @Sendable (_ path: String) -> Bool, reason: String) {
        self.archive = archive
        self.isLocked = isLocked
        self.reason = reason
    }

    var transformer: ResourceTransformer { { transform($0) } }

    /// Decides by the entry that would be read, however its address is written.
    private func transform(_ resource: any Resource) -> any Resource {
        let href = resource.link.href
        guard let path = archive.path(of: href), isLocked(path) else { return resource }
        let error = FileError.make(.fileReadNoPermission, path: href, sentence: "“\(href)” is locked. \(reason)")
        return FailureResource(resource.link, error: error)
    }
}

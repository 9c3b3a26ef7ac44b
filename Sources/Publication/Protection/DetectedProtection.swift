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
        let references = documents.references(in: EncryptionDocument.href)
        let root = try await documents.optionalDocument(EPUBStructure.spelling(of: EncryptionDocument.href, references))
        let encryption = root.map { EncryptionDocument($0, references: references) }
        let encrypted = (encryption?.encryptions ?? [:]).filter {
            FontDeobfuscator.Algorithm(rawValue: $0.value.algorithm) == nil
        }
        var hrefs = Array(encrypted.keys)
        let hasLicense = [.lcpLicense, .lcpLicenseAtRoot].contains { (mark: ProtectionMark) in
            mark.entry(in: archive) != nil
        }
        if hasLicense { hrefs += try await Self.encryptedInManifest(archive) }
        let paths = Set(
            hrefs.compactMap { href in HREF.candidates(href).lazy.compactMap { archive.entry(at: $0)?.path }.first })
        let isKobo = try await Self.isKobo(archive, documents)

        if hasLicense || encrypted.values.contains(where: { $0.scheme == EncryptionDocument.lcp }) {
            scheme = .lcp
        } else if let rights = try await Self.adobeScheme(archive, documents: documents) {
            scheme = rights
        } else if encryption?.hasADEPTKeys == true {
            scheme = .adept
        } else if ProtectionMark.sinf.entry(in: archive) != nil {
            scheme = .other("Apple FairPlay")
        } else if isKobo {
            scheme = .other("Kobo")
        } else {
            scheme = encrypted.isEmpty ? nil : .other(nil)
        }
        // Kobo's readers don't publish the list of encrypted files; an LCP package without a readable list is damaged,
        // and its content is not plain text.
        let isAll = (isKobo || hasLicense) && paths.isEmpty
        isLocked = { path in
            isAll ? !Self.isStructure(path) : paths.contains(path)
        }
    }

    /// Files that no scheme encrypts: those that describe the package (LCP 1.0, section 2.3).
    private static func isStructure(_ path: String) -> Bool {
        EPUBStructure.contains(path) || path.hasPrefix("META-INF/") || path == EPUBMimetype.path
            || path == "manifest.json"
            || path == ProtectionMark.lcpLicenseAtRoot.rawValue
    }

    /// Returns the resources that the manifest of a Readium package marks as encrypted, in any list of links, even if
    /// the manifest has other faults.
    private static func encryptedInManifest(_ archive: any Archive) async throws -> [String] {
        guard let entry = archive.entry(at: "manifest.json"), entry.length <= Manifest.defaultMaximumSize,
            let json = JSONValue(lenient: try await archive.read(entry), maximumSize: Manifest.defaultMaximumSize)
        else { return [] }
        var hrefs: [String] = []
        var rest = [json]
        while let value = rest.popLast() {
            rest += value.arrayValue ?? value.objectValue.map { Array($0.values) } ?? []
            guard let href = value["href"]?.stringValue,
                let algorithm = value["properties"]?["encrypted"]?["algorithm"]?.stringValue,
                FontDeobfuscator.Algorithm(rawValue: algorithm) == nil
            else { continue }
            hrefs += [href, HREFBase.root.resolve(href)].compactMap(\.self)
        }
        return hrefs
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
        let path = HREF.candidates(href).lazy.compactMap { archive.entry(at: $0)?.path }.first
        guard let path, isLocked(path) else { return resource }
        let error = FileError.make(.fileReadNoPermission, path: href, sentence: "“\(href)” is locked. \(reason)")
        return FailureResource(resource.link, error: error)
    }
}

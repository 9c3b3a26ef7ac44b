import Archives
import FileProviderCore
import Foundation

/// The encrypted entries of a package, as `META-INF/encryption.xml` and a Readium manifest declare them. Obfuscated
/// fonts are not among them.
struct PackageEncryption: Sendable {
    /// The encryption document; nil if there is none that can be read.
    let document: EncryptionDocument?
    /// What the encryption document declares, by address.
    let declared: [String: Encryption]
    /// By path in the archive, from both documents.
    let entries: [String: Encryption]

    /// - Parameter readsManifest: Whether to read the manifest of a Readium package as well.
    init(_ archive: any Archive, documents: EPUBDocuments, readsManifest: Bool) async throws {
        let references = documents.references(in: EncryptionDocument.href)
        let root = try await documents.optionalDocument(EPUBStructure.spelling(of: EncryptionDocument.href, references))
        document = root.map { EncryptionDocument($0, references: references) }
        declared = (document?.encryptions ?? [:]).filter {
            FontDeobfuscator.Algorithm(rawValue: $0.value.algorithm) == nil
        }
        let inManifest = readsManifest ? try await Self.declaredInManifest(archive) : [:]
        var entries: [String: Encryption] = [:]
        for (href, encryption) in inManifest.merging(declared, uniquingKeysWith: { $1 }) {
            if let path = archive.path(of: href) { entries[path] = encryption }
        }
        self.entries = entries
    }

    /// Files that no scheme encrypts: those that describe the package (LCP 1.0, section 2.1).
    static func isStructure(_ path: String) -> Bool {
        EPUBStructure.contains(path) || isNeverEncrypted(path)
    }

    /// Files that are plain whatever a package declares, by their names alone (LCP 1.0, section 2.1). Navigation
    /// documents and covers have no fixed names.
    static func isNeverEncrypted(_ path: String) -> Bool {
        let path = path.lowercased()
        return path.hasPrefix("meta-inf/") || path == EPUBMimetype.path || path == "manifest.json"
            || path == ProtectionMark.lcpLicenseAtRoot.rawValue || path.hasSuffix(".opf") || path.hasSuffix(".ncx")
    }

    /// Returns the resources that the manifest of a Readium package marks as encrypted, in any list of links, by
    /// address, even if the manifest has other faults.
    private static func declaredInManifest(_ archive: any Archive) async throws -> [String: Encryption] {
        guard let entry = archive.entry(at: "manifest.json"), entry.length <= Manifest.defaultMaximumSize,
            let json = JSONValue(lenient: try await archive.read(entry), maximumSize: Manifest.defaultMaximumSize)
        else { return [:] }
        var found: [String: Encryption] = [:]
        var rest = [json]
        while let value = rest.popLast() {
            rest += value.arrayValue ?? value.objectValue.map { Array($0.values) } ?? []
            guard let href = value["href"]?.stringValue,
                let encryption = value["properties"]?["encrypted"].flatMap({ Encryption(json: $0) }),
                FontDeobfuscator.Algorithm(rawValue: encryption.algorithm) == nil
            else { continue }
            for href in [href, HREFBase.root.resolve(href)].compactMap(\.self) { found[href] = encryption }
        }
        return found
    }
}

extension Archive {
    /// The path of the entry that is read at `href`, however the address is written; nil if there is none.
    func path(of href: String) -> String? {
        HREF.candidates(href).lazy.compactMap { self.entry(at: $0)?.path }.first
    }
}

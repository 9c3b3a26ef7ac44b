package import Archives
package import FileProviderCore
package import Foundation
import MediaTypes

/// A package that Readium LCP protects, with what a content protection needs to open it.
package struct LCPPackage: Sendable {
    private let asset: PublicationAsset
    private let archive: any Archive
    private let license: ArchiveEntry?
    private let encryptions: [String: Encryption]

    /// Reads which entries are encrypted; nil for an asset that is not a package with a licence.
    ///
    /// - Parameter hasLicense: Whether the caller has the licence, so that the package need not contain one.
    /// - Throws: Errors of the storage.
    /// - Complexity: No request for a package without a licence. Requests the licence together with the documents that
    ///   a parser is about to read.
    package init?(_ asset: PublicationAsset, hasLicense: Bool = false, warnings: WarningLog) async throws {
        guard let archive = asset.fetcher.archiveBelow else { return nil }
        license = ProtectionMark.license(in: archive)
        guard hasLicense || license != nil else { return nil }
        let listed = try await Self.prefetch(asset.fetcher, hasLicense ? nil : license, in: archive)
        var documents = EPUBDocuments(fetcher: asset.fetcher, warnings: warnings)
        documents.inventory = listed.map { EPUBInventory($0, in: archive) }
        encryptions = try await PackageEncryption(archive, documents: documents, readsManifest: true).entries
            .filter { !PackageEncryption.isNeverEncrypted($0.key) }
        self.asset = asset
        self.archive = archive
    }

    private static func prefetch(_ fetcher: any Fetcher, _ license: ArchiveEntry?, in archive: any Archive)
        async throws -> [Link]?
    {
        let others = [license?.path, archive.entry(at: "manifest.json")?.path].compactMap { $0.map(HREF.encode) }
        if archive.entry(at: ContainerDocument.href) != nil {
            return try await EPUBStructure.prefetch(from: fetcher, and: others)
        }
        let encryption = archive.entry(at: EncryptionDocument.href).map { [HREF.encode($0.path)] } ?? []
        try await (fetcher as? any PrefetchingFetcher)?.prefetch(hrefs: others + encryption)
        return try await fetcher.links()
    }

    /// Whether the package declares no encrypted entry that it has, or its declaration cannot be read.
    package var isWithoutList: Bool { encryptions.isEmpty }

    /// Returns how the entry that is read at the link's address is encrypted; nil if it is plain.
    package func encryption(of link: Link) -> Encryption? { archive.path(of: link.href).flatMap { encryptions[$0] } }

    /// Returns the bytes of the package's licence; nil if there is none.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over `limit` bytes; `.fileReadCorruptFile` for a damaged entry; errors
    ///   of the storage.
    package func licenseData(limit: Int) async throws -> Data? {
        guard let license else { return nil }
        return try await asset.fetcher.data(HREF.encode(license.path), limit: limit)
    }

    /// The package with its resources changed by `transformer`.
    package func unlocked(by transformer: @escaping ResourceTransformer) -> ProtectedAsset {
        var asset = asset
        asset.fetcher = TransformingFetcher(asset.fetcher, label: "decryption", transformer: transformer)
        return ProtectedAsset(asset: asset, protection: .unlocked(.lcp))
    }

    /// The package with its encrypted resources refused; all but those that describe it if it has no list of them.
    ///
    /// - Parameter reason: Why they cannot be read, in one sentence for people.
    package func locked(reason: String) -> ProtectedAsset {
        let encryptions = encryptions
        let locked = LockedResources(
            archive,
            isLocked: { path in
                encryptions.isEmpty ? !PackageEncryption.isStructure(path) : encryptions[path] != nil
            }, reason: reason)
        var asset = asset
        asset.fetcher = TransformingFetcher(asset.fetcher, label: "decryption", transformer: locked.transformer)
        return ProtectedAsset(asset: asset, protection: .locked(.lcp, reason: reason))
    }
}

extension PublicationAsset {
    /// Returns the bytes of the file that is the asset's only part, which is a small document.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over `limit` bytes; errors of the storage.
    package func fileData(limit: Int) async throws -> Data {
        // The address of a single file; the fetcher's links would cost a request.
        try await fetcher.data(HREF.encode(path.isRoot ? "file" : path.name), limit: limit)
    }

    /// Opens the package at `location` in place, by ranges.
    ///
    /// - Parameters:
    ///   - mediaTypes: The types that it is said to have. If they don't tell the format, its content does.
    ///   - remote: The fetcher for links out of the package.
    /// - Returns: The package, and the length of its file in bytes.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a file that is not an archive; errors of the storage.
    /// - Complexity: One request for a ZIP archive whose type is known.
    package static func openPackage(
        at location: ProviderLocation, mediaTypes: [String], remote: any Fetcher
    ) async throws -> (asset: PublicationAsset, length: Int64) {
        let content = SniffedContent(try await location.provider.open(path: location.path), limits: .standard)
        do {
            let sniffing = SnifferRun(
                mediaTypes: mediaTypes, fileExtensions: [location.path.fileExtension].compactMap(\.self),
                sniffers: MediaType.sniffers.all)
            let sniffed = try await sniffing.run(content)
            guard let archive = try await content.archive() else {
                throw FileError.make(
                    .fileReadCorruptFile, path: location.path,
                    sentence: "“\(location.path)” is not a package: it is not a readable archive.")
            }
            let asset = PublicationAsset(
                path: location.path, mediaType: sniffed?.mediaType, form: .archive, fetcher: ArchiveFetcher(archive),
                remote: remote)
            return (asset, try await content.reader.attributes().size)
        } catch {
            await content.close()
            throw error
        }
    }
}

import Archives
import FileProviderCore
import Foundation
import MediaTypes

/// Makes publications of Readium packages and manifests: web publications, audiobooks, DiViNa and the packages that LCP
/// protects (Readium Web Publication Manifest, and its packaging).
///
/// A package is an archive or a folder with `manifest.json`. Hrefs without a scheme are in the package; the others are
/// read through ``PublicationAsset/remote``. The relative hrefs of a manifest outside a package lead to the files
/// beside it. If those are missing and the manifest's self link is a web address, hrefs are resolved against that, as
/// the specification requires, so that a manifest that was downloaded alone opens, too; without such a link, against
/// ``PublicationAsset/sourceURL``. A ``FontDeobfuscator`` makes fonts readable that the manifest marks as obfuscated.
/// An app that keeps remote resources for offline use wraps their fetcher with ``OpeningOptions/remote``.
public struct ReadiumWebPubParser: PublicationParser {
    /// A parser. It keeps no state, so one may read any number of publications, also at once.
    public init() {}

    /// Returns the publication in `asset`; nil if its media type is none of Readium's.
    ///
    /// Members of the wrong kind are ignored with a warning; a missing title or reading order causes a warning, too.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if a package is not an archive, has no manifest, or has one that is
    ///   not a JSON object with metadata; `.fileReadTooLarge` over ``Manifest/defaultMaximumSize``; the fetcher's
    ///   errors.
    /// - Complexity: Reads the manifest. If the package is one PDF document whose pages the manifest doesn't count, reads
    ///   that as ``PDFDocument/open(_:)`` does.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        guard let type = asset.mediaType else { return nil }
        if Self.packages.contains(type) {
            guard asset.form != .file else { throw asset.isNoArchive }
            return try await package(asset, warnings)
        }
        return asset.form == .file && (type.isRWPM || asset.mayBeManifest) ? try await manifest(asset, warnings) : nil
    }

    private static let packages: Set<MediaType> = [
        .readiumWebPub, .readiumAudiobook, .divina, .lcpProtectedAudiobook, .lcpProtectedPDF,
    ]

    private func package(_ asset: PublicationAsset, _ warnings: WarningLog) async throws -> PublicationBuilder {
        let name = "manifest.json"
        guard let data = try await asset.fetcher.dataIfPresent(name, limit: Manifest.defaultMaximumSize) else {
            throw asset.damaged("contains no “\(name)”, so there is nothing to read.")
        }
        var manifest = try ReadiumManifestReader(asset, warnings: warnings).manifest(
            JSONValue(manifest: data, named: name, of: asset, warnings))
        // It is the address that the manifest would have outside the package.
        manifest.links.removeAll { $0.rels.contains("self") }
        PackagedLinks(warnings).normalize(&manifest)
        let local = asset.fetcher.deobfuscating(
            manifest.obfuscatedFonts, identifiers: manifest.metadata.allIdentifiers, warnings: warnings)
        try await PackagedPDF(local, warnings: warnings).complete(&manifest)
        return PublicationBuilder(manifest: manifest, fetcher: RoutingFetcher(local: local, remote: asset.remote))
    }

    private func manifest(_ asset: PublicationAsset, _ warnings: WarningLog) async throws -> PublicationBuilder? {
        guard let json = try await asset.manifestJSON(warnings) else { return nil }
        if asset.mediaType == .json, json["@context"]?.strings.contains(Manifest.defaultContext) != true { return nil }
        let manifest = try ReadiumManifestReader(asset, warnings: warnings).manifest(json)
        // Everything is in memory now; the manifest itself can be read beside its resources.
        await asset.fetcher.close()
        let selfLink = manifest.links.firstWithRel("self")?.href
        let home =
            ManifestFolder(asset, selfLink: selfLink)
            ?? ManifestFolder(asset, selfLink: asset.sourceURL?.absoluteString)
        let files: any Fetcher = home ?? asset.siblings
        let local = files.deobfuscating(
            manifest.obfuscatedFonts, identifiers: manifest.metadata.allIdentifiers, warnings: warnings)
        return PublicationBuilder(manifest: manifest, fetcher: RoutingFetcher(local: local, remote: asset.remote))
    }
}

extension PublicationAsset {
    /// Whether it is a JSON document of unknown kind: several standards have manifests that only their context
    /// identifies.
    var mayBeManifest: Bool { form == .file && mediaType == .json }

    /// Returns the only file as a manifest; nil if there is none. A file that was recognised as JSON by its content is
    /// read again.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it is not JSON. Returns nil instead if its type is plain JSON.
    func manifestJSON(_ warnings: WarningLog) async throws -> JSONValue? {
        guard let href = try await fetcher.links().first?.href else { return nil }
        do {
            let data = try await fetcher.data(href, limit: Manifest.defaultMaximumSize)
            return try JSONValue(manifest: data, named: displayName, of: self, warnings)
        } catch let error as CocoaError
            where mayBeManifest && (error.code == .fileReadCorruptFile || error.code == .fileReadTooLarge)
        {
            return nil
        }
    }
}

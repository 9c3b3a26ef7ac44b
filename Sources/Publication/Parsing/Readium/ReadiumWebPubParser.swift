import Archives
import FileProviderCore
import Foundation
import MediaTypes

/// Makes publications of Readium packages and manifests: web publications, audiobooks, DiViNa and the packages that LCP
/// protects (Readium Web Publication Manifest, and its packaging).
///
/// A package is an archive or a folder with `manifest.json`. What has no scheme lies in it; the rest is reached through
/// ``PublicationAsset/remote``. Of a manifest that lies by itself the relative hrefs lead to the files beside it; where
/// those are missing and its self link is a web address, they count from there, as the specification wants it, so that
/// a manifest which was downloaded alone opens too; where it has no such link, from ``PublicationAsset/sourceURL``.
/// Fonts that the manifest says are obfuscated are made readable by a ``FontDeobfuscator``. An app that keeps remote
/// resources for offline use puts its own fetcher in front of them by ``OpeningOptions/remote``.
public struct ReadiumWebPubParser: PublicationParser {
    /// A parser; it holds nothing, so one may read any number of publications, also at once.
    public init() {}

    /// The publication in `asset`; nil where its media type is none of Readium's.
    ///
    /// What the manifest has of the wrong kind is passed over with a warning, so is a missing title or reading order.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when a package is no archive, or there is no manifest in it, or one
    ///   that is no JSON object with metadata; `.fileReadTooLarge` over ``Manifest/defaultMaximumSize``; the fetcher's
    ///   errors.
    /// - Complexity: Reads the manifest.
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
            throw asset.damaged("has no “\(name)”, so there is nothing to read in it.")
        }
        var manifest = try ReadiumManifestReader(asset, warnings: warnings).manifest(
            JSONValue(manifest: data, named: name, of: asset, warnings))
        // It says where the manifest would be if it were not in here.
        manifest.links.removeAll { $0.rels.contains("self") }
        PackagedLinks(warnings).normalize(&manifest)
        let local = asset.fetcher.deobfuscating(
            manifest.obfuscatedFonts, identifiers: manifest.metadata.allIdentifiers, warnings: warnings)
        return PublicationBuilder(manifest: manifest, fetcher: RoutingFetcher(local: local, remote: asset.remote))
    }

    private func manifest(_ asset: PublicationAsset, _ warnings: WarningLog) async throws -> PublicationBuilder? {
        guard let json = try await asset.manifestJSON(warnings) else { return nil }
        if asset.mediaType == .json, json["@context"]?.strings.contains(Manifest.defaultContext) != true { return nil }
        let manifest = try ReadiumManifestReader(asset, warnings: warnings).manifest(json)
        // Everything is in memory now, and whoever wants the manifest itself finds it beside its resources.
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
    /// Whether it is a JSON document of no known kind: several standards have manifests that tell themselves by their
    /// context only.
    var mayBeManifest: Bool { form == .file && mediaType == .json }

    /// The only file as a manifest; nil when there is none. A file that was taken for JSON by its content is read
    /// again.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when it is no JSON; nil is returned for that where its type is JSON
    ///   only.
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

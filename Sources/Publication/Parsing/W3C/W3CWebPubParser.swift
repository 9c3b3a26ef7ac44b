import Archives
import FileProviderCore
import Foundation
import SafeXML

/// Makes publications of the W3C's packages (Lightweight Packaging Format) and publication manifests, audiobooks among
/// them (Publication Manifest; Audiobooks: both W3C recommendations of 2020).
///
/// A package is an archive or a folder with `publication.json`, or with `index.html` that links a manifest or holds
/// one. A web site that does neither is read as it is: its first page, and what that page's table of contents lists. Of
/// a manifest that lies by itself the relative addresses lead to the files beside it.
///
/// Base directions of text are not kept, except that of the whole manifest as `direction` in
/// ``Metadata/otherMetadata``.
public struct W3CWebPubParser: PublicationParser {
    /// A parser; it holds nothing, so one may read any number of publications, also at once.
    public init() {}

    /// The publication in `asset`; nil where its media type is none of the W3C's, and for JSON without its context.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when neither a manifest nor a page is there, or the manifest is no
    ///   JSON; `.fileReadTooLarge` over ``Manifest/defaultMaximumSize``; the fetcher's errors.
    /// - Complexity: Reads the manifest, the first page where there is one, and the document with the table of
    ///   contents.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        if asset.form != .file {
            return asset.mediaType == .lpf ? try await package(asset, warnings) : nil
        }
        if asset.mediaType == .lpf { throw asset.isNoArchive }
        guard asset.mediaType == .w3cWPUBManifest || asset.mayBeManifest,
            let json = try await asset.manifestJSON(warnings),
            asset.mediaType == .w3cWPUBManifest || W3CContext.isPublication(json)
        else { return nil }
        let source = W3CManifest(json: json, folder: .root, warnings: warnings)
        var manifest = source.manifest(titleOfLastResort: asset.nameWithoutExtension, page: nil)
        manifest.tableOfContents = try await contents(of: manifest, page: nil, in: asset.siblings, warnings)
        // Everything is in memory now, and whoever wants the manifest itself finds it beside its resources.
        await asset.fetcher.close()
        return PublicationBuilder(
            manifest: manifest, fetcher: RoutingFetcher(local: asset.siblings, remote: asset.remote))
    }

    private func package(_ asset: PublicationAsset, _ warnings: WarningLog) async throws -> PublicationBuilder {
        let name = "publication.json"
        let page = try await W3CPage.read("index.html", from: asset.fetcher, warnings)
        var source: W3CManifest?
        if let data = try await asset.fetcher.dataIfPresent(name, limit: Manifest.defaultMaximumSize) {
            source = W3CManifest(
                json: try JSONValue(manifest: data, named: name, of: asset, warnings), folder: .root, warnings: warnings
            )
        } else if let found = try await page?.manifest(in: asset, warnings) {
            source = W3CManifest(json: found.json, folder: found.folder, warnings: warnings)
        }
        var manifest: Manifest
        if let source {
            manifest = source.manifest(titleOfLastResort: asset.nameWithoutExtension, page: page)
            manifest.tableOfContents = try await contents(of: manifest, page: page, in: asset.fetcher, warnings)
        } else if let page {
            manifest = page.publication(titleOfLastResort: asset.nameWithoutExtension)
        } else {
            throw asset.damaged("has neither “\(name)” nor “index.html”, so there is nothing to read in it.")
        }
        return PublicationBuilder(
            manifest: manifest, fetcher: RoutingFetcher(local: asset.fetcher, remote: asset.remote))
    }

    /// From the resource that says that it has the table of contents, else from the first page (Publication Manifest,
    /// appendix C.3).
    private func contents(of manifest: Manifest, page: W3CPage?, in fetcher: any Fetcher, _ warnings: WarningLog)
        async throws -> [Link]
    {
        let lists = [manifest.resources, manifest.readingOrder]
        guard let link = lists.lazy.compactMap({ $0.firstWithRel("contents") }).first, !link.isRemote else {
            return page?.tableOfContents ?? []
        }
        let href = HREFBase.resource(of: link.href)
        if href == page?.href { return page?.tableOfContents ?? [] }
        guard let found = try await W3CPage.read(href, from: fetcher, warnings) else {
            warnings.warn(
                "missing-contents", severity: .moderate,
                message: "“\(href)” should have the table of contents and is missing; there is none.")
            return []
        }
        return found.tableOfContents
    }
}

/// How documents say that they are publication manifests.
enum W3CContext {
    /// Those of the recommendation and of the drafts before it.
    private static let addresses: Set<String> = [
        "https://www.w3.org/ns/pub-context", "https://www.w3.org/ns/wp-context",
    ]

    /// Whether `@context`, a string or an array, has one of the W3C's in it.
    static func isPublication(_ json: JSONValue) -> Bool {
        json["@context"]?.strings.contains(where: addresses.contains) == true
    }
}

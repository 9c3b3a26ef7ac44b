import Archives
import FileProviderCore
import Foundation
import SafeXML

/// Makes publications of the W3C's packages (Lightweight Packaging Format) and publication manifests, audiobooks among
/// them (Publication Manifest; Audiobooks: both W3C recommendations of 2020).
///
/// A package is an archive or a folder with `publication.json`, or with an `index.html` that links or contains a
/// manifest. A web site without either is read as it is: its first page, and the pages in that page's table of
/// contents. The relative addresses of a manifest outside a package lead to the files beside it.
///
/// Base directions of text are not kept, except that of the whole manifest as `direction` in
/// ``Metadata/otherMetadata``.
public struct W3CWebPubParser: PublicationParser {
    /// A parser. It keeps no state, so one may read any number of publications, also at once.
    public init() {}

    /// Returns the publication in `asset`; nil if its media type is none of the W3C's, and for JSON without the W3C's
    /// context.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if there is neither a manifest nor a page, or the manifest is not
    ///   JSON; `.fileReadTooLarge` over ``Manifest/defaultMaximumSize``; the fetcher's errors.
    /// - Complexity: Reads the manifest, the first page if there is one, and the document with the table of contents.
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
        // Everything is in memory now; the manifest itself can be read beside its resources.
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
            throw asset.damaged("has neither “\(name)” nor “index.html”, so there is nothing to read.")
        }
        return PublicationBuilder(
            manifest: manifest, fetcher: RoutingFetcher(local: asset.fetcher, remote: asset.remote))
    }

    /// Reads the table of contents from the resource that is marked as having it, else from the first page (Publication
    /// Manifest, appendix C.3).
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
                message:
                    "“\(href)” should contain the table of contents and is missing; the book was opened without one.")
            return []
        }
        return found.tableOfContents
    }
}

/// Recognises publication manifests by their context.
enum W3CContext {
    /// The contexts of the recommendation and of earlier drafts.
    private static let addresses: Set<String> = [
        "https://www.w3.org/ns/pub-context", "https://www.w3.org/ns/wp-context",
    ]

    /// Whether `@context`, a string or an array, contains one of the W3C's.
    static func isPublication(_ json: JSONValue) -> Bool {
        json["@context"]?.strings.contains(where: addresses.contains) == true
    }
}

import Archives
import MediaTypes

/// An EPUB as it was read, and the fetchers that its resources need.
struct EPUBBook {
    var manifest: Manifest
    /// By address.
    let encryptions: [String: Encryption]
    /// Those of the default rendition, its own first: what fonts are obfuscated with.
    let identifiers: [String]
    let cover: EPUBCover
    /// Where the package document has the chapters.
    let spine: EPUBSpine

    /// The services of every publication, with locators that know EPUB CFIs.
    var services: PublicationServices {
        var services = PublicationServices.standard
        services.set(.locator) { [spine] in StandardLocators($0, spine: spine) }
        return services
    }

    /// Looks for the cover of a book that declares none; nil where the manifest has it.
    var coverSearch: (@Sendable () async throws -> Link?)? {
        guard cover.declared == nil else { return nil }
        let (cover, links) = (cover, manifest.readingOrder + manifest.resources)
        return {
            guard let href = try await cover.search() else { return nil }
            var link = links.first { $0.href == href } ?? Link(href: href, type: MediaType.byExtension(of: href).string)
            link.rels.append("cover")
            return link
        }
    }

    /// The tree of fetchers over `local`, which has the files of the container, and `remote`, which has the rest of the
    /// world.
    ///
    /// Only what a book needs is in it: overlays where it speaks, deobfuscation where it has obfuscated fonts.
    func fetcher(local: any Fetcher, remote: any Fetcher, warnings: WarningLog) -> any Fetcher {
        let fonts = encryptions.compactMapValues { FontDeobfuscator.Algorithm(rawValue: $0.algorithm) }
        let local = local.deobfuscating(fonts, identifiers: identifiers, warnings: warnings)
        let links = manifest.readingOrder + manifest.resources
        guard links.contains(where: { $0.alternates.contains(where: MediaOverlays.accepts) }) else {
            return RoutingFetcher(local: local, remote: remote)
        }
        return RoutingFetcher([
            RoutingFetcher.Route(MediaOverlays(local), label: "guided navigation", accepts: MediaOverlays.accepts),
            RoutingFetcher.Route(local, label: "in the publication") { !$0.isRemote },
            RoutingFetcher.Route(remote, label: "elsewhere"),
        ])
    }
}

import Archives
import MediaTypes

/// An EPUB's manifest and the information that its fetchers need.
struct EPUBBook {
    var manifest: Manifest
    /// By address.
    let encryptions: [String: Encryption]
    /// The identifiers of the default rendition, its unique one first. Fonts are obfuscated with one of them.
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

    /// Looks for the cover of a book that declares none; nil if the manifest names it.
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

    /// Returns the tree of fetchers over `local`, which serves the files of the container, and `remote`, which serves
    /// all other addresses.
    ///
    /// It contains only the fetchers that the book needs: overlays if it has any, deobfuscation if it has obfuscated
    /// fonts.
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

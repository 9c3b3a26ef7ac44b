/// Makes the links of a manifest from the items of a package document.
struct EPUBLinks {
    private let package: PackageDocument
    /// By address, as ``EncryptionDocument`` has them.
    private let encryptions: [String: Encryption]
    private let cover: Int?

    /// The most alternates of one link: a chain of fallbacks may be as long as the manifest.
    private static let mostAlternates = 4

    init(_ package: PackageDocument, folder: EPUBPath, encryptions: [String: Encryption]) {
        self.package = package
        self.encryptions = encryptions
        cover = package.coverIndex(folder: folder)
    }

    /// What is read in order, and all other items, each address once.
    func links() -> (readingOrder: [Link], resources: [Link]) {
        // A book of nothing but side texts is read all the same.
        let order = package.spine.contains(where: \.isLinear) ? package.spine.filter(\.isLinear) : package.spine
        let places = Dictionary(package.spine.map { ($0.item, $0.properties) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<String> = []
        func link(_ index: Int) -> Link? {
            guard seen.insert(package.items[index].href).inserted else { return nil }
            return self.link(to: index, placeProperties: places[index] ?? [])
        }
        let readingOrder = order.compactMap { link($0.item) }
        return (readingOrder, package.items.indices.compactMap(link))
    }

    private func link(to index: Int, placeProperties: [String]) -> Link {
        let item = package.items[index]
        var link = bareLink(to: item)
        if item.properties.contains("nav") { link.rels.append("contents") }
        if index == cover { link.rels.append("cover") }
        link.properties = RenditionProperty.linkProperties(placeProperties)
        link.properties.contains = item.properties.compactMap { Self.contents[$0] }
        link.properties.encryption = encryptions[item.href]
        let duration = package.metadata.refinements(of: item.id, "media:duration").first
        link.duration = duration.flatMap { MediaClock.seconds($0.value) }
        link.alternates = alternates(of: item)
        return link
    }

    private func bareLink(to item: PackageDocument.Item) -> Link {
        Link(href: item.href, type: item.mediaType ?? Self.type(byExtensionOf: item.href))
    }

    /// Fallbacks (EPUB 3.3, section 5.6.2.2) and the media overlay (section 9.3.5.1).
    private func alternates(of item: PackageDocument.Item) -> [Link] {
        var alternates: [Link] = []
        var seen: Set<String> = [item.href]
        var next = item.fallback
        while let id = next, let fallback = package.item(id: id), alternates.count < Self.mostAlternates,
            seen.insert(fallback.href).inserted
        {
            alternates.append(bareLink(to: fallback))
            next = fallback.fallback
        }
        if let overlay = item.mediaOverlay.flatMap({ package.item(id: $0) }), seen.insert(overlay.href).inserted {
            alternates.append(bareLink(to: overlay))
        }
        return alternates
    }

    /// Every resource of a manifest has a type; books without one for an item are wrong, and readable.
    private static func type(byExtensionOf href: String) -> String {
        let name = EPUBPath.resource(of: href).split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: ".") else { return MediaType.binary.string }
        let fileExtension = name[name.index(after: dot)...].lowercased()
        if fileExtension == "xhtml" || fileExtension == "xht" { return MediaType.xhtml.string }
        return (MediaType.known(fileExtension: fileExtension) ?? .binary).string
    }

    /// The manifest's words for what EPUB says of an item (EPUB 3.3, appendix D.6; Readium's EPUB profile, `contains`).
    private static let contents: [String: String] = [
        "mathml": "mathml", "onix": "onix", "remote-resources": "remote-resources", "scripted": "js", "svg": "svg", "xmp": "xmp",
    ]
}

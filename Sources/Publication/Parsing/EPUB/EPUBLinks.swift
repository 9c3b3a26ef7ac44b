import Archives
import MediaTypes

/// Makes the links of a manifest from the items of a package document.
struct EPUBLinks {
    private let package: PackageDocument
    /// By address, as ``EncryptionDocument`` has them.
    private let encryptions: [String: Encryption]
    private let warnings: WarningLog

    /// The most alternates of one link: a chain of fallbacks may be as long as the manifest.
    private static let maxAlternates = 4

    init(_ package: PackageDocument, references: EPUBReferences, encryptions: [String: Encryption]) {
        self.package = package
        self.encryptions = encryptions
        warnings = references.warnings
    }

    /// Returns the reading order with its repetitions, and all other items, each address once.
    func links() -> (readingOrder: [Link], resources: [Link]) {
        // A book that consists of side texts only is read all the same.
        let order = package.spine.contains(where: \.isLinear) ? package.spine.filter(\.isLinear) : package.spine
        let locations = Dictionary(
            package.spine.map { ($0.item, $0.properties) }, uniquingKeysWith: { first, _ in first })
        let readingOrder = order.map { link(to: $0.item, placeProperties: $0.properties) }
        var seen = Set(readingOrder.map(\.href))
        for index in Set(order.map(\.item)).sorted() { noteFallbacks(of: package.items[index]) }
        let resources = package.items.indices.filter { seen.insert(package.items[$0].href).inserted }
        return (readingOrder, resources.map { link(to: $0, placeProperties: locations[$0] ?? []) })
    }

    private func link(to index: Int, placeProperties: [String]) -> Link {
        let item = package.items[index]
        var link = bareLink(to: item)
        if item.properties.contains("nav") { link.rels.append("contents") }
        link.properties = RenditionProperty.linkProperties(placeProperties)
        link.properties.contains = item.properties.compactMap { Self.contents[$0] }
        link.properties.encryption = encryptions[item.href]
        link.duration = duration(of: item)
        link.alternates = alternates(of: item)
        return link
    }

    private func bareLink(to item: PackageDocument.Item) -> Link {
        Link(href: item.href, type: item.mediaType ?? MediaType.byExtension(of: item.href).string)
    }

    /// Returns fallbacks (EPUB 3.3, section 5.6.2.2) and the media overlay (section 9.3.5.1), the latter as SMIL and as
    /// guided navigation.
    private func alternates(of item: PackageDocument.Item) -> [Link] {
        var alternates: [Link] = []
        var seen: Set<String> = [item.href]
        var next = item.fallback
        while let id = next, let fallback = package.item(id: id), alternates.count < Self.maxAlternates,
            seen.insert(fallback.href).inserted
        {
            alternates.append(bareLink(to: fallback))
            next = fallback.fallback
        }
        if let id = item.mediaOverlay {
            if let overlay = package.item(id: id), seen.insert(overlay.href).inserted {
                let duration = duration(of: overlay)
                var links = [
                    bareLink(to: overlay),
                    Link(href: MediaOverlays.href(for: overlay.href), mediaType: .guidedNavigation),
                ]
                for index in links.indices { links[index].duration = duration }
                alternates += links
            } else {
                warnings.warn(
                    "missing-overlay", severity: .moderate,
                    message: "“\(item.href)” names “\(id)” as its sound, which the book does not have; it has no sound."
                )
            }
        }
        return alternates
    }

    /// Warns of a chain that ends at a missing item or in itself; the intact part of it is used.
    private func noteFallbacks(of item: PackageDocument.Item) {
        var seen: Set<String> = [item.href]
        var next = item.fallback
        var isReadable = Self.isContentDocument(item)
        while let id = next {
            guard let fallback = package.item(id: id) else {
                warnings.warn(
                    "missing-fallback", severity: .minor,
                    message:
                        "“\(item.href)” names “\(id)” as a fallback, which the book does not have; it was left out.")
                break
            }
            guard seen.insert(fallback.href).inserted else {
                warnings.warn(
                    "cyclic-fallback", severity: .minor,
                    message: "The fallbacks of “\(item.href)” form a loop; each was used once.")
                break
            }
            guard seen.count <= Self.maxAlternates + 1 else { break }
            isReadable = isReadable || Self.isContentDocument(fallback)
            next = fallback.fallback
        }
        if !isReadable {
            let sentence =
                "“\(item.href)” is in the reading order, but neither it nor a fallback is XHTML or SVG; it was kept."
            warnings.warn("foreign-spine-item", severity: .minor, message: sentence)
        }
    }

    /// XHTML and SVG (EPUB 3.3, section 6), and what EPUB 2 and books without types have.
    private static func isContentDocument(_ item: PackageDocument.Item) -> Bool {
        let type = item.mediaType ?? MediaType.byExtension(of: item.href).string
        let types = [
            "application/xhtml+xml", "image/svg+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document",
        ]
        return types.contains(type.lowercased())
    }

    private func duration(of item: PackageDocument.Item) -> Double? {
        package.metadata.refinements(of: item.id, "media:duration").first.flatMap { MediaClock.seconds($0.value) }
    }

    /// The manifest's words for what EPUB says of an item (EPUB 3.3, appendix D.6; Readium's EPUB profile, `contains`).
    private static let contents: [String: String] = [
        "mathml": "mathml", "onix": "onix", "remote-resources": "remote-resources", "scripted": "js", "svg": "svg",
        "xmp": "xmp",
    ]
}

public import Foundation
import MediaTypes

extension Publication {
    /// The manifest's link for `href`; see ``Manifest/link(withHREF:)``.
    public func link(withHREF href: String) -> Link? { manifest.link(withHREF: href) }

    /// The first link with that relation: in the reading order, the resources or the links.
    public func link(withRel rel: String) -> Link? { manifest.link(withRel: rel) }

    /// The links with that relation: those in the reading order, the resources, the links.
    public func links(withRel rel: String) -> [Link] { manifest.links(withRel: rel) }

    /// The cover image, where the manifest names one.
    public var coverLink: Link? { link(withRel: "cover") }

    /// What relative hrefs count from, for a manifest that lies on a server; see ``Manifest/baseURL``.
    public var baseURL: URL? { manifest.baseURL }

    /// Whether the publication is of that kind; see ``Manifest/conforms(to:)``.
    public func conforms(to profile: Manifest.Profile) -> Bool { manifest.conforms(to: profile) }

    /// How the resource at `link` is laid out; see ``Manifest/layout(of:)``.
    public func layout(of link: Link) -> Metadata.Layout { manifest.layout(of: link) }
}

/// Lists that some publications have; empty where there is none.
extension Publication {
    /// Where the pages of the printed book begin (`pageList`).
    public var pageList: [Link] { manifest.links(inSubcollection: "pageList") }
    /// The parts that readers look for, such as the cover and the body (`landmarks`).
    public var landmarks: [Link] { manifest.links(inSubcollection: "landmarks") }
    /// The audio clips (`loa`).
    public var listOfAudioClips: [Link] { manifest.links(inSubcollection: "loa") }
    /// The illustrations (`loi`).
    public var listOfIllustrations: [Link] { manifest.links(inSubcollection: "loi") }
    /// The tables (`lot`).
    public var listOfTables: [Link] { manifest.links(inSubcollection: "lot") }
    /// The video clips (`lov`).
    public var listOfVideoClips: [Link] { manifest.links(inSubcollection: "lov") }
    /// The images that stand for the publication in a catalogue (`images` of OPDS 2).
    public var images: [Link] { manifest.links(inSubcollection: "images") }
}

extension Publication {
    /// The place that `link` of the manifest, such as one of the table of contents, leads to.
    ///
    /// A fragment of the href becomes the locator's; without one it is the start of the resource. The title is that of
    /// `link`, which is about the place, and only without one that of the resource.
    /// - Returns: Nil if the resource is not among the publication's links.
    public func locator(from link: Link) -> Locator? {
        let parts = link.href.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let href = parts.first, let resource = self.link(withHREF: href) else { return nil }
        let fragment = parts.dropFirst().first { !$0.isEmpty }
        return Locator(
            href: href.hasPrefix("/") ? String(href.dropFirst()) : href,
            type: (resource.type ?? link.type) ?? MediaType.binary.string,
            title: link.title ?? resource.title,
            locations: Locator.Locations(fragments: fragment.map { [$0] } ?? [], progression: fragment == nil ? 0 : nil)
        )
    }
}

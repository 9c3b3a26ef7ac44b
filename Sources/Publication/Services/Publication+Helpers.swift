public import Foundation
import MediaTypes

extension Publication {
    /// Returns the manifest's link for `href`; see ``Manifest/link(withHREF:)``.
    public func link(withHREF href: String) -> Link? { manifest.link(withHREF: href) }

    /// Returns the first link with that relation: in the reading order, the resources or the links.
    public func link(withRel rel: String) -> Link? { manifest.link(withRel: rel) }

    /// Returns the links with that relation: those in the reading order, the resources, the links.
    public func links(withRel rel: String) -> [Link] { manifest.links(withRel: rel) }

    /// The link to the cover image, if the manifest names one.
    public var coverLink: Link? { link(withRel: "cover") }

    /// The base of relative hrefs, for a manifest on a server; see ``Manifest/baseURL``.
    public var baseURL: URL? { manifest.baseURL }

    /// Returns whether the publication is of that kind; see ``Manifest/conforms(to:)``.
    public func conforms(to profile: Manifest.Profile) -> Bool { manifest.conforms(to: profile) }

    /// Returns the layout of the resource at `link`; see ``Manifest/layout(of:)``.
    public func layout(of link: Link) -> Metadata.Layout { manifest.layout(of: link) }
}

/// Lists that some publications have; otherwise empty.
extension Publication {
    /// The starts of the printed book's pages (`pageList`).
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
    /// Returns the place that `link` leads to, a link of the manifest such as one of the table of contents.
    ///
    /// The locator gets the fragment of the href; without one it is the start of the resource. It gets the title of
    /// `link`, which is about the place, else that of the resource.
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

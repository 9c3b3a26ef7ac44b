import MediaTypes

extension Array where Element == Link {
    /// Reads an array of link objects or a single one. Malformed link objects are ignored.
    public init(json: JSONValue?) {
        self = (json?.oneOrMany ?? []).compactMap { try? Link(json: $0) }
    }

    /// The first link with the relation `rel`.
    public func firstWithRel(_ rel: String) -> Link? {
        first { $0.rels.contains(rel) }
    }

    /// The links with the relation `rel`.
    public func filterByRel(_ rel: String) -> [Link] {
        filter { $0.rels.contains(rel) }
    }

    /// The first link whose address is exactly `href`; alternates and children are not searched.
    public func firstWithHREF(_ href: String) -> Link? {
        first { $0.href == href }
    }

    /// The index of the first link whose address is exactly `href`.
    public func indexOfFirstWithHREF(_ href: String) -> Int? {
        firstIndex { $0.href == href }
    }

    /// The first link whose media type matches `mediaType`.
    public func firstWithMediaType(_ mediaType: MediaType) -> Link? {
        first { mediaType.matches($0.mediaType) }
    }

    /// The links whose media type matches `mediaType`.
    public func filterByMediaType(_ mediaType: MediaType) -> [Link] {
        filter { mediaType.matches($0.mediaType) }
    }

    /// The links whose media type matches one of `mediaTypes`.
    public func filterByMediaTypes(_ mediaTypes: [MediaType]) -> [Link] {
        filter { $0.mediaType.matchesAny(mediaTypes) }
    }

    /// Whether there are links and all of them are bitmaps.
    public var allAreBitmap: Bool { allAre(\.isBitmap) }

    /// Whether there are links and all of them are sound.
    public var allAreAudio: Bool { allAre(\.isAudio) }

    /// Whether there are links and all of them are video.
    public var allAreVideo: Bool { allAre(\.isVideo) }

    /// Whether there are links and all of them are HTML or XHTML.
    public var allAreHTML: Bool { allAre(\.isHTML) }

    /// Whether there are links and the media type of every one matches `mediaType`.
    public func allMatchMediaType(_ mediaType: MediaType) -> Bool {
        allMatchMediaTypes([mediaType])
    }

    /// Whether there are links and the media type of every one matches one of `mediaTypes`.
    public func allMatchMediaTypes(_ mediaTypes: [MediaType]) -> Bool {
        allAre { $0.matchesAny(mediaTypes) }
    }

    /// An empty list says nothing about what a publication is, so it is never all of a kind.
    private func allAre(_ test: (MediaType) -> Bool) -> Bool {
        !isEmpty && allSatisfy { test($0.mediaType) }
    }
}

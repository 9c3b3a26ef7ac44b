extension Manifest {
    /// A kind of publication with rules of its own (Readium Web Publication Manifest, profiles registry).
    public enum Profile: String, Hashable, Sendable, CaseIterable {
        /// A book of web pages that follows EPUB.
        case epub = "https://readium.org/webpub-manifest/profiles/epub"
        /// A book to listen to.
        case audiobook = "https://readium.org/webpub-manifest/profiles/audiobook"
        /// A comic or another story in pictures.
        case divina = "https://readium.org/webpub-manifest/profiles/divina"
        /// PDF documents.
        case pdf = "https://readium.org/webpub-manifest/profiles/pdf"
    }

    /// Whether the publication is of that kind: the metadata say so, or else everything in the reading order is of the
    /// profile's media type. EPUB has to be said, because other publications are made of web pages too.
    ///
    /// - Returns: False if the reading order is empty, whatever the metadata say.
    public func conforms(to profile: Profile) -> Bool {
        if readingOrder.isEmpty { return false }
        if metadata.conformsTo.contains(profile.rawValue) { return true }
        return switch profile {
        case .epub: false
        case .audiobook: readingOrder.allAreAudio
        case .divina: readingOrder.allAreBitmap
        case .pdf: readingOrder.allMatchMediaType(.pdf)
        }
    }

    /// How the resource at `link` is laid out: as its own properties say, else as the publication is, else reflowable.
    public func layout(of link: Link) -> Metadata.Layout {
        link.properties.layout ?? metadata.layout ?? .reflowable
    }
}

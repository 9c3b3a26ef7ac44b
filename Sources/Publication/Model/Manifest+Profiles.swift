extension Manifest {
    /// A kind of publication with additional rules (Readium Web Publication Manifest, profiles registry).
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

    /// Returns whether the publication is of that kind: its metadata say so, or everything in the reading order has the
    /// profile's media type. EPUB must be named in the metadata, because other publications consist of web pages, too.
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

    /// Returns the layout of the resource at `link`: from its own properties, else from the publication, else
    /// reflowable.
    public func layout(of link: Link) -> Metadata.Layout {
        link.properties.layout ?? metadata.layout ?? .reflowable
    }
}

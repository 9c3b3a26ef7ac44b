extension MediaType {
    /// Whether the bytes are a ZIP archive: ZIP itself, any `+zip`, and the LCP packages, whose types have no such
    /// suffix.
    public var isZIP: Bool {
        subtype.hasSuffix("+zip") || MediaType.zip.contains(self) || isLCPProtected
    }

    /// Whether the bytes are JSON: JSON itself or any `+json`.
    public var isJSON: Bool {
        subtype.hasSuffix("+json") || MediaType.json.contains(self)
    }

    /// Whether it is an OPDS feed, entry or authentication document.
    ///
    /// The proposals list the feeds and entries only. Every implementation of them also counts the authentication
    /// document, which an app meets in the same place, so it counts here.
    public var isOPDS: Bool {
        // An OPDS 1 entry has the parameters of a feed too.
        MediaType.opds1.contains(self) || Self.opds2Kinds.contains(essence)
    }

    /// Whether it is HTML or XHTML.
    public var isHTML: Bool { MediaType.html.contains(self) || MediaType.xhtml.contains(self) }

    /// Whether it is an image made of pixels, of a kind that comics use. SVG is not.
    public var isBitmap: Bool { type == "image" && Self.bitmaps.contains(essence) }

    /// Whether it is sound.
    public var isAudio: Bool { type == "audio" }

    /// Whether it is video.
    public var isVideo: Bool { type == "video" }

    /// Whether it is a whole publication, as a package or as a manifest. The proposals give no list; comics in any
    /// archive count.
    public var isPublication: Bool { Self.publications.contains(essence) }

    /// Whether it is a Readium Web Publication Manifest of any profile.
    public var isRWPM: Bool { Self.readiumManifests.contains(essence) }

    /// Whether it describes a publication that is stored elsewhere, so that its address must be kept.
    public var isManifest: Bool {
        isRWPM || MediaType.opds1Entry.contains(self) || MediaType.opds2Publication.contains(self)
    }

    /// Whether it is a package that Readium LCP protects.
    public var isLCPProtected: Bool {
        MediaType.lcpProtectedAudiobook.contains(self) || MediaType.lcpProtectedPDF.contains(self)
    }
}

extension MediaType {
    private static let opds2Kinds = essences(of: .opds2, .opds2Publication, .opdsAuthentication)

    private static let bitmaps = essences(of: .avif, .bmp, .gif, .jpeg, .jxl, .png, .tiff, .webp)

    private static let readiumManifests = essences(
        of: .readiumAudiobookManifest, .divinaManifest, .readiumWebPubManifest)

    private static let publications = essences(
        of: .cb7, .cbr, .cbt, .cbz, .divina, .divinaManifest, .epub, .lcpProtectedAudiobook, .lcpProtectedPDF, .lpf,
        .pdf,
        .readiumAudiobook, .readiumAudiobookManifest, .readiumWebPub, .readiumWebPubManifest, .w3cWPUBManifest, .zab)

    private static func essences(of kinds: MediaType...) -> Set<String> { Set(kinds.map(\.essence)) }
}

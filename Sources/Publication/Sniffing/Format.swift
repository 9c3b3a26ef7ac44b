import MediaTypes

/// A file format: a media type together with its name and usual file extension.
///
/// The first Readium proposal had this type beside ``MediaType``; the final one merged the two. It stays as a thin
/// view for callers who want a name and an extension that are always there. Where the two proposals differ the
/// final one decides (the media type of ``zab``, say); names and extensions it no longer gives are the first one's.
/// Two formats are equal when their media types are.
public struct Format: Hashable, Sendable {
    /// The canonical media type, which is what to store.
    public let mediaType: MediaType
    /// What people call the format.
    public let name: String
    /// The usual file extension, without a dot.
    public let fileExtension: String

    /// A format of the caller's own.
    public init(mediaType: MediaType, name: String, fileExtension: String) {
        self.mediaType = mediaType
        self.name = name
        self.fileExtension = fileExtension
    }

    /// The format of `mediaType` after making it canonical; nil unless its name and file extension are known, by it or
    /// by the tables.
    public init?(_ mediaType: MediaType) {
        let canonical = mediaType.canonicalized
        if let known = Self.constants.first(where: { $0.mediaType == canonical }) {
            self = known
        } else if let name = mediaType.name ?? canonical.name,
            let fileExtension = mediaType.fileExtension ?? canonical.fileExtension
        {
            self.init(mediaType: canonical, name: name, fileExtension: fileExtension)
        } else {
            return nil
        }
    }

    /// Compares ``mediaType`` alone: the same format may go by two names.
    public static func == (left: Format, right: Format) -> Bool { left.mediaType == right.mediaType }

    /// Takes ``mediaType`` alone, as `==` does.
    public func hash(into hasher: inout Hasher) { hasher.combine(mediaType) }
}

extension Format {
    /// The same as ``MediaType/isZIP``.
    public var isZIP: Bool { mediaType.isZIP }
    /// The same as ``MediaType/isJSON``.
    public var isJSON: Bool { mediaType.isJSON }
    /// The same as ``MediaType/isOPDS``.
    public var isOPDS: Bool { mediaType.isOPDS }
    /// The same as ``MediaType/isHTML``.
    public var isHTML: Bool { mediaType.isHTML }
    /// The same as ``MediaType/isBitmap``.
    public var isBitmap: Bool { mediaType.isBitmap }
    /// The same as ``MediaType/isAudio``.
    public var isAudio: Bool { mediaType.isAudio }
    /// The same as ``MediaType/isVideo``.
    public var isVideo: Bool { mediaType.isVideo }
    /// The same as ``MediaType/isPublication``.
    public var isPublication: Bool { mediaType.isPublication }
    /// The same as ``MediaType/isRWPM``.
    public var isRWPM: Bool { mediaType.isRWPM }
    /// The same as ``MediaType/isManifest``.
    public var isManifest: Bool { mediaType.isManifest }
    /// The same as ``MediaType/isLCPProtected``.
    public var isLCPProtected: Bool { mediaType.isLCPProtected }
}

extension Format {
    /// Audiobook package (Readium).
    public static let audiobook = Format(.readiumAudiobook, name: "Audiobook", fileExtension: "audiobook")
    /// Audiobook manifest (Readium).
    public static let audiobookManifest = Format(.readiumAudiobookManifest, name: "Audiobook", fileExtension: "json")
    /// Comic book in a ZIP archive.
    public static let cbz = Format(.cbz, name: "Comic Book Archive", fileExtension: "cbz")
    /// Digital Visual Narratives package (Readium).
    public static let divina = Format(.divina, name: "Digital Visual Narratives", fileExtension: "divina")
    /// Digital Visual Narratives manifest (Readium).
    public static let divinaManifest = Format(.divinaManifest, name: "Digital Visual Narratives", fileExtension: "json")
    /// EPUB publication.
    public static let epub = Format(.epub, name: "EPUB", fileExtension: "epub")
    /// HTML document.
    public static let html = Format(.html, name: "HTML", fileExtension: "html")
    /// OPDS 1 feed.
    public static let opds1Feed = Format(.opds1, name: "OPDS", fileExtension: "atom")
    /// OPDS 1 entry.
    public static let opds1Entry = Format(.opds1Entry, name: "OPDS", fileExtension: "atom")
    /// OPDS 2 feed.
    public static let opds2Feed = Format(.opds2, name: "OPDS", fileExtension: "json")
    /// OPDS 2 publication.
    public static let opds2Publication = Format(.opds2Publication, name: "OPDS", fileExtension: "json")
    /// Readium audiobook protected by LCP.
    public static let lcpProtectedAudiobook = Format(
        .lcpProtectedAudiobook, name: "LCP Protected Audiobook", fileExtension: "lcpa")
    /// PDF in a Readium package protected by LCP.
    public static let lcpProtectedPDF = Format(.lcpProtectedPDF, name: "LCP Protected PDF", fileExtension: "lcpdf")
    /// Readium LCP licence.
    public static let lcpLicense = Format(.lcpLicenseDocument, name: "LCP License", fileExtension: "lcpl")
    /// PDF document.
    public static let pdf = Format(.pdf, name: "PDF", fileExtension: "pdf")
    /// Web publication package (Readium).
    public static let webPub = Format(.readiumWebPub, name: "Web Publication", fileExtension: "webpub")
    /// Web publication manifest (Readium).
    public static let webPubManifest = Format(.readiumWebPubManifest, name: "Web Publication", fileExtension: "json")
    /// Sound files in a ZIP archive.
    public static let zab = Format(.zab, name: "Zipped Audio Book", fileExtension: "zab")

    private static let constants: [Format] = [
        audiobook, audiobookManifest, cbz, divina, divinaManifest, epub, html, opds1Feed, opds1Entry, opds2Feed,
        opds2Publication, lcpProtectedAudiobook, lcpProtectedPDF, lcpLicense, pdf, webPub, webPubManifest, zab,
    ]

    private init(_ mediaType: MediaType, name: String, fileExtension: String) {
        self.init(mediaType: mediaType, name: name, fileExtension: fileExtension)
    }
}

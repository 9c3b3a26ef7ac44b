import MediaTypes

/// A file format: a media type together with its name and usual file extension.
///
/// The first Readium proposal had this type beside ``/MediaTypes/MediaType``; the final one merged the two. This is a
/// thin view for callers who need a name and an extension that are never nil. If the two proposals differ, the final
/// one decides (the media type of ``zab``, say); names and extensions that it dropped are the first one's. Two formats
/// are equal if their media types are.
public struct Format: Hashable, Sendable {
    /// The canonical media type, which is what to store.
    public let mediaType: MediaType
    /// The name of the format for people.
    public let name: String
    /// The usual file extension, without a dot.
    public let fileExtension: String

    /// A custom format.
    public init(mediaType: MediaType, name: String, fileExtension: String) {
        self.mediaType = mediaType
        self.name = name
        self.fileExtension = fileExtension
    }

    /// The format of `mediaType`, made canonical; nil unless the media type or the tables have its name and
    /// file extension.
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

    /// Hashes ``mediaType`` alone, as `==` compares it.
    public func hash(into hasher: inout Hasher) { hasher.combine(mediaType) }
}

extension Format {
    /// The same as ``/MediaTypes/MediaType/isZIP``.
    public var isZIP: Bool { mediaType.isZIP }
    /// The same as ``/MediaTypes/MediaType/isJSON``.
    public var isJSON: Bool { mediaType.isJSON }
    /// The same as ``/MediaTypes/MediaType/isOPDS``.
    public var isOPDS: Bool { mediaType.isOPDS }
    /// The same as ``/MediaTypes/MediaType/isHTML``.
    public var isHTML: Bool { mediaType.isHTML }
    /// The same as ``/MediaTypes/MediaType/isBitmap``.
    public var isBitmap: Bool { mediaType.isBitmap }
    /// The same as ``/MediaTypes/MediaType/isAudio``.
    public var isAudio: Bool { mediaType.isAudio }
    /// The same as ``/MediaTypes/MediaType/isVideo``.
    public var isVideo: Bool { mediaType.isVideo }
    /// The same as ``/MediaTypes/MediaType/isPublication``.
    public var isPublication: Bool { mediaType.isPublication }
    /// The same as ``/MediaTypes/MediaType/isRWPM``.
    public var isRWPM: Bool { mediaType.isRWPM }
    /// The same as ``/MediaTypes/MediaType/isManifest``.
    public var isManifest: Bool { mediaType.isManifest }
    /// The same as ``/MediaTypes/MediaType/isLCPProtected``.
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

extension MediaType {
    /// The well-known form of this media type: aliases replaced, name and file extension filled in, parameters
    /// without a meaning for the format dropped. A media type that is not known comes back unchanged.
    ///
    /// As in the final Readium media type proposal, XHTML becomes ``html`` and `application/x-cbr` ``cbz``.
    public var canonicalized: MediaType { Self.known(self) ?? self }

    /// The canonical form of `mediaType`, nil if it is not a known one.
    static func known(_ mediaType: MediaType) -> MediaType? {
        if let known = byString[mediaType.string] { return known }
        return byEssence[mediaType.essence]?.first { $0.parameters.isEmpty || $0.contains(mediaType) }
    }

    /// The canonical form of the media type that `string` spells, nil if it is not a known one.
    static func known(_ string: String) -> MediaType? {
        byString[string] ?? MediaType(string).flatMap { known($0) }
    }

    /// The media type that files with this extension have, nil if it is not a known one. Case plays no part.
    ///
    /// Formats that share the extension `json` give ``json``, and `webm` gives video, as registered.
    static func known(fileExtension: String) -> MediaType? {
        byFileExtension[fileExtension] ?? byFileExtension[fileExtension.lowercased()]
    }
}

extension MediaType {
    /// Every constant, those with more parameters before those they belong to.
    private static let constants: [MediaType] = [
        .epub, .pdf, .cbz, .cbr, .zab, .lpf, .readiumWebPub, .readiumWebPubManifest, .readiumAudiobook,
        .readiumAudiobookManifest, .divina, .divinaManifest, .w3cWPUBManifest, .acsm, .lcpProtectedAudiobook,
        .lcpProtectedPDF, .lcpLicenseDocument, .lcpStatusDocument, .opds1Entry, .opds1, .opds2,
        .opds2Publication, .opdsAuthentication, .avif, .bmp, .gif, .jpeg, .jxl, .png, .svg, .tiff, .webp,
        .aac, .aiff, .flac, .mp3, .mp4Audio, .ogg, .opus, .wav, .webmAudio, .avi, .mpeg, .ogv, .webmVideo,
        .css, .html, .javascript, .json, .ncx, .smil, .text, .xhtml, .xml, .otf, .ttf, .woff, .woff2, .binary,
        .gz, .rar, .zip,
    ]

    /// Other media types in use for a format: the light rules of the proposal, then what servers and books send.
    private static let aliases: [String: MediaType] = [
        "application/xhtml+xml": .html,
        "application/x-cbz": .cbz,
        "application/x-cbr": .cbz,
        "application/vnd.zab+zip": .zab,
        "application/vnd.opds.authentication.v1.0+json": .opdsAuthentication,
        "image/x-bmp": .bmp,
        "image/tiff-fx": .tiff,

        "application/ecmascript": .javascript,
        "application/font-sfnt": .otf,
        "application/font-woff": .woff,
        "application/font-woff2": .woff2,
        "application/javascript": .javascript,
        "application/vnd.ms-opentype": .otf,
        "application/x-font-otf": .otf,
        "application/x-font-ttf": .ttf,
        "application/x-gzip": .gz,
        "application/x-javascript": .javascript,
        "application/x-pdf": .pdf,
        "application/x-rar-compressed": .rar,
        "application/x-zip-compressed": .zip,
        "audio/mp3": .mp3,
        "audio/x-aac": .aac,
        "audio/x-aiff": .aiff,
        "audio/x-flac": .flac,
        "audio/x-m4a": .mp4Audio,
        "audio/x-m4b": .mp4Audio,
        "audio/x-wav": .wav,
        "image/jpg": .jpeg,
        "image/x-ms-bmp": .bmp,
        "text/xml": .xml,
        "video/avi": .avi,
    ]

    /// Extensions beyond the usual one of each constant, and those that several constants share.
    private static let moreFileExtensions: [String: MediaType] = [
        "dib": .bmp,
        "jpg": .jpeg, "jpe": .jpeg, "jif": .jpeg, "jfif": .jpeg, "jfi": .jpeg,
        "tif": .tiff,
        "htm": .html, "xht": .html, "xhtml": .html,
        "json": .json,
        "webm": .webmVideo,

        "aif": .aiff, "aifc": .aiff,
        "m4b": .mp4Audio,
        "mjs": .javascript,
        "mpe": .mpeg, "mpg": .mpeg,
        "ogg": .ogg,
        "smi": .smil,
    ]

    private static let byString: [String: MediaType] = {
        let own = Dictionary(constants.map { ($0.string, $0) }, uniquingKeysWith: { first, _ in first })
        return own.merging(aliases) { _, alias in alias }
    }()

    /// What a media type with extra parameters may be, the most special first.
    private static let byEssence: [String: [MediaType]] =
        Dictionary(grouping: constants, by: \.essence).merging(aliases.mapValues { [$0] }) { _, alias in alias }

    private static let byFileExtension: [String: MediaType] = {
        let pairs = constants.compactMap { mediaType in mediaType.fileExtension.map { ($0, mediaType) } }
        let own = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        return own.merging(moreFileExtensions) { _, more in more }
    }()
}

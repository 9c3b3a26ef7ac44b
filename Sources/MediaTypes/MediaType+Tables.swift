extension MediaType {
    /// The canonical form of this media type: aliases replaced, name and file extension filled in, parameters without a
    /// meaning for the format dropped. An unknown media type is unchanged.
    ///
    /// As in the final Readium media type proposal, XHTML becomes ``html`` and `application/x-cbr` ``cbz``.
    public var canonicalized: MediaType { Self.known(self) ?? self }

    /// The canonical form of `mediaType`, nil if it is not a known one.
    package static func known(_ mediaType: MediaType) -> MediaType? {
        if let known = byString[mediaType.string] { return known }
        return byEssence[mediaType.essence]?.first { $0.parameters.isEmpty || $0.contains(mediaType) }
    }

    /// Returns the canonical form of the media type in `string`, nil if it is not a known one.
    package static func known(_ string: String) -> MediaType? {
        byString[string] ?? MediaType(string).flatMap { known($0) }
    }

    /// Returns the media type of files with this extension, nil if it is not a known one. Ignores case.
    ///
    /// Formats that share the extension `json` give ``json``, and `webm` gives video, as registered.
    package static func known(fileExtension: String) -> MediaType? {
        byFileExtension[fileExtension] ?? byFileExtension[fileExtension.lowercased()]
    }
}

extension MediaType {
    /// Every constant, those with more parameters before those they belong to.
    private static let constants: [MediaType] = [
        .epub, .pdf, .cbz, .cbr, .cb7, .cbt, .zab, .lpf, .readiumWebPub, .readiumWebPubManifest, .readiumAudiobook,
        .readiumAudiobookManifest, .divina, .divinaManifest, .w3cWPUBManifest, .acsm, .lcpProtectedAudiobook,
        .lcpProtectedPDF, .lcpLicenseDocument, .lcpStatusDocument, .opds1Entry, .opds1, .opds2,
        .opds2Publication, .opdsAuthentication, .guidedNavigation, .readiumPositionList,
        .readiumContentProtection, .readiumRightsCopy, .readiumRightsPrint, .readiumLocators,
        .avif, .bmp, .gif, .heic, .heif, .jpeg, .jxl, .png, .svg, .tiff, .webp,
        .aac, .aiff, .flac, .midi, .mp3, .mp4Audio, .ogg, .opus, .wav, .webmAudio, .matroskaAudio,
        .avi, .matroska, .mp4Video, .mpeg, .ogv, .quickTime, .webmVideo,
        .css, .html, .javascript, .json, .ncx, .smil, .text, .xhtml, .xml, .otf, .ttf, .fontCollection, .woff, .woff2,
        .binary, .bzip2, .gz, .rar, .sevenZip, .tar, .xz, .zip, .zstd,
    ]

    /// Other media types in use for a format: the light rules of the proposal, then those that servers and books use.
    private static let aliases: [String: MediaType] = [
        "application/xhtml+xml": .html,
        "application/x-cbz": .cbz,
        "application/x-cbr": .cbz,
        "application/vnd.zab+zip": .zab,
        "application/vnd.opds.authentication.v1.0+json": .opdsAuthentication,
        "image/x-bmp": .bmp,
        "image/tiff-fx": .tiff,

        "application/bzip2": .bzip2,
        "application/ecmascript": .javascript,
        "application/font-sfnt": .otf,
        "application/font-woff": .woff,
        "application/font-woff2": .woff2,
        "application/javascript": .javascript,
        "application/vnd.comicbook+rar": .cbr,
        "application/vnd.ms-opentype": .otf,
        "application/x-bzip": .bzip2,
        "application/x-font-otf": .otf,
        "application/x-font-ttf": .ttf,
        "application/x-gzip": .gz,
        "application/x-javascript": .javascript,
        "application/x-pdf": .pdf,
        "application/x-rar": .rar,
        "application/x-rar-compressed": .rar,
        "application/x-zip-compressed": .zip,
        "application/x-zstd": .zstd,
        "audio/mp3": .mp3,
        "audio/mpeg3": .mp3,
        "audio/vnd.wave": .wav,
        "audio/wave": .wav,
        "audio/x-aac": .aac,
        "audio/x-aiff": .aiff,
        "audio/x-flac": .flac,
        "audio/x-hx-aac-adts": .aac,
        "audio/x-m4a": .mp4Audio,
        "audio/x-m4b": .mp4Audio,
        "audio/x-matroska": .matroskaAudio,
        "audio/x-midi": .midi,
        "audio/x-mp3": .mp3,
        "audio/x-wav": .wav,
        "image/heic-sequence": .heic,
        "image/heif-sequence": .heif,
        "image/jpg": .jpeg,
        "image/pjpeg": .jpeg,
        "image/x-ms-bmp": .bmp,
        "text/xml": .xml,
        "video/avi": .avi,
        "video/msvideo": .avi,
        "video/x-m4v": .mp4Video,
        "video/x-matroska": .matroska,
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
        "heifs": .heif, "hif": .heif,
        "m4b": .mp4Audio, "m4p": .mp4Audio,
        "m4v": .mp4Video,
        "midi": .midi,
        "mjs": .javascript,
        "mpe": .mpeg, "mpg": .mpeg,
        "ogg": .ogg,
        "qt": .quickTime,
        "smi": .smil,
        "tgz": .gz,
        "wave": .wav,
    ]

    private static let byString: [String: MediaType] = {
        let own = Dictionary(constants.map { ($0.string, $0) }, uniquingKeysWith: { first, _ in first })
        return own.merging(aliases) { _, alias in alias }
    }()

    /// The constants to which a media type with extra parameters may belong, the most specific first.
    private static let byEssence: [String: [MediaType]] =
        Dictionary(grouping: constants, by: \.essence).merging(aliases.mapValues { [$0] }) { _, alias in alias }

    private static let byFileExtension: [String: MediaType] = {
        let pairs = constants.compactMap { mediaType in mediaType.fileExtension.map { ($0, mediaType) } }
        let own = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        return own.merging(moreFileExtensions) { _, more in more }
    }()
}

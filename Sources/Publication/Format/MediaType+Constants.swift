// The media types that the framework knows. Those without a note are from the final Readium media type proposal.

// MARK: Publications

extension MediaType {
    /// EPUB publication.
    public static let epub = MediaType(constant: "application/epub+zip", name: "EPUB", fileExtension: "epub")
    /// PDF document.
    public static let pdf = MediaType(constant: "application/pdf", name: "PDF", fileExtension: "pdf")
    /// Comic book in a ZIP archive.
    public static let cbz = MediaType(
        constant: "application/vnd.comicbook+zip", name: "Comic Book Archive", fileExtension: "cbz")
    /// Comic book in a RAR archive; not in the proposals.
    public static let cbr = MediaType(
        constant: "application/vnd.comicbook-rar", name: "Comic Book Archive", fileExtension: "cbr")
    /// Sound files in a ZIP archive. The proposal made the media type up, as there is none.
    public static let zab = MediaType(
        constant: "application/x.readium.zab+zip", name: "Zipped Audio Book", fileExtension: "zab")
    /// Lightweight Packaging Format (W3C).
    public static let lpf = MediaType(constant: "application/lpf+zip", fileExtension: "lpf")
    /// Web publication package (Readium).
    public static let readiumWebPub = MediaType(
        constant: "application/webpub+zip", name: "Readium Web Publication", fileExtension: "webpub")
    /// Web publication manifest (Readium).
    public static let readiumWebPubManifest = MediaType(
        constant: "application/webpub+json", name: "Readium Web Publication", fileExtension: "json")
    /// Audiobook package (Readium).
    public static let readiumAudiobook = MediaType(
        constant: "application/audiobook+zip", name: "Readium Audiobook", fileExtension: "audiobook")
    /// Audiobook manifest (Readium).
    public static let readiumAudiobookManifest = MediaType(
        constant: "application/audiobook+json", name: "Readium Audiobook", fileExtension: "json")
    /// Digital Visual Narratives package (Readium).
    public static let divina = MediaType(
        constant: "application/divina+zip", name: "Digital Visual Narratives", fileExtension: "divina")
    /// Digital Visual Narratives manifest (Readium).
    public static let divinaManifest = MediaType(
        constant: "application/divina+json", name: "Digital Visual Narratives", fileExtension: "json")
    /// Web publication manifest of the W3C. The proposal made the media type up, as there is none.
    public static let w3cWPUBManifest = MediaType(
        constant: "application/x.readium.w3c.wpub+json", name: "Web Publication", fileExtension: "json")
}

// MARK: Protection

extension MediaType {
    /// Adobe Content Server message, which a download of an Adobe protected book starts with.
    public static let acsm = MediaType(
        constant: "application/vnd.adobe.adept+xml", name: "Adobe Content Server Message", fileExtension: "acsm")
    /// Readium audiobook protected by LCP.
    public static let lcpProtectedAudiobook = MediaType(
        constant: "application/audiobook+lcp", name: "LCP Protected Audiobook", fileExtension: "lcpa")
    /// PDF in a Readium package protected by LCP.
    public static let lcpProtectedPDF = MediaType(
        constant: "application/pdf+lcp", name: "LCP Protected PDF", fileExtension: "lcpdf")
    /// Readium LCP licence.
    public static let lcpLicenseDocument = MediaType(
        constant: "application/vnd.readium.lcp.license.v1.0+json", name: "LCP License", fileExtension: "lcpl")
    /// Readium LCP licence status.
    public static let lcpStatusDocument = MediaType(constant: "application/vnd.readium.license.status.v1.0+json")
}

// MARK: Catalogues

extension MediaType {
    /// OPDS 1 feed.
    public static let opds1 = MediaType(constant: "application/atom+xml;profile=opds-catalog")
    /// OPDS 1 entry. It is also an ``opds1``, so ask for this one first.
    public static let opds1Entry = MediaType(constant: "application/atom+xml;type=entry;profile=opds-catalog")
    /// OPDS 2 feed.
    public static let opds2 = MediaType(constant: "application/opds+json")
    /// OPDS 2 publication.
    public static let opds2Publication = MediaType(constant: "application/opds-publication+json")
    /// Authentication for OPDS document.
    public static let opdsAuthentication = MediaType(constant: "application/opds-authentication+json")
}

// MARK: Images

extension MediaType {
    /// AVIF image.
    public static let avif = MediaType(constant: "image/avif", fileExtension: "avif")
    /// Windows bitmap image.
    public static let bmp = MediaType(constant: "image/bmp", fileExtension: "bmp")
    /// GIF image.
    public static let gif = MediaType(constant: "image/gif", fileExtension: "gif")
    /// JPEG image.
    public static let jpeg = MediaType(constant: "image/jpeg", fileExtension: "jpeg")
    /// JPEG XL image.
    public static let jxl = MediaType(constant: "image/jxl", fileExtension: "jxl")
    /// PNG image.
    public static let png = MediaType(constant: "image/png", fileExtension: "png")
    /// SVG drawing.
    public static let svg = MediaType(constant: "image/svg+xml", fileExtension: "svg")
    /// TIFF image.
    public static let tiff = MediaType(constant: "image/tiff", fileExtension: "tiff")
    /// WebP image.
    public static let webp = MediaType(constant: "image/webp", fileExtension: "webp")
}

// MARK: Sound and video

extension MediaType {
    /// AAC sound.
    public static let aac = MediaType(constant: "audio/aac", fileExtension: "aac")
    /// AIFF sound.
    public static let aiff = MediaType(constant: "audio/aiff", fileExtension: "aiff")
    /// FLAC sound; not in the proposals.
    public static let flac = MediaType(constant: "audio/flac", fileExtension: "flac")
    /// MP3 sound.
    public static let mp3 = MediaType(constant: "audio/mpeg", fileExtension: "mp3")
    /// MPEG-4 sound, such as `m4a` and `m4b` files; not in the proposals.
    public static let mp4Audio = MediaType(constant: "audio/mp4", fileExtension: "m4a")
    /// Ogg sound.
    public static let ogg = MediaType(constant: "audio/ogg", fileExtension: "oga")
    /// Opus sound.
    public static let opus = MediaType(constant: "audio/opus", fileExtension: "opus")
    /// WAV sound.
    public static let wav = MediaType(constant: "audio/wav", fileExtension: "wav")
    /// WebM sound.
    public static let webmAudio = MediaType(constant: "audio/webm", fileExtension: "webm")
    /// AVI video.
    public static let avi = MediaType(constant: "video/x-msvideo", fileExtension: "avi")
    /// MPEG video.
    public static let mpeg = MediaType(constant: "video/mpeg", fileExtension: "mpeg")
    /// Ogg video.
    public static let ogv = MediaType(constant: "video/ogg", fileExtension: "ogv")
    /// WebM video.
    public static let webmVideo = MediaType(constant: "video/webm", fileExtension: "webm")
}

// MARK: Documents

extension MediaType {
    /// Style sheet.
    public static let css = MediaType(constant: "text/css", fileExtension: "css")
    /// HTML document.
    public static let html = MediaType(constant: "text/html", fileExtension: "html")
    /// JavaScript.
    public static let javascript = MediaType(constant: "text/javascript", fileExtension: "js")
    /// JSON document.
    public static let json = MediaType(constant: "application/json", fileExtension: "json")
    /// NCX, the table of contents of EPUB 2.
    public static let ncx = MediaType(constant: "application/x-dtbncx+xml", fileExtension: "ncx")
    /// SMIL, the media overlays of EPUB.
    public static let smil = MediaType(constant: "application/smil+xml", fileExtension: "smil")
    /// Plain text.
    public static let text = MediaType(constant: "text/plain", fileExtension: "txt")
    /// XHTML document.
    public static let xhtml = MediaType(constant: "application/xhtml+xml", fileExtension: "xhtml")
    /// XML document.
    public static let xml = MediaType(constant: "application/xml", fileExtension: "xml")
}

// MARK: Fonts

extension MediaType {
    /// OpenType font.
    public static let otf = MediaType(constant: "font/otf", fileExtension: "otf")
    /// TrueType font.
    public static let ttf = MediaType(constant: "font/ttf", fileExtension: "ttf")
    /// WOFF font.
    public static let woff = MediaType(constant: "font/woff", fileExtension: "woff")
    /// WOFF 2 font.
    public static let woff2 = MediaType(constant: "font/woff2", fileExtension: "woff2")
}

// MARK: Archives and bytes

extension MediaType {
    /// Bytes of unknown kind.
    public static let binary = MediaType(constant: "application/octet-stream")
    /// Gzip file.
    public static let gz = MediaType(constant: "application/gzip", fileExtension: "gz")
    /// RAR archive; not in the proposals.
    public static let rar = MediaType(constant: "application/vnd.rar", fileExtension: "rar")
    /// ZIP archive.
    public static let zip = MediaType(constant: "application/zip", fileExtension: "zip")
}

extension MediaType {
    /// Makes one of the constants above, whose text is known to be good.
    private init(constant: StaticString, name: String? = nil, fileExtension: String? = nil) {
        guard let mediaType = MediaType("\(constant)", name: name, fileExtension: fileExtension) else {
            preconditionFailure("\(constant) is not a media type")
        }
        self = mediaType
    }
}

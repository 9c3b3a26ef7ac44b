import Publication
import Testing

/// A row of the table of constants in Readium's media type proposal.
private struct Row: Sendable, CustomTestStringConvertible {
    let constant: MediaType
    let string: String
    let fileExtension: String?
    let name: String?

    init(_ constant: MediaType, _ string: String, _ fileExtension: String?, _ name: String?) {
        (self.constant, self.string, self.fileExtension, self.name) = (constant, string, fileExtension, name)
    }

    var testDescription: String { string }
}

/// As the table has them, parameters in the order of their names.
private let table: [Row] = [
    Row(.aac, "audio/aac", "aac", nil),
    Row(.acsm, "application/vnd.adobe.adept+xml", "acsm", "Adobe Content Server Message"),
    Row(.aiff, "audio/aiff", "aiff", nil),
    Row(.avi, "video/x-msvideo", "avi", nil),
    Row(.avif, "image/avif", "avif", nil),
    Row(.binary, "application/octet-stream", nil, nil),
    Row(.bmp, "image/bmp", "bmp", nil),
    Row(.cbz, "application/vnd.comicbook+zip", "cbz", "Comic Book Archive"),
    Row(.css, "text/css", "css", nil),
    Row(.divina, "application/divina+zip", "divina", "Digital Visual Narratives"),
    Row(.divinaManifest, "application/divina+json", "json", "Digital Visual Narratives"),
    Row(.epub, "application/epub+zip", "epub", "EPUB"),
    Row(.gif, "image/gif", "gif", nil),
    Row(.gz, "application/gzip", "gz", nil),
    Row(.javascript, "text/javascript", "js", nil),
    Row(.jpeg, "image/jpeg", "jpeg", nil),
    Row(.jxl, "image/jxl", "jxl", nil),
    Row(.html, "text/html", "html", nil),
    Row(.json, "application/json", "json", nil),
    Row(.lcpProtectedAudiobook, "application/audiobook+lcp", "lcpa", "LCP Protected Audiobook"),
    Row(.lcpProtectedPDF, "application/pdf+lcp", "lcpdf", "LCP Protected PDF"),
    Row(.lcpLicenseDocument, "application/vnd.readium.lcp.license.v1.0+json", "lcpl", "LCP License"),
    Row(.lcpStatusDocument, "application/vnd.readium.license.status.v1.0+json", nil, nil),
    Row(.lpf, "application/lpf+zip", "lpf", nil),
    Row(.mp3, "audio/mpeg", "mp3", nil),
    Row(.mpeg, "video/mpeg", "mpeg", nil),
    Row(.ncx, "application/x-dtbncx+xml", "ncx", nil),
    Row(.ogg, "audio/ogg", "oga", nil),
    Row(.ogv, "video/ogg", "ogv", nil),
    Row(.opus, "audio/opus", "opus", nil),
    Row(.opds1, "application/atom+xml;profile=opds-catalog", nil, nil),
    Row(.opds1Entry, "application/atom+xml;profile=opds-catalog;type=entry", nil, nil),
    Row(.opds2, "application/opds+json", nil, nil),
    Row(.opds2Publication, "application/opds-publication+json", nil, nil),
    Row(.opdsAuthentication, "application/opds-authentication+json", nil, nil),
    Row(.otf, "font/otf", "otf", nil),
    Row(.pdf, "application/pdf", "pdf", "PDF"),
    Row(.png, "image/png", "png", nil),
    Row(.readiumAudiobook, "application/audiobook+zip", "audiobook", "Readium Audiobook"),
    Row(.readiumAudiobookManifest, "application/audiobook+json", "json", "Readium Audiobook"),
    Row(.readiumWebPub, "application/webpub+zip", "webpub", "Readium Web Publication"),
    Row(.readiumWebPubManifest, "application/webpub+json", "json", "Readium Web Publication"),
    Row(.smil, "application/smil+xml", "smil", nil),
    Row(.svg, "image/svg+xml", "svg", nil),
    Row(.text, "text/plain", "txt", nil),
    Row(.tiff, "image/tiff", "tiff", nil),
    Row(.ttf, "font/ttf", "ttf", nil),
    Row(.w3cWPUBManifest, "application/x.readium.w3c.wpub+json", "json", "Web Publication"),
    Row(.wav, "audio/wav", "wav", nil),
    Row(.webmAudio, "audio/webm", "webm", nil),
    Row(.webmVideo, "video/webm", "webm", nil),
    Row(.webp, "image/webp", "webp", nil),
    Row(.woff, "font/woff", "woff", nil),
    Row(.woff2, "font/woff2", "woff2", nil),
    Row(.xhtml, "application/xhtml+xml", "xhtml", nil),
    Row(.xml, "application/xml", "xml", nil),
    Row(.zab, "application/x.readium.zab+zip", "zab", "Zipped Audio Book"),
    Row(.zip, "application/zip", "zip", nil),
]

@Suite struct MediaTypeConstantTests {
    @Test(arguments: table)
    fileprivate func `each constant of the proposal has its text, file extension and name`(row: Row) {
        #expect(row.constant.string == row.string)
        #expect(row.constant.fileExtension == row.fileExtension)
        #expect(row.constant.name == row.name)
    }

    @Test func `there are 58 of them, all different`() {
        #expect(table.count == 58)
        #expect(Set(table.map(\.constant)).count == 58)
    }

    /// All but XHTML, which the proposal takes for HTML.
    @Test(arguments: table.filter { $0.constant != .xhtml })
    fileprivate func `each is its own canonical form`(row: Row) throws {
        let canonical = try #require(MediaType(row.string)).canonicalized
        #expect(canonical == row.constant)
        #expect(canonical.fileExtension == row.fileExtension && canonical.name == row.name)
    }
}

import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

@Suite struct `Well-known media types` {
    @Test(
        arguments: [
            ("text/html;charset=utf-8", "text/html", "html"),
            ("application/xhtml+xml", "text/html", "html"),
            (
                "application/atom+xml;profile=opds-catalog;charset=utf-8", "application/atom+xml;profile=opds-catalog",
                nil
            ),
            (
                "application/atom+xml;charset=utf-8;profile=opds-catalog;type=entry",
                "application/atom+xml;profile=opds-catalog;type=entry", nil
            ),
            ("application/x-cbz", "application/vnd.comicbook+zip", "cbz"),
            ("application/x-cbr;a=b", "application/vnd.comicbook+zip", "cbz"),
            ("application/vnd.opds.authentication.v1.0+json", "application/opds-authentication+json", nil),
            ("image/x-bmp", "image/bmp", "bmp"),
            ("image/tiff-fx", "image/tiff", "tiff"),
            ("text/plain", "text/plain", "txt"),
            ("application/vnd.ms-opentype", "font/otf", "otf"),
            ("application/unknown;charset=utf-8;param1=Value1", "application/unknown;charset=UTF-8;param1=Value1", nil),
            ("application/atom+xml;charset=utf-8", "application/atom+xml;charset=UTF-8", nil),
            ("image/*", "image/*", nil),
        ] as [(String, String, String?)])
    func `have one canonical form`(given: String, expected: String, fileExtension: String?) throws {
        let canonical = try #require(MediaType(given)).canonicalized
        #expect(canonical.string == expected)
        #expect(canonical.fileExtension == fileExtension)
    }

    @Test func `bring name and extension along`() {
        #expect(MediaType("application/epub+zip")?.canonicalized.name == "EPUB")
        #expect(MediaType("application/x-cbz")?.canonicalized.name == "Comic Book Archive")
    }

    @Test(
        arguments: [
            ("epub", .epub), ("EPUB", .epub), ("bmp", .bmp), ("dib", .bmp), ("jpg", .jpeg), ("jpeg", .jpeg),
            ("jpe", .jpeg),
            ("jif", .jpeg), ("jfif", .jpeg), ("jfi", .jpeg), ("jxl", .jxl), ("tif", .tiff), ("tiff", .tiff),
            ("htm", .html),
            ("html", .html), ("xht", .html), ("xhtml", .html), ("cbz", .cbz), ("cbr", .cbr), ("divina", .divina),
            ("audiobook", .readiumAudiobook), ("webpub", .readiumWebPub), ("json", .json),
            ("lcpa", .lcpProtectedAudiobook),
            ("lcpdf", .lcpProtectedPDF), ("lcpl", .lcpLicenseDocument), ("lpf", .lpf), ("pdf", .pdf), ("zab", .zab),
            ("cb7", .cb7), ("cbt", .cbt), ("7z", .sevenZip), ("heic", .heic), ("mkv", .matroska), ("mov", .quickTime),
            ("m4b", .mp4Audio),
            ("webm", .webmVideo), ("ncx", .ncx), ("css", .css), ("", nil), ("unheard-of", nil),
        ] as [(String, MediaType?)])
    func `are found by extension`(fileExtension: String, expected: MediaType?) {
        #expect(MediaType.known(fileExtension: fileExtension) == expected)
    }

    @Test(
        arguments: [
            (MediaType.acsm, "application/vnd.adobe.adept+xml", "acsm"), (.avi, "video/x-msvideo", "avi"),
            (.binary, "application/octet-stream", nil), (.gz, "application/gzip", "gz"),
            (.javascript, "text/javascript", "js"), (.jpeg, "image/jpeg", "jpeg"),
            (.lcpLicenseDocument, "application/vnd.readium.lcp.license.v1.0+json", "lcpl"),
            (.lcpStatusDocument, "application/vnd.readium.license.status.v1.0+json", nil),
            (.ncx, "application/x-dtbncx+xml", "ncx"), (.ogg, "audio/ogg", "oga"),
            (.smil, "application/smil+xml", "smil"),
            (.opds1Entry, "application/atom+xml;profile=opds-catalog;type=entry", nil),
            (.w3cWPUBManifest, "application/x.readium.w3c.wpub+json", "json"),
            (.xhtml, "application/xhtml+xml", "xhtml"), (.flac, "audio/flac", "flac"), (.mp4Audio, "audio/mp4", "m4a"),
            (.mp4Video, "video/mp4", "mp4"), (.cbr, "application/vnd.comicbook-rar", "cbr"),
            (.cb7, "application/x-cb7", "cb7"),
            (.cbt, "application/x-cbt", "cbt"), (.rar, "application/vnd.rar", "rar"),
            (.sevenZip, "application/x-7z-compressed", "7z"),
            (.tar, "application/x-tar", "tar"), (.guidedNavigation, "application/guided-navigation+json", nil),
            (.readiumPositionList, "application/vnd.readium.position-list+json", nil),
            (.readiumContentProtection, "application/vnd.readium.content-protection+json", nil),
            (.readiumRightsCopy, "application/vnd.readium.rights.copy+json", nil),
            (.readiumRightsPrint, "application/vnd.readium.rights.print+json", nil),
            (.readiumLocators, "application/vnd.readium.locators+json", nil),
            (.opds1Navigation, "application/atom+xml;kind=navigation;profile=opds-catalog", nil),
            (.zab, "application/x.readium.zab+zip", "zab"),
        ] as [(MediaType, String, String?)])
    func `have the text and extension of the proposal`(mediaType: MediaType, string: String, fileExtension: String?) {
        #expect(mediaType.string == string)
        #expect(mediaType.fileExtension == fileExtension)
    }
}

@Suite struct `Formats` {
    @Test func `are equal when their media types are`() {
        #expect(Format(mediaType: .epub, name: "Book", fileExtension: "xyz") == .epub)
        #expect(Format.zab.mediaType == .zab)
        #expect(Format.opds1Feed.fileExtension == "atom")
        #expect(Format.webPubManifest.isManifest)
        #expect(Format.cbz.isZIP && Format.cbz.isPublication)
    }

    @Test func `come from media types with a name and an extension`() throws {
        let opds1 = try #require(MediaType("application/atom+xml;profile=opds-catalog;charset=utf-8"))
        #expect(Format(opds1) == .opds1Feed)
        #expect(Format(.acsm)?.fileExtension == "acsm")
        #expect(Format(.binary) == nil)
    }
}

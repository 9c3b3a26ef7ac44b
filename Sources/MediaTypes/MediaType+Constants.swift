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
    /// Comic book in a 7z archive; not in the proposals.
    public static let cb7 = MediaType(constant: "application/x-cb7", name: "Comic Book Archive", fileExtension: "cb7")
    /// Comic book in a TAR archive; not in the proposals.
    public static let cbt = MediaType(constant: "application/x-cbt", name: "Comic Book Archive", fileExtension: "cbt")
    /// Sound files in a ZIP archive. The proposal invented the media type, because none is registered.
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
    /// Web publication manifest of the W3C. The proposal invented the media type, because none is registered.
    public static let w3cWPUBManifest = MediaType(
        constant: "application/x.readium.w3c.wpub+json", name: "Web Publication", fileExtension: "json")
    /// Guided navigation document (Readium Guided Navigation, section 1); not in the proposals.
    public static let guidedNavigation = MediaType(
        constant: "application/guided-navigation+json", name: "Guided Navigation")
}

// MARK: Protection

extension MediaType {
    /// Adobe Content Server message, with which a download of an Adobe protected book starts.
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
    /// OPDS 1 feed of other feeds (OPDS 1.2, section 2.1); not in the proposals. Its canonical form is ``opds1``.
    public static let opds1Navigation = MediaType(constant: "application/atom+xml;profile=opds-catalog;kind=navigation")
    /// OPDS 1 feed of publications (OPDS 1.2, section 2.2); not in the proposals. Its canonical form is ``opds1``.
    public static let opds1Acquisition = MediaType(
        constant: "application/atom+xml;profile=opds-catalog;kind=acquisition")
    /// OPDS 2 feed.
    public static let opds2 = MediaType(constant: "application/opds+json")
    /// OPDS 2 publication.
    public static let opds2Publication = MediaType(constant: "application/opds-publication+json")
    /// Authentication for OPDS document.
    public static let opdsAuthentication = MediaType(constant: "application/opds-authentication+json")
}

// MARK: What a publication serves of itself

// Not in the media type proposal: documents with which a publication's services answer.
extension MediaType {
    /// The list of a publication's positions (Readium).
    public static let readiumPositionList = MediaType(constant: "application/vnd.readium.position-list+json")
    /// The protection of a publication, and the rights it grants (Readium).
    public static let readiumContentProtection = MediaType(constant: "application/vnd.readium.content-protection+json")
    /// Request for the right to copy (Readium).
    public static let readiumRightsCopy = MediaType(constant: "application/vnd.readium.rights.copy+json")
    /// Request for the right to print (Readium).
    public static let readiumRightsPrint = MediaType(constant: "application/vnd.readium.rights.print+json")
    /// Places in a publication, such as search results (Readium).
    public static let readiumLocators = MediaType(constant: "application/vnd.readium.locators+json")
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

extension MediaType {
    /// Makes one of the constants, whose text is known to be valid.
    package init(constant: StaticString, name: String? = nil, fileExtension: String? = nil) {
        self.init(constant, name: name, fileExtension: fileExtension)
    }
}

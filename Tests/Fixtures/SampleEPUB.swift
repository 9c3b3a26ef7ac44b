public import Foundation

/// A small EPUB of which everything that a library reads can be chosen.
public struct SampleEPUB: Sendable {
    /// The title.
    public var title: String
    /// With the text by which each is sorted.
    public var authors: [(String, String)]
    /// As the package writes it; nil for an identifier that is no uuid.
    public var uuid: String?
    /// The series and the place in it.
    public var series: (name: String, index: String)?
    /// The description, in HTML.
    public var description = "<p>About a desk.</p>"
    /// The subjects.
    public var subjects = ["Furniture", "Light"]
    /// The collection that is no series; nil for none.
    public var collection: String?
    /// The picture; nil for none.
    public var cover: Data?
    /// Whether only the guide says which picture the cover is, as in many an EPUB 2.
    public var hasCoverInGuide = false
    /// Further files of the archive.
    public var files: [(String, Data)]
    /// Chapters that the package names and the archive does not have.
    public var missing: [String]
    /// Whether the first of these chapters is there, and becomes very large.
    public var bomb: Bool

    /// A book with one chapter.
    public init(
        title: String = "The Desk", authors: [(String, String)] = [("Ada Reader", "Reader, Ada")],
        uuid: String? = "11111111-2222-4333-8444-555555555555", series: (name: String, index: String)? = nil,
        cover: Data? = SampleEPUB.png, files: [(String, Data)] = [], missing: [String] = [], bomb: Bool = false
    ) {
        self.title = title
        self.authors = authors
        self.uuid = uuid
        self.series = series
        self.cover = cover
        self.files = files
        self.missing = missing
        self.bomb = bomb
    }

    /// The start of a picture, which is all that is looked at.
    public static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3])
    /// The start of another picture.
    public static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 4, 5, 6])

    /// The file.
    public func data() throws -> Data {
        try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("META-INF/container.xml", Self.container)
            try zip.deflate("book.opf", package)
            try zip.deflate("a.xhtml", Self.page)
            try zip.deflate("nav.xhtml", Self.navigation)
            if let cover { try zip.store("cover.png", cover) }
            for (name, content) in files { try zip.add(name, content) }
            if bomb, let name = missing.first { try zip.deflate(name, Data(count: 1 << 20), times: 64) }
        }
    }

    private var package: String {
        let creators = authors.map { "<dc:creator opf:role=\"aut\" opf:file-as=\"\($0.1)\">\($0.0)</dc:creator>" }
            .joined()
        let subjects = subjects.map { "<dc:subject>\($0)</dc:subject>" }.joined()
        let series = series.map {
            "<meta name=\"calibre:series\" content=\"\($0.name)\"/><meta name=\"calibre:series_index\" content=\"\($0.index)\"/>"
        }
        let collection = collection.map { "<meta property=\"belongs-to-collection\">\($0)</meta>" }
        let identifier = uuid.map { "<dc:identifier id=\"id\" opf:scheme=\"uuid\">\($0)</dc:identifier>" }
        let chapters = ["a.xhtml"] + missing
        let items = chapters.enumerated().map {
            "<item id=\"c\($0)\" href=\"\($1)\" media-type=\"application/xhtml+xml\"/>"
        }.joined()
        let locations = chapters.indices.map { "<itemref idref=\"c\($0)\"/>" }.joined()
        let property = hasCoverInGuide ? "" : " properties=\"cover-image\""
        let cover = "<item id=\"picture\" href=\"cover.png\" media-type=\"image/png\"\(property)/>"
        let guide = hasCoverInGuide ? "<guide><reference type=\"cover\" href=\"cover.png\"/></guide>" : ""
        let (text, title) = (Self.escaped(description), Self.escaped(title))
        return """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf"><dc:title>\(title)</dc:title>
            <dc:language>en</dc:language>\(identifier ?? "<dc:identifier id=\"id\">desk</dc:identifier>")\(creators)\(subjects)
            <dc:publisher>Carrel Press</dc:publisher><dc:date>2020-05-17T00:00:00+00:00</dc:date>
            <dc:description>\(text)</dc:description>\(series ?? "")\(collection ?? "")</metadata>
            <manifest>\(items)<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            \(self.cover == nil ? "" : cover)</manifest><spine>\(locations)</spine>\(guide)</package>
            """
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    private static let container = """
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """
    private static let page =
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>A</title></head><body><p>A</p></body></html>"
    private static let navigation = """
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>C</title></head>
        <body><nav epub:type="toc"><ol><li><a href="a.xhtml">A</a></li></ol></nav></body></html>
        """
}

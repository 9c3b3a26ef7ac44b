public import Foundation

/// The smallest publication of each format, all in our own words, with what a reader has to find in it.
public struct SamplePublication: Sendable, CustomStringConvertible {
    /// What the book is called on disk; for a folder, the folder.
    public let fileName: String
    /// The canonical media type; nil for a folder, whose content alone tells.
    public let mediaType: String?
    /// The title that opening it finds.
    public let title: String
    /// What the first resource of the reading order begins with; empty where it is locked.
    public let start: Data
    /// How many resources are read in order.
    public let count: Int
    /// The files to put somewhere, by their path: the book, and what lies beside it or in it.
    public let files: [(path: String, content: Data)]
    /// Whether it is encrypted by Readium LCP, so that what is in its reading order cannot be read.
    public var isLocked = false

    /// The file's name.
    public var description: String { fileName }

    /// One of each format that a parser of the standard list reads.
    public static func all() throws -> [SamplePublication] {
        try [
            epub(.epub3), epub(.epub2), comic(), audiobookFolder(isPacked: true), audiobookFolder(isPacked: false),
            webPublication(),
            audiobook(), divina(), manifest(), audiobookManifest(), divinaManifest(), lightweightPackage(),
            webManifest(), pdf(),
            picture(), pictureFolder(), recording(), explodedEPUB(), lockedEPUB(), lockedAudiobook(), lockedPDF(),
        ] + packedComics
    }

    // MARK: EPUB

    private static func epub(_ edition: SampleBook.Edition) throws -> SamplePublication {
        let name = edition == .epub3 ? "lamp.epub" : "lamp2.epub"
        return SamplePublication(
            fileName: name, mediaType: "application/epub+zip", title: SampleBook.title, start: Data("<?xml".utf8),
            count: 3,
            files: [(name, try SampleBook.small(edition))])
    }

    /// One chapter, in the order in which an archive has its files.
    static func epubFiles(titled title: String) -> [(path: String, content: Data)] {
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>\(title)</dc:title><dc:language>en</dc:language>
            <dc:identifier id="id">urn:carrel:\(title.lowercased())</dc:identifier></metadata>
            <manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
            <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
            <spine><itemref idref="a"/></spine></package>
            """
        let container = """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        let contents = """
            <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>Contents</title></head>
            <body><nav epub:type="toc"><ol><li><a href="a.xhtml">A</a></li></ol></nav></body></html>
            """
        return [
            ("mimetype", Data("application/epub+zip".utf8)), ("META-INF/container.xml", Data(container.utf8)),
            ("book.opf", Data(package.utf8)), ("a.xhtml", Data(page.utf8)), ("nav.xhtml", Data(contents.utf8)),
        ]
    }

    private static func explodedEPUB() throws -> SamplePublication {
        SamplePublication(
            fileName: "unpacked", mediaType: "application/epub+zip", title: "Unpacked", start: Data("<html".utf8),
            count: 1,
            files: epubFiles(titled: "Unpacked").map { ("unpacked/\($0.path)", $0.content) })
    }

    // MARK: Pictures and sound

    static let page =
        "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head><title>A</title></head><body><p>A</p></body></html>"
    static let png = Cover.png(width: 2, height: 3)
    /// Silence: one frame of MPEG-1 layer III, 128 kbit/s at 44.1 kHz.
    static let mp3 = Data([0xFF, 0xFB, 0x90, 0x00]) + Data(count: 413)

    private static func comic() throws -> SamplePublication {
        let information =
            "<ComicInfo><Title>Night Shift</Title><Series>The Carrel</Series><Number>2</Number></ComicInfo>"
        let data = try ZIPBuilder.data { zip in
            for name in ["page10.png", "page2.png", "page1.png"] { try zip.store(name, png) }
            try zip.deflate("ComicInfo.xml", information)
        }
        return SamplePublication(
            fileName: "comic.cbz", mediaType: "application/vnd.comicbook+zip", title: "Night Shift",
            start: png.prefix(8), count: 3,
            files: [("comic.cbz", data)])
    }

    private static func picture() throws -> SamplePublication {
        SamplePublication(
            fileName: "drawing.png", mediaType: "image/png", title: "drawing", start: png.prefix(8), count: 1,
            files: [("drawing.png", png)]
        )
    }

    private static func pictureFolder() throws -> SamplePublication {
        SamplePublication(
            fileName: "Sketches", mediaType: "application/vnd.comicbook+zip", title: "Sketches", start: png.prefix(8),
            count: 3,
            files: ["2.png", "10.png", "1.png"].map { ("Sketches/\($0)", png) })
    }

    private static func recording() throws -> SamplePublication {
        SamplePublication(
            fileName: "speech.mp3", mediaType: "audio/mpeg", title: "speech", start: mp3.prefix(4), count: 1,
            files: [("speech.mp3", mp3)])
    }

    private static func audiobookFolder(isPacked: Bool) throws -> SamplePublication {
        let names = ["Part 1.mp3", "Part 2.mp3", "Part 10.mp3"]
        if isPacked {
            let data = try ZIPBuilder.data { zip in for name in names { try zip.store(name, mp3) } }
            return SamplePublication(
                fileName: "parts.zab", mediaType: "application/x.readium.zab+zip", title: "parts", start: mp3.prefix(4),
                count: 3,
                files: [("parts.zab", data)])
        }
        return SamplePublication(
            fileName: "Read Aloud", mediaType: "application/x.readium.zab+zip", title: "Read Aloud",
            start: mp3.prefix(4), count: 3,
            files: names.map { ("Read Aloud/\($0)", mp3) })
    }

    // MARK: Readium

    /// - Parameter properties: Those of each link, as JSON.
    static func json(
        _ title: String, type: String? = nil, order: [(href: String, type: String)], properties: String = "{}"
    ) -> Data {
        let kind = type.map { "\"@type\": \"\($0)\", " } ?? ""
        let links = order.map { "{\"href\": \"\($0.href)\", \"type\": \"\($0.type)\", \"properties\": \(properties)}" }
            .joined(separator: ", ")
        return Data(
            """
            {"@context": "https://readium.org/webpub-manifest/context.jsonld", "metadata": {\(kind)"title": "\(title)"},
             "links": [{"rel": "self", "href": "manifest.json", "type": "application/webpub+json"}], "readingOrder": [\(links)]}
            """.utf8)
    }

    private static func package(
        _ name: String, _ mediaType: String, _ manifest: Data, title: String, _ parts: [(String, Data)]
    ) throws -> SamplePublication {
        let data = try ZIPBuilder.data { zip in
            try zip.add("manifest.json", manifest)
            for (path, content) in parts { try zip.store(path, content) }
        }
        return SamplePublication(
            fileName: name, mediaType: mediaType, title: title, start: parts[0].1.prefix(4), count: parts.count,
            files: [(name, data)])
    }

    private static func webPublication() throws -> SamplePublication {
        let manifest = json("A Web Publication", order: [("a.html", "text/html"), ("b.html", "text/html")])
        return try package(
            "web.webpub", "application/webpub+zip", manifest, title: "A Web Publication",
            [("a.html", Data(page.utf8)), ("b.html", Data(page.utf8))])
    }

    private static func audiobook() throws -> SamplePublication {
        let manifest = json("Heard", type: "http://schema.org/Audiobook", order: [("1.mp3", "audio/mpeg")])
        return try package("heard.audiobook", "application/audiobook+zip", manifest, title: "Heard", [("1.mp3", mp3)])
    }

    private static func divina() throws -> SamplePublication {
        let manifest = json("Drawn", order: [("1.png", "image/png")])
        return try package("drawn.divina", "application/divina+zip", manifest, title: "Drawn", [("1.png", png)])
    }

    private static func manifest() throws -> SamplePublication {
        SamplePublication(
            fileName: "alone.json", mediaType: "application/webpub+json", title: "Alone", start: Data("<html".utf8),
            count: 1,
            files: [
                ("alone.json", json("Alone", order: [("beside.html", "text/html")])), ("beside.html", Data(page.utf8)),
            ])
    }

    private static func audiobookManifest() throws -> SamplePublication {
        let manifest = json("Told", type: "http://schema.org/Audiobook", order: [("track.mp3", "audio/mpeg")])
        return SamplePublication(
            fileName: "told.json", mediaType: "application/audiobook+json", title: "Told", start: mp3.prefix(4),
            count: 1,
            files: [("told.json", manifest), ("track.mp3", mp3)])
    }

    private static func divinaManifest() throws -> SamplePublication {
        let manifest = json("Shown", order: [("panel-1.png", "image/png"), ("panel-2.png", "image/png")])
        return SamplePublication(
            fileName: "shown.json", mediaType: "application/divina+json", title: "Shown", start: png.prefix(8),
            count: 2,
            files: [("shown.json", manifest), ("panel-1.png", png), ("panel-2.png", png)])
    }

    // MARK: W3C

    private static func w3c(_ context: String, _ title: String) -> Data {
        Data(
            """
            {"@context": ["https://schema.org", "\(context)"], "type": "CreativeWork", "id": "urn:carrel:\(title.lowercased())",
             "name": "\(title)", "inLanguage": "en", "readingOrder": ["first.html"]}
            """.utf8)
    }

    private static func lightweightPackage() throws -> SamplePublication {
        let data = try ZIPBuilder.data { zip in
            try zip.add("publication.json", w3c("https://www.w3.org/ns/pub-context", "Light"))
            try zip.deflate("first.html", page)
        }
        return SamplePublication(
            fileName: "light.lpf", mediaType: "application/lpf+zip", title: "Light", start: Data("<html".utf8),
            count: 1,
            files: [("light.lpf", data)])
    }

    private static func webManifest() throws -> SamplePublication {
        SamplePublication(
            fileName: "w3c.json", mediaType: "application/x.readium.w3c.wpub+json", title: "Loose",
            start: Data("<html".utf8), count: 1,
            files: [("w3c.json", w3c("https://www.w3.org/ns/wp-context", "Loose")), ("first.html", Data(page.utf8))])
    }

    // MARK: PDF

    /// One page of 200 × 300 points (ISO 32000-1, section 7.5), with a title.
    private static func pdf() throws -> SamplePublication {
        let objects = [
            "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>", "<< /Title (One Page) >>",
        ]
        var text = "%PDF-1.4\n"
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(text.utf8.count)
            text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = text.utf8.count
        text += "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for offset in offsets {
            text += String(repeating: "0", count: 10 - String(offset).count) + "\(offset) 00000 n \n"
        }
        text += "trailer << /Size \(objects.count + 1) /Root 1 0 R /Info 4 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return SamplePublication(
            fileName: "page.pdf", mediaType: "application/pdf", title: "One Page", start: Data("%PDF".utf8), count: 1,
            files: [("page.pdf", Data(text.utf8))])
    }
}

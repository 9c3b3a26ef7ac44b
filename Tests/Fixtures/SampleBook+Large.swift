public import Foundation

extension SampleBook {
    /// A large book to measure with: 60 deflated chapters of about 22.8 kB each in the archive, and 200 stored images
    /// of 500 kB.
    ///
    /// 264 entries, about 101.4 MB. The images are deterministic noise with a JPEG's extension: nobody decodes them.
    ///
    /// - Parameter textFirst: Container, package, contents and chapters stand in this order in front of the images; or
    ///   behind them, and then the chapters come first, as a writer puts it that knows the package only when all else
    ///   is done.
    public static func large(textFirst: Bool, to url: URL, images: Int = 200) throws {
        try ZIPBuilder.file(at: url) { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            if textFirst {
                try writePackage(zip, images: images)
                try writeChapters(zip)
            }
            var numbers = SeededNumbers(seed: 1)
            for index in 1...images { try zip.store("EPUB/images/image-\(index).jpg", numbers.bytes(500_000)) }
            if !textFirst {
                try writeChapters(zip)
                try writePackage(zip, images: images)
            }
        }
    }

    /// The same book with images between any two chapters, so that no chapter stands beside another one. The package is
    /// in front.
    public static func largeAlternating(to url: URL, images: Int = 200) throws {
        try ZIPBuilder.file(at: url) { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try writePackage(zip, images: images)
            var numbers = SeededNumbers(seed: 1)
            var image = 0
            for (index, chapter) in chapters().enumerated() {
                try zip.deflate(chapter.path, chapter.text)
                while image * chapterCount < images * (index + 1) {
                    image += 1
                    try zip.store("EPUB/images/image-\(image).jpg", numbers.bytes(500_000))
                }
            }
        }
    }

    private static let chapterCount = 60

    private static func writePackage(_ zip: ZIPBuilder, images: Int) throws {
        try zip.deflate("META-INF/container.xml", Markup.container)
        try zip.deflate("EPUB/package.opf", package(images: images))
        try zip.deflate("EPUB/nav.xhtml", navigation)
    }

    private static func writeChapters(_ zip: ZIPBuilder) throws {
        for chapter in chapters() { try zip.deflate(chapter.path, chapter.text) }
    }

    private static func chapters() -> [(path: String, text: String)] {
        var numbers = SeededNumbers(seed: 2)
        return (1...chapterCount).map { index in
            let chapter = Story.Chapter(
                title: "Chapter \(index)", paragraphs: (0..<149).map { _ in paragraph(&numbers) })
            return ("EPUB/chapter-\(index).xhtml", Markup.chapter(chapter, .epub3))
        }
    }

    private static let words = """
        lamp desk page shelf river porter keeper winter brass window ladder courtyard chapter paper evening light margin binding
        letter silence reader corner shadow drawer question answer morning carried opened waited copied found stood read turned left
        the a of and to in that with for on at from by as it was had which where when until because only never always narrow heavy
        old small bright cold quiet
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Words by chance, with a made-up one now and then, so that it packs about as well as a novel does.
    private static func paragraph(_ numbers: inout SeededNumbers) -> String {
        var text = ""
        for _ in 0..<70 {
            let number = numbers.next()
            let word = number % 5 == 0 ? String(number >> 40, radix: 36) : words[Int(number >> 8) % words.count]
            text += text.isEmpty ? word : " " + word
        }
        return text + "."
    }

    private static func package(images: Int) -> String {
        let chapters = (1...chapterCount).map {
            "    <item id=\"chapter-\($0)\" href=\"chapter-\($0).xhtml\" media-type=\"application/xhtml+xml\"/>"
        }
        let pictures = (1...images).map {
            "    <item id=\"image-\($0)\" href=\"images/image-\($0).jpg\" media-type=\"image/jpeg\"/>"
        }
        let spine = (1...chapterCount).map { "    <itemref idref=\"chapter-\($0)\"/>" }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
              <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
                <dc:identifier id="id">urn:uuid:0d9a6c1e-7b6f-4d0a-8a41-6f0f2f3f9e11</dc:identifier>
                <dc:title>A Hundred Megabytes of Lamps</dc:title>
                <dc:creator>\(author)</dc:creator>
                <dc:language>en</dc:language>
                <meta property="dcterms:modified">2024-01-01T12:00:00Z</meta>
              </metadata>
              <manifest>
                <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            \((chapters + pictures).joined(separator: "\n"))
              </manifest>
              <spine>
            \(spine.joined(separator: "\n"))
              </spine>
            </package>

            """
    }

    private static let navigation = """
        <?xml version="1.0" encoding="UTF-8"?>
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
          <head><title>Contents</title></head>
          <body>
            <nav epub:type="toc" id="toc">
              <ol>
        \((1...chapterCount).map { "        <li><a href=\"chapter-\($0).xhtml\">Chapter \($0)</a></li>" }.joined(separator: "\n"))
              </ol>
            </nav>
          </body>
        </html>

        """
}

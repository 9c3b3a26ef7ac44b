public import Foundation

extension SampleBook {
    /// Where the large PDF lies in the book that has one.
    public static let largePDF = "EPUB/large.pdf"

    /// What the large PDF says over and over, 4.5 MB: something like pages of text, which pack well, and pictures,
    /// which do not.
    public static let largePDFPart: Data = {
        var numbers = SeededNumbers(seed: 21)
        var data = Data(capacity: 4_500_000)
        var line = 0
        while data.count < 4_500_000 {
            for _ in 0..<2_000 {
                data += Data(
                    "\(line) 0 obj << /Type /Page /Parent \(line % 97) 0 R /Contents \(line &* 2_654_435 % 100_003) 0 R >>\n"
                        .utf8)
                line += 1
            }
            data += numbers.bytes(200_000 + Int(numbers.next() % 100_000))
        }
        return data.prefix(4_500_000)
    }()

    /// A book with a deflated PDF of `parts` times 4.5 MB, to measure reading in the middle of a deflated entry with.
    ///
    /// - Parameter parts: 40 make 180 MB, of which about 100 MB are in the archive.
    public static func withLargePDF(_ zip: ZIPBuilder, parts: Int = 40) throws {
        try zip.store("mimetype", Data("application/epub+zip".utf8))
        try zip.deflate("META-INF/container.xml", Markup.container)
        try zip.deflate("EPUB/package.opf", pdfPackage)
        try zip.deflate("EPUB/cover.xhtml", pdfCover)
        try zip.deflate(largePDF, largePDFPart, times: parts)
    }

    private static let pdfCover = """
        <?xml version="1.0" encoding="UTF-8"?>
        <html xmlns="http://www.w3.org/1999/xhtml"><head><title>A Large PDF</title></head><body><p>See the PDF.</p></body></html>

        """

    private static let pdfPackage = """
        <?xml version="1.0" encoding="UTF-8"?>
        <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
          <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
            <dc:identifier id="id">urn:uuid:5a0f6a52-2f1e-4f57-9a5c-8b8f3fd1a180</dc:identifier>
            <dc:title>A Large PDF</dc:title>
            <dc:language>en</dc:language>
            <meta property="dcterms:modified">2024-01-01T12:00:00Z</meta>
          </metadata>
          <manifest>
            <item id="cover" href="cover.xhtml" media-type="application/xhtml+xml"/>
            <item id="pdf" href="large.pdf" media-type="application/pdf"/>
          </manifest>
          <spine>
            <itemref idref="cover"/>
          </spine>
        </package>

        """
}

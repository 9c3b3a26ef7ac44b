/// The documents of the sample book around its text.
enum Markup {
    static let container = """
        <?xml version="1.0" encoding="UTF-8"?>
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
          <rootfiles>
            <rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
          </rootfiles>
        </container>

        """

    static let package3 = """
        <?xml version="1.0" encoding="UTF-8"?>
        <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
          <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
            <dc:identifier id="id">\(SampleBook.identifier)</dc:identifier>
            <dc:title id="title">\(SampleBook.title)</dc:title>
            <dc:creator id="author">\(SampleBook.author)</dc:creator>
            <meta refines="#author" property="role" scheme="marc:relators">aut</meta>
            <dc:language>en</dc:language>
            <dc:description>Three short chapters about reading only what one needs.</dc:description>
            <meta property="dcterms:modified">2024-01-01T12:00:00Z</meta>
          </metadata>
          <manifest>
            <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
            <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
            <item id="style" href="style.css" media-type="text/css"/>
            <item id="cover" href="cover.svg" media-type="image/svg+xml" properties="cover-image"/>
        \(items)
          </manifest>
          <spine toc="ncx">
        \(itemReferences)
          </spine>
        </package>

        """

    static let package2 = """
        <?xml version="1.0" encoding="UTF-8"?>
        <package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="id">
          <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">
            <dc:identifier id="id" opf:scheme="UUID">\(SampleBook.identifier)</dc:identifier>
            <dc:title>\(SampleBook.title)</dc:title>
            <dc:creator opf:role="aut" opf:file-as="Carrel">\(SampleBook.author)</dc:creator>
            <dc:language>en</dc:language>
            <dc:date opf:event="publication">2024-01-01</dc:date>
            <meta name="cover" content="cover"/>
          </metadata>
          <manifest>
            <item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
            <item id="style" href="style.css" media-type="text/css"/>
            <item id="cover" href="cover.png" media-type="image/png"/>
        \(items)
          </manifest>
          <spine toc="ncx">
        \(itemReferences)
          </spine>
          <guide>
            <reference type="text" title="Beginning" href="chapter-1.xhtml"/>
          </guide>
        </package>

        """

    private static let items = lines { index, _ in
        "    <item id=\"chapter-\(index)\" href=\"chapter-\(index).xhtml\" media-type=\"application/xhtml+xml\"/>"
    }

    private static let itemReferences = lines { index, _ in "    <itemref idref=\"chapter-\(index)\"/>" }

    static let navigation = """
        <?xml version="1.0" encoding="UTF-8"?>
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en" xml:lang="en">
          <head>
            <title>Contents</title>
            <link rel="stylesheet" type="text/css" href="style.css"/>
          </head>
          <body>
            <nav epub:type="toc" id="toc">
              <h1>Contents</h1>
              <ol>
        \(lines { "        <li><a href=\"chapter-\($0).xhtml\">\($1.title)</a></li>" })
              </ol>
            </nav>
            <nav epub:type="landmarks" hidden="">
              <ol>
                <li><a epub:type="bodymatter" href="chapter-1.xhtml">Beginning</a></li>
              </ol>
            </nav>
          </body>
        </html>

        """

    static let ncx = """
        <?xml version="1.0" encoding="UTF-8"?>
        <ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1" xml:lang="en">
          <head>
            <meta name="dtb:uid" content="\(SampleBook.identifier)"/>
            <meta name="dtb:depth" content="1"/>
          </head>
          <docTitle><text>\(SampleBook.title)</text></docTitle>
          <navMap>
        \(lines {
            "    <navPoint id=\"point-\($0)\" playOrder=\"\($0)\">"
                + "<navLabel><text>\($1.title)</text></navLabel><content src=\"chapter-\($0).xhtml\"/></navPoint>"
        })
          </navMap>
        </ncx>

        """

    static let style = """
        body { margin: 8% 10%; font-family: Georgia, serif; line-height: 1.5; color: #2b2118; background: #fdf9f0; }
        h1 { margin: 3em 0 2em; font-size: 1.4em; font-weight: normal; font-variant: small-caps; text-align: center; }
        p { margin: 0; text-indent: 1.4em; text-align: justify; hyphens: auto; }
        h1 + p { text-indent: 0; }
        h1 + p::first-letter { font-size: 2.6em; line-height: 1; color: #9a5b12; }

        """

    static func chapter(_ chapter: Story.Chapter, _ edition: SampleBook.Edition) -> String {
        let doctype =
            edition == .epub3
            ? "<!DOCTYPE html>"
            : "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.1//EN\" \"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd\">"
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            \(doctype)
            <html xmlns="http://www.w3.org/1999/xhtml" xml:lang="en">
              <head>
                <title>\(chapter.title)</title>
                <link rel="stylesheet" type="text/css" href="style.css"/>
              </head>
              <body>
                <h1>\(chapter.title)</h1>
            \(chapter.paragraphs.map { "    <p>\($0)</p>" }.joined(separator: "\n"))
              </body>
            </html>

            """
    }

    /// One line for each chapter, counted from 1.
    private static func lines(_ line: (Int, Story.Chapter) -> String) -> String {
        Story.chapters.enumerated().map { line($0 + 1, $1) }.joined(separator: "\n")
    }
}

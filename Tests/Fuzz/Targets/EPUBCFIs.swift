import Foundation

@testable import Publication

/// An EPUB CFI: written and read again, and resolved in a small book.
func fuzzCFI(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let text = String(decoding: FuzzInput(data, size: size).bytes, as: UTF8.self)
    guard let cfi = EPUBCFI(text) else { return 0 }
    let written = cfi.description
    // Escapes may make one that is long too long.
    if written.utf8.count <= 8 << 10 { precondition(EPUBCFI(written) == cfi, "“\(written)” is not read back.") }
    for paths in [cfi.startPaths, cfi.endPaths] {
        precondition(paths.reduce(0) { $0 + $1.steps.count } <= 512, "There are too many steps.")
        if let index = CFIBook.spine.resource(of: paths, in: CFIBook.manifest) {
            precondition(CFIBook.manifest.readingOrder.indices.contains(index), "A chapter is not in the book.")
        }
        for path in paths {
            guard let offset = ContentCFI(CFIBook.chapter).offset(of: path) else { continue }
            precondition(
                CFIBook.chapter.characterStart(offset) == offset, "A place is outside of the text, or in a character.")
        }
    }
    return 0
}

/// A book with two chapters; one is there.
private enum CFIBook {
    static let manifest: Manifest = {
        var manifest = Manifest(metadata: Metadata(title: LocalizedString("A Book")))
        manifest.readingOrder = [link, Link(href: "2.xhtml", type: "application/xhtml+xml")]
        return manifest
    }()

    static let spine = EPUBSpine(
        step: 6,
        items: [
            (href: "1.xhtml", step: EPUBCFI.Step(2)), (href: "side.xhtml", step: EPUBCFI.Step(4, id: "side")),
            (href: "2.xhtml", step: EPUBCFI.Step(6, id: "two")),
        ])

    static let chapter: ContentDocument = {
        do {
            return try ContentDocument.parse(Data(text.utf8), link: link)
        } catch {
            fatalError("The chapter is not read: \(error)")
        }
    }()

    private static let link = Link(href: "1.xhtml", type: "application/xhtml+xml")
    private static let text = """
        <html xmlns="http://www.w3.org/1999/xhtml"><head><title>One</title></head><body id="b">
        <h1 id="h">One  two</h1><p>A <em>small</em> 🐟 <ruby>魚<rt>さかな</rt></ruby><br/>and
        <!-- a comment -->more.</p><ul><li>é</li><li id="last">e\u{301}<img src="a.png" alt="fish"/></li></ul></body></html>
        """
}

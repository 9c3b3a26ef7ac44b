public import Foundation

/// Books for tests and demonstrations, all in our own words.
public enum SampleBook {
    /// The edition of EPUB that a book is made as.
    public enum Edition: Sendable, CaseIterable {
        /// EPUB 3, with a navigation document, an NCX for older readers and a drawn cover (SVG).
        case epub3
        /// EPUB 2, with an NCX and a painted cover (PNG).
        case epub2
    }

    /// As the package and the title page have it.
    public static let title = "The Lamp at the Carrel"
    /// As the package has it.
    public static let author = "Carrel"
    /// The package's unique identifier, the same in both editions.
    public static let identifier = "urn:uuid:6f1d2a54-3f0e-4a53-9a3c-2f6f8a1c5b70"

    /// “The Lamp at the Carrel”, three short chapters, as an EPUB in memory: 5 kB, or 27 kB with the painted cover of
    /// EPUB 2.
    public static func small(_ edition: Edition = .epub3) throws -> Data {
        try ZIPBuilder.data { try write($0, edition) }
    }

    /// The same book in a file.
    public static func small(_ edition: Edition = .epub3, to url: URL) throws {
        try ZIPBuilder.file(at: url) { try write($0, edition) }
    }

    private static func write(_ zip: ZIPBuilder, _ edition: Edition) throws {
        try zip.store("mimetype", Data("application/epub+zip".utf8))
        try zip.deflate("META-INF/container.xml", Markup.container)
        try zip.deflate("EPUB/package.opf", edition == .epub3 ? Markup.package3 : Markup.package2)
        if edition == .epub3 { try zip.deflate("EPUB/nav.xhtml", Markup.navigation) }
        try zip.deflate("EPUB/toc.ncx", Markup.ncx)
        try zip.deflate("EPUB/style.css", Markup.style)
        switch edition {
        case .epub3: try zip.deflate("EPUB/cover.svg", Cover.svg)
        case .epub2: try zip.store("EPUB/cover.png", Cover.png(width: 240, height: 360))
        }
        for (index, chapter) in Story.chapters.enumerated() {
            try zip.deflate("EPUB/chapter-\(index + 1).xhtml", Markup.chapter(chapter, edition))
        }
    }
}

import FileProviderCore
import Foundation
import LocalFileProvider
import Publication
import SampleBooks

/// Makes a book of many chapters, and searches the whole of it.
///
///     search-benchmark make FILE MB [FOLDER]    with chapters of MB megabytes, the same ones as files in FOLDER
///     search-benchmark make-long FILE MB        the same with the paragraphs of each chapter ten times
///     search-benchmark find FILE                opens the book, searches it, and prints hits and bytes of chapters
///
/// Chapters are those of the EPUBs in `$CARREL_CORPUS/epub`, over and over; without the variable those of the sample
/// book. Every tenth has one more paragraph, which the search finds by folding letters.
@main
struct SearchBenchmark {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("make", 3), ("make", 4):
            guard let size = Int(arguments[2]) else { fatalError("\(arguments[2]) is no number") }
            try await make(arguments[1], size: size << 20, folder: arguments.dropFirst(3).first)
        case ("make-long", 3):
            guard let size = Int(arguments[2]) else { fatalError("\(arguments[2]) is no number") }
            try await make(arguments[1], size: size << 20, repeated: 10)
        case ("find", 2): try await find(in: arguments[1])
        default: fatalError("usage: search-benchmark make FILE MB [FOLDER] | make-long FILE MB | find FILE")
        }
    }

    // MARK: The book

    private static let marked = "<p>Nobody carries the blue lantern.</p>"
    private static let query = "BLUE LÄNTERN"

    /// A chapter, and the same one with one more paragraph.
    private struct Chapter {
        var plain: Data
        var marked: Data
    }

    private static func make(_ path: String, size: Int, folder: String? = nil, repeated: Int = 1) async throws {
        let chapters = try await chapters(repeated: repeated)
        var count = 0
        try ZIPBuilder.file(at: URL(filePath: path)) { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("META-INF/container.xml", container)
            var written = 0
            while written < size {
                let chapter = chapters[count % chapters.count]
                let text = count.isMultiple(of: 10) ? chapter.marked : chapter.plain
                try zip.add(name(count), text)
                if let folder { try text.write(to: URL(filePath: folder).appending(path: name(count))) }
                written += text.count
                count += 1
            }
            try zip.deflate("nav.xhtml", navigation)
            try zip.deflate("book.opf", package(count))
        }
        print("\(count) chapters, \((count + 9) / 10) of them with the words")
    }

    private static func name(_ index: Int) -> String { String(format: "c%06d.xhtml", index) }

    private static func chapters(repeated: Int) async throws -> [Chapter] {
        if let corpus = ProcessInfo.processInfo.environment["CARREL_CORPUS"] {
            return try await chapters(of: URL(filePath: corpus).appending(path: "epub"), repeated: repeated)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "search-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try SampleBook.small().write(to: folder.appending(path: "lamp.epub"))
        return try await chapters(of: folder, repeated: 20 * repeated)
    }

    /// The chapters of all books in `folder`, the paragraphs of each `count` times.
    private static func chapters(of folder: URL, repeated count: Int) async throws -> [Chapter] {
        let provider = try LocalFileProvider(root: folder)
        var chapters: [Chapter] = []
        for path in try await provider.contentsOfDirectory(path: .root).map(\.path).sorted() {
            let book = try await Publication.open(path: path, of: provider)
            for link in book.readingOrder where link.mediaType.isHTML {
                let text = try await book.get(link).readAsString()
                if let chapter = chapter(of: text, repeated: count) { chapters.append(chapter) }
            }
            await book.close()
        }
        guard !chapters.isEmpty else { fatalError("there is no chapter in \(folder.path)") }
        return chapters
    }

    /// - Returns: Nil for a document that does not say where its body ends.
    private static func chapter(of text: String, repeated count: Int) -> Chapter? {
        var text = text
        if let first = text.range(of: "<p"), let last = text.range(of: "</p>", options: .backwards),
            first.lowerBound < last.upperBound
        {
            let paragraphs = String(text[first.lowerBound..<last.upperBound])
            text.insert(contentsOf: String(repeating: paragraphs, count: count - 1), at: first.lowerBound)
        }
        guard let end = text.range(of: "</body>", options: .backwards) else { return nil }
        let plain = Data(text.utf8)
        text.insert(contentsOf: marked, at: end.lowerBound)
        return Chapter(plain: plain, marked: Data(text.utf8))
    }

    private static let container = """
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """
    private static let navigation = """
        <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>C</title></head>
        <body><nav epub:type="toc"><ol><li><a href="c000000.xhtml">Start</a></li></ol></nav></body></html>
        """

    private static func package(_ count: Int) -> String {
        let items = (0..<count).map {
            "<item id=\"c\($0)\" href=\"\(name($0))\" media-type=\"application/xhtml+xml\"/>"
        }
        return """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Long Book</dc:title>
            <dc:language>en</dc:language><dc:identifier id="id">long</dc:identifier></metadata>
            <manifest>\(items.joined(separator: "\n"))
            <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>
            <spine>\((0..<count).map { "<itemref idref=\"c\($0)\"/>" }.joined(separator: "\n"))</spine></package>
            """
    }

    // MARK: The search

    private static func find(in path: String) async throws {
        let url = URL(filePath: path)
        let provider = try LocalFileProvider(root: url.deletingLastPathComponent())
        let book = try await Publication.open(path: ProviderPath(url.lastPathComponent), of: provider)
        var hits = 0
        var bytes: Int64 = 0
        var last: Locator?
        for try await page in try book.search(query) {
            hits += page.locators.count
            bytes = page.progress.bytesRead
            last = page.locators.last ?? last
        }
        guard hits > 0, last?.text.highlight == "blue lantern" else { fatalError("what is there was not found") }
        await book.close()
        print("\(hits) hits in \(bytes) bytes of \(book.readingOrder.count) chapters")
    }
}

import Carrel
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

/// The names of Readium's first media type proposal, “File and Format API”: those that are kept compile here as they
/// are called there.
///
/// Abbreviations are in capitals, as Swift writes them (`isHtml`, `contentAsJson`, `sourceUrl`). The initialiser takes
/// its string without a label, `contentAsZip` is `contentAsArchive`, and the three kinds of contexts are initialisers
/// of one. Media types of packages have the final proposal's names (`readiumAudiobook` for `Audiobook`).
@Suite struct KeptNamesOfFileFormatsTests {
    @Test func `a media type's parts and comparisons`() throws {
        let type = try #require(MediaType("application/atom+xml;profile=opds-catalog"))
        let parameters: [String: String] = type.parameters
        #expect(type.string == "application/atom+xml;profile=opds-catalog" && parameters == ["profile": "opds-catalog"])
        #expect(type.type == "application" && type.subtype == "atom+xml" && type == .opds1)
        #expect(type.contains(MediaType.opds1Entry) && type.contains("application/atom+xml;profile=opds-catalog"))
        #expect(MediaType("image/*")?.contains("image/png") == true)
    }

    @Test func `a media type's helpers`() {
        let manifest = MediaType.readiumWebPubManifest
        #expect(manifest.isManifest && !manifest.isOPDS && !manifest.isHTML && !manifest.isBitmap)
        #expect(MediaType.opds2.isOPDS && MediaType.xhtml.isHTML && MediaType.webp.isBitmap && !MediaType.svg.isBitmap)
    }

    @Test func `constants of formats`() {
        let formats: [(Format, String, String, String)] = [
            (.audiobook, "Audiobook", "audiobook", "application/audiobook+zip"),
            (.audiobookManifest, "Audiobook", "json", "application/audiobook+json"),
            (.cbz, "Comic Book Archive", "cbz", "application/vnd.comicbook+zip"),
            (.divina, "Digital Visual Narratives", "divina", "application/divina+zip"),
            (.divinaManifest, "Digital Visual Narratives", "json", "application/divina+json"),
            (.epub, "EPUB", "epub", "application/epub+zip"),
            (.html, "HTML", "html", "text/html"),
            (.opds1Feed, "OPDS", "atom", "application/atom+xml;profile=opds-catalog"),
            (.opds1Entry, "OPDS", "atom", "application/atom+xml;profile=opds-catalog;type=entry"),
            (.opds2Feed, "OPDS", "json", "application/opds+json"),
            (.opds2Publication, "OPDS", "json", "application/opds-publication+json"),
            (.lcpProtectedAudiobook, "LCP Protected Audiobook", "lcpa", "application/audiobook+lcp"),
            (.lcpProtectedPDF, "LCP Protected PDF", "lcpdf", "application/pdf+lcp"),
            (.lcpLicense, "LCP License", "lcpl", "application/vnd.readium.lcp.license.v1.0+json"),
            (.pdf, "PDF", "pdf", "application/pdf"),
            (.webPub, "Web Publication", "webpub", "application/webpub+zip"),
            (.webPubManifest, "Web Publication", "json", "application/webpub+json"),
            (.zab, "Zipped Audio Book", "zab", "application/x.readium.zab+zip"),
        ]
        for (format, name, fileExtension, mediaType) in formats {
            #expect(format.name == name && format.fileExtension == fileExtension)
            #expect(format.mediaType.string == mediaType)
        }
        #expect(
            Format.webPubManifest.isManifest && Format.opds2Feed.isOPDS && Format.html.isHTML && !Format.pdf.isBitmap)
    }

    @Test func `guessing by a sniffer of one's own`() async throws {
        let own = Format(mediaType: MediaType("text/x-note"), name: "Note", fileExtension: "note")
        let sniffer: Format.Sniffer = { (context: Format.SnifferContext, inspectingContent: Bool) in
            if context.hasMediaType("text/x-note") || context.hasMediaType(MediaType("text/x-note")) { return own }
            if context.hasFileExtension("note") { return own }
            guard inspectingContent, context.mediaTypes.isEmpty, context.fileExtensions == ["txt"] else { return nil }
            return try await context.contentAsString == "A note." ? own : nil
        }
        let sniffers = Format.defaultSniffers + [sniffer]
        #expect(try await Format.guess(fileExtensions: ["note"], mediaTypes: [], sniffers: sniffers) == own)
        let guessed = try await Format.guess(
            bytes: { Data("A note.".utf8) }, fileExtensions: ["txt"], mediaTypes: [], sniffers: sniffers)
        #expect(guessed == own && guessed == Format(mediaType: own.mediaType, name: "", fileExtension: ""))
        let list: SnifferList = Format.defaultSniffers
        #expect(!list.all.isEmpty)
    }

    @Test func `what a sniffer may look at`() async throws {
        let hints = Format.SnifferContext(mediaTypes: ["text/html"], fileExtensions: ["html"])
        #expect(hints.stream() == nil)
        let text = Format.SnifferContext(bytes: Data("{\"a\": 1}".utf8))
        #expect(try await text.contentAsString == "{\"a\": 1}")
        #expect(try await text.contentAsJSON != nil)
        #expect(try await text.contentAsXML == nil)
        #expect(try await text.contentAsArchive == nil)
        await text.close()
        let book = try SampleBook.small()
        let file = Format.SnifferContext(reader: DataReader(book))
        #expect(try await file.contentAsArchive?.entries.isEmpty == false)
        var bytes = 0
        if let stream = file.stream() { for try await piece in stream { bytes += piece.count } }
        #expect(bytes == book.count)
        await file.close()
    }

    @Test func `a file, its format, and moving it`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lamp").path
        try SampleBook.small().write(to: URL(fileURLWithPath: path))
        #expect(try await Format.guess(path: path, fileExtensions: [], mediaTypes: []) == .epub)
        let source = URL(string: "https://example.org/lamp")
        let file = try Format.File(
            path: path, sourceURL: source, mediaTypes: [], formatSniffers: Format.defaultSniffers.all)
        #expect(file.path.string == path && file.sourceURL == source)
        #expect(try await file.format == .epub)
        let moved = try await file.move(to: ProviderPath(path + ".epub"))
        #expect(try await moved.format == .epub && FileManager.default.fileExists(atPath: path + ".epub"))
    }

    @Test func `an answer over HTTP`() async throws {
        struct Answer: HTTPResponseHead {
            let url: URL?
            func value(forHTTPHeaderField field: String) -> String? { nil }
        }
        let answer = Answer(url: URL(string: "https://example.org/a.epub"))
        let format = try await answer.guessFormat(
            fileExtensions: ["pdf"], mediaTypes: [], sniffers: Format.defaultSniffers.all, body: { Data() })
        #expect(format == .epub)
    }
}

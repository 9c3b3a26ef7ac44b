import Carrel
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

/// The names of Readium's media type proposal: those that are kept compile here as they are called there, constants
/// with a small letter first. All of them are; how `MediaType.of` takes a file of any provider comes in addition.
@Suite struct KeptNamesOfMediaTypesTests {
    @Test func `every constant`() {
        let constants: [MediaType] = [
            .aac, .acsm, .aiff, .avi, .avif, .binary, .bmp, .cbz, .css, .divina, .divinaManifest, .epub, .gif, .gz,
            .javascript, .jpeg, .jxl, .html, .json, .lcpProtectedAudiobook, .lcpProtectedPDF, .lcpLicenseDocument,
            .lcpStatusDocument, .lpf, .mp3, .mpeg, .ncx, .ogg, .ogv, .opus, .opds1, .opds1Entry, .opds2,
            .opds2Publication, .opdsAuthentication, .otf, .pdf, .png, .readiumAudiobook, .readiumAudiobookManifest,
            .readiumWebPub, .readiumWebPubManifest, .smil, .svg, .text, .tiff, .ttf, .w3cWPUBManifest, .wav,
            .webmAudio, .webmVideo, .webp, .woff, .woff2, .xhtml, .xml, .zab, .zip,
        ]
        #expect(Set(constants).count == 58)
    }

    @Test func `a media type's parts, name and comparisons`() throws {
        let type = MediaType("application/vnd.adobe.adept+xml", name: "Adobe", fileExtension: "acsm")
        #expect(type.name == "Adobe" && type.fileExtension == "acsm" && type.string == MediaType.acsm.string)
        #expect(type.type == "application" && type.subtype == "vnd.adobe.adept+xml" && type.parameters.isEmpty)
        #expect(type.structuredSyntaxSuffix == "+xml" && type.encoding == nil)
        #expect(MediaType("text/plain;charset=utf-8")?.encoding == .utf8)
        #expect(MediaType("application/x-cbz")?.canonicalized == .cbz)
        #expect(MediaType.html.contains("text/html;charset=utf-8") && MediaType.html.contains(MediaType.html))
        #expect(MediaType.html.matches("text/html;charset=utf-8") && MediaType.html.matches(MediaType.html))
        #expect(MediaType.html.matchesAny(.epub, .html) && MediaType.html.matchesAny("text/css", "text/html"))
    }

    @Test func `a media type's helpers`() {
        #expect(MediaType.epub.isZIP && MediaType.opds2.isJSON && MediaType.opds1.isOPDS && MediaType.html.isHTML)
        #expect(MediaType.png.isBitmap && MediaType.mp3.isAudio && MediaType.mpeg.isVideo)
        #expect(MediaType.readiumWebPubManifest.isRWPM && MediaType.epub.isPublication)
    }

    @Test func `sniffing bytes, files and answers`() async throws {
        let book = try SampleBook.small()
        #expect(try await MediaType.of(bytes: { book }, fileExtensions: ["bin"], mediaTypes: [nil]) == .epub)
        let folder = try TemporaryFolder()
        let path = folder.url.appending(path: "lamp").path
        try book.write(to: URL(fileURLWithPath: path))
        #expect(try await MediaType.of(path: path, mediaTypes: [nil]) == .epub)
        struct Answer: HTTPResponseContent {
            let url: URL? = nil
            let body: Data
            func value(forHTTPHeaderField field: String) -> String? { nil }
        }
        #expect(try await Answer(body: book).sniffMediaType(mediaTypes: ["application/zip"]) == .epub)
    }

    @Test func `sniffers of one's own, shared or not`() async throws {
        let sniffer: MediaType.Sniffer = { (context: MediaType.SnifferContext) in
            if context.hasMediaType("text/x-note") || context.hasFileExtension("note") { return .text }
            return try await context.contentAsXML?.documentElement?.localName == "note" ? .text : nil
        }
        let found = try await MediaType.of(fileExtensions: ["note"], sniffers: MediaType.sniffers + [sniffer])
        #expect(found == .text)
        let content = try await MediaType.of(
            bytes: { Data("<note/>".utf8) }, fileExtensions: [], mediaTypes: [],
            sniffers: [sniffer])
        #expect(content == .text)
        // The shared list is every test's: another one is added to.
        let list: SnifferList = SnifferList(MediaType.sniffers.all)
        list.add(sniffer)
        #expect(list.all.count == MediaType.sniffers.all.count + 1)
    }

    @Test func `what a sniffer may look at`() async throws {
        let bytes = try SampleBook.small()
        let book = SnifferContext(mediaTypes: ["a/b"], fileExtensions: ["c"], bytes: bytes)
        #expect(book.mediaTypes == ["a/b"] && book.fileExtensions == ["c"] && book.encoding == nil)
        #expect(book.hasMediaType("x/y", "a/b") && book.hasFileExtension("x", "C"))
        #expect(try await book.containsArchiveEntry(at: "META-INF/container.xml"))
        #expect(try await book.readArchiveEntry(at: "mimetype") == Data("application/epub+zip".utf8))
        #expect(try await !book.archiveEntriesAllSatisfy { $0.path.hasSuffix(".xhtml") })
        #expect(try await book.read(0..<2) == Data("PK".utf8))
        #expect(try await book.read() == bytes)
        #expect(book.stream() != nil)
        #expect(try await book.contentAsString == nil)
        #expect(try await book.contentAsRWPM == nil)
        await book.close()
        let manifest = SnifferContext(
            bytes: Data(#"{"metadata": {"title": "T"}, "links": [], "readingOrder": [{"href": "a.html"}]}"#.utf8))
        #expect(try await manifest.containsJSONKeys("metadata", "links"))
        #expect(try await manifest.contentAsJSON != nil)
        #expect(try await manifest.contentAsRWPM?.metadata.title.string == "T")
        await manifest.close()
    }
}

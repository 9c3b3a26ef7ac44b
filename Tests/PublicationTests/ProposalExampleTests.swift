import FileProviderCore
import Foundation
import MemoryFileProvider
import Publication
import SampleBooks
import Testing

// The examples of Readium's proposals for media types and composite fetchers, as they are written there, as far as
// Swift allows: what reads has to be waited for, and a provider says where files are. Those with paths of this machine
// are in the integration tests.

// MARK: What the examples take for granted

/// The client that they call `httpClient`, and its answers.
private struct ExampleResponse: HTTPResponseContent {
    var url: URL?
    var headers: [String: String]
    var content: Data

    var body: Data { content }

    func value(forHTTPHeaderField field: String) -> String? { headers[field] }
}

private let token = Data("<fulfillmentToken xmlns=\"http://ns.adobe.com/adept\"/>".utf8)

extension String {
    fileprivate var pathExtension: String { (self as NSString).pathExtension }
}

// MARK: A format of an app's own

// 1. Create the `MediaType` instance.
private let acsmMediaType = MediaType(
    "application/vnd.adobe.adept+xml",
    name: "Adobe Content Server Manager",
    fileExtension: "acsm"
)

extension MediaType {
    fileprivate static var ACSM: MediaType { acsmMediaType }
}

// 2. Create the sniffer function.
private func sniffACSM(context: MediaType.SnifferContext) async throws -> MediaType? {
    if context.hasMediaType("application/vnd.adobe.adept+xml") || context.hasFileExtension("acsm") {
        return MediaType.ACSM
    }
    if try await context.contentAsXML?.documentElement?.localName == "fulfillmentToken" {
        return MediaType.ACSM
    }
    return nil
}

private let AcsmFormat = Format(
    mediaType: MediaType("application/vnd.adobe.adept+xml"),
    name: "ACSM",
    fileExtension: "acsm"
)

private func sniffAcsm(context: Format.SnifferContext, inspectingContent: Bool) async throws -> Format? {
    if context.hasMediaType("application/vnd.adobe.adept+xml") || context.hasFileExtension("acsm") {
        return AcsmFormat
    }
    if inspectingContent, try await context.contentAsXML?.documentNode.tag == "fulfillmentToken" {
        return AcsmFormat
    }
    return nil
}

@Suite struct FileFormatExampleTests {
    @Test func `determining the format of a remote file`() async throws {
        let feedLink = Link(href: "https://example.org/books/lamp.epub")
        let response = ExampleResponse(
            headers: ["Content-Type": "application/octet-stream"], content: try SampleBook.small())
        let format = try await Format.guess(
            bytes: { response.body },
            // We can give several media types and file extensions, as fallbacks.
            fileExtensions: [feedLink.href.pathExtension],
            mediaTypes: [response.headers["Content-Type"], feedLink.type]
        )
        #expect(format == .epub)
        let bare = try await Format.guess(
            bytes: { response.body }, fileExtensions: [nil, ""], mediaTypes: [nil, response.headers["None"]])
        #expect(bare == .epub)
    }

    @Test func `supporting a custom format`() async throws {
        #expect(AcsmFormat.mediaType == .acsm)
        let shelf = try await MemoryShelf(["download": token])
        let acsmPath = try ProviderPath("download")
        let format = try await Format.guess(
            path: acsmPath, of: shelf.provider, sniffers: Format.defaultSniffers + [sniffAcsm])
        #expect(format?.name == "ACSM")
        let file = Format.File(path: acsmPath, of: shelf.provider, formatSniffers: Format.defaultSniffers + [sniffAcsm])
        #expect(try await file.format?.name == "ACSM")
    }

    @Test func `importing a new publication in the bookshelf from a local file`() async throws {
        let shelf = try await MemoryShelf(["lamp": SampleBook.small()])
        let file = Format.File(path: try ProviderPath("lamp"), of: shelf.provider)
        let publication = try await Publication.open(file)
        #expect(publication.metadata.title.string == SampleBook.title)
        let mediaType = try await file.format?.mediaType.string
        #expect(file.path.string == "/lamp" && mediaType == "application/epub+zip")
        #expect(try await Publication.open(file).warnings.isEmpty)
    }

    /// What was downloaded is moved to the bookshelf, unless it is a remote manifest: of that the address is stored.
    @Test(arguments: [false, true])
    func `importing a publication from a URL`(isManifest: Bool) async throws {
        let url = try #require(URL(string: "https://example.org/books/lamp"))
        let manifest = #"{"metadata": {"title": "T"}, "readingOrder": [{"href": "a/1.html", "type": "text/html"}]}"#
        let path = try ProviderPath("download")
        let shelf = try await MemoryShelf(["download": isManifest ? Data(manifest.utf8) : SampleBook.small()])
        let types = isManifest ? ["application/webpub+json"] : []
        var file = Format.File(path: path, of: shelf.provider, sourceURL: url, mediaTypes: types)
        let format = try #require(try await file.format)

        // If the file is not a remote manifest, we want to move the downloaded file to the bookshelf folder.
        if !format.isManifest {
            file = try await file.move(to: ProviderPath("lamp." + format.fileExtension))
        }

        // If it's a remote manifest, the source URL determines the base URL of the links.
        var options = OpeningOptions()
        options.remote = { ProxyFetcher(string: { "from \($0.href)" }) }
        let publication = try await Publication.open(file, options: options)
        let text = try await publication.get(publication.readingOrder[0]).readAsString()
        #expect(format.isManifest == isManifest)
        if isManifest {
            #expect(file.path == path && text == "from https://example.org/books/a/1.html")
        } else {
            #expect(file.path.string == "/lamp.epub" && text.contains("<html"))
        }
    }
}

@Suite struct MediaTypeExampleTests {
    @Test func `sniffing the media type of raw bytes`() async throws {
        let feedLink = Link(href: "https://example.org/books/lamp")
        let response = ExampleResponse(headers: ["Content-Type": "application/zip"], content: try SampleBook.small())
        let mediaType = try await MediaType.of(
            bytes: { response.body },
            // You can give several file extension and media type hints, which will be sniffed in order.
            fileExtensions: [feedLink.href.pathExtension],
            mediaTypes: [response.headers["Content-Type"], feedLink.type]
        )
        #expect(mediaType == .epub)
    }

    @Test func `sniffing the media type of an HTTP response`() async throws {
        let feedLink = Link(href: "https://example.org/books/lamp", type: "application/epub+zip")
        let response = ExampleResponse(headers: [:], content: Data("not looked at".utf8))
        let mediaType = try await response.sniffMediaType(mediaTypes: [feedLink.type])
        #expect(mediaType == .epub)
        #expect(try await ExampleResponse(headers: [:], content: SampleBook.small()).sniffMediaType() == .epub)
        #expect(try await ExampleResponse(headers: [:], content: SampleBook.small()).guessFormat() == .epub)
    }

    @Test func `sniffing the media type of a file`() async throws {
        struct Book {
            var path: ProviderPath
            var mediaType: String?
        }
        let shelf = try await MemoryShelf(["lamp": SampleBook.small()])
        for known in ["application/epub+zip", nil] {
            let dbBook = Book(path: try ProviderPath("lamp"), mediaType: known)
            let mediaType = try await MediaType.of(
                path: dbBook.path, of: shelf.provider,
                mediaTypes: [dbBook.mediaType]
            )
            #expect(mediaType == .epub)
        }
    }

    @Test func `supporting a custom media type`() async throws {
        let shelf = try await MemoryShelf(["download": token])
        let acsmPath = try ProviderPath("download")

        // 3.1. Declare the sniffer globally: in a list of its own here, because the shared one is every test's.
        let sniffers = SnifferList(MediaType.sniffers.all)
        sniffers.add(sniffACSM)
        let shared = try await MediaType.of(path: acsmPath, of: shelf.provider, sniffers: sniffers.all)
        #expect(shared == MediaType.ACSM && shared?.name == "Adobe Content Server Manager")

        // 3.2. Or use the sniffer on a case-by-case basis.
        let mediaType = try await MediaType.of(
            path: acsmPath, of: shelf.provider, sniffers: MediaType.sniffers + [sniffACSM])
        #expect(mediaType == MediaType.ACSM && mediaType?.fileExtension == "acsm")
    }

    @Test func `the file extension of a canonical media type`() {
        let fileExtension = MediaType("text/plain")?.canonicalized.fileExtension
        #expect(fileExtension == "txt")
    }

    @Test func `a string is read to an optional, a literal in its place is not`() {
        let texts = ["text/html", "text", "text/html/x"]
        #expect(texts.map { MediaType($0) != nil } == [true, false, false])
        #expect(texts.map { MediaType($0, name: "x", fileExtension: nil) != nil } == [true, false, false])
        #expect(MediaType("text") == nil)
        let constant: MediaType = MediaType("text/html;charset=utf-8")
        #expect(constant.string == "text/html;charset=UTF-8" && constant.name == nil)
    }
}

/// What an index wants of a resource: its text, without markup.
private func prepareForIndexing(resource: any Resource) -> any Resource {
    resource.link.mediaType.isHTML ? BytesResource(resource.link, string: "indexed") : resource
}

@Suite struct FetcherExampleTests {
    @Test func `accessing a resource`() async throws {
        let text = #"{"metadata": {"title": "T"}, "readingOrder": [{"href": "a.html", "type": "text/html"}]}"#
        let shelf = try await MemoryShelf(["b.webpub": Shelf.zip([("manifest.json", text), ("a.html", "a")])])
        let publication = try await Publication.open(path: ProviderPath("b.webpub"), of: shelf.provider)
        let resource = publication.get("/manifest.json")

        // The proposal's two cases, success and failure, are Swift's two ways out.
        do {
            let content = try await resource.readAsString()
            let manifest = try? Manifest(jsonString: content)
            #expect(manifest?.readingOrder.map(\.href) == ["a.html"])
        } catch {
            Issue.record("An error occurred: \(error)")
        }

        // There is always a resource; what is wrong shows when it is read.
        do {
            _ = try await publication.get("/missing.json").readAsString()
            Issue.record("it was read")
        } catch {
            guard error.resourceFailure == .notFound else { throw error }
        }
    }

    @Test func `customizing the root fetcher`() async throws {
        let text = #"{"metadata": {"title": "T"}, "readingOrder": [{"href": "a.html", "type": "text/html"}]}"#
        let shelf = try await MemoryShelf(["b.webpub": Shelf.zip([("manifest.json", text), ("a.html", "a")])])
        let publication = try await Publication.open(path: ProviderPath("b.webpub"), of: shelf.provider)

        // The `manifest` and `fetcher` parameters are passed by reference, to be able to overwrite them.
        let indexingPublication = publication.copy { manifest, fetcher in
            fetcher = TransformingFetcher(fetcher, transformer: prepareForIndexing)
        }
        #expect(try await indexingPublication.get("a.html").readAsString() == "indexed")
        #expect(try await publication.get("a.html").readAsString() == "a")
        await publication.close()
    }
}

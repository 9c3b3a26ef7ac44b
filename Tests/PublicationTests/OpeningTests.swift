import FileProviderCore
import Foundation
import MemoryFileProvider
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// A format of an app's own: the first line is the title, the file the only page.
private struct NoteParser: PublicationParser {
    static let type = MediaType("text/x-note", name: "Note", fileExtension: "note")
    static let sniffer: MediaType.Sniffer = { $0.hasFileExtension("note") ? type : nil }

    func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        guard asset.mediaType == Self.type, asset.form == .file, let link = try await asset.fetcher.links().first else {
            return nil
        }
        let text = try await asset.fetcher.get(link).readAsString()
        warnings.warn("no-date", severity: .minor, message: "The note has no date; none is shown.")
        let title = LocalizedString(String(text.prefix { $0 != "\n" }))
        return PublicationBuilder(
            manifest: Manifest(metadata: Metadata(title: title), readingOrder: [link]), fetcher: asset.fetcher)
    }
}

/// A protection of an app's own, which turns letters round.
private struct CaesarProtection: ContentProtection {
    func open(_ asset: PublicationAsset, warnings: WarningLog) async throws -> ProtectedAsset? {
        guard asset.path.name.hasPrefix("secret") else { return nil }
        var open = asset
        open.fetcher = TransformingFetcher(asset.fetcher, label: "decryption") { resource in
            ProxyFetcher(resource: { BytesResource($0, string: "opened") }).get(resource.link)
        }
        return ProtectedAsset(asset: open, protection: .unlocked(.other("Caesar")))
    }
}

@Suite struct OpeningTests {
    private let provider = MemoryFileProvider()

    private func put(_ name: String, _ data: Data) async throws -> ProviderPath {
        let path = try ProviderPath(name)
        try await provider.writeContents(path: path, contents: data)
        return path
    }

    private var notes: OpeningOptions {
        var options = OpeningOptions()
        options.sniffers = MediaType.sniffers + [NoteParser.sniffer]
        options.parsers = [NoteParser()]
        return options
    }

    @Test func `a URL is opened through the provider that has its scheme`() async throws {
        _ = try await put("a b.epub", SampleBook.small())
        let given = CollectedValues<String?>()
        let registry = ProviderRegistry()
        try registry.register(
            ProviderRegistration(type: "Shelf", schemes: ["shelf"], settings: ["row"]) { [provider] url, options in
                given.append(options.settings["row"])
                return ProviderLocation(
                    provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
            })
        let url = try #require(URL(string: "shelf://here/a%20b.epub"))
        let book = try await Publication.open(
            url, connection: ConnectionOptions(settings: ["row": "2"]), registry: registry)
        #expect(book.metadata.title.string == SampleBook.title && given.values == ["2"])
        await book.close()
        let location = ProviderLocation(provider: provider, path: try ProviderPath("a b.epub"))
        #expect(try await Publication.open(location).metadata.title.string == SampleBook.title)
        let unknown = try #require(URL(string: "gopher://here/a.epub"))
        await #expect { try await Publication.open(unknown, registry: registry) } throws: {
            ($0 as? URLError)?.code == .unsupportedURL
        }
    }

    @Test func `an app's own format is opened by its own parser`() async throws {
        let path = try await put("a.note", Data("First line\nand more".utf8))
        let book = try await Publication.open(path: path, of: provider, options: notes)
        #expect(book.metadata.title.string == "First line")
        #expect(book.mediaType == NoteParser.type)
        #expect(
            book.warnings == [
                ContentWarning("no-date", severity: .minor, message: "The note has no date; none is shown.")
            ])
        #expect(try await book.get("a.note").read(6..<10) == Data("line".utf8))
        await book.close()
    }

    @Test func `the app's parsers are asked before the standard ones`() async throws {
        struct Everything: PublicationParser {
            func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
                PublicationBuilder(manifest: Manifest(metadata: Metadata(title: "Mine")), fetcher: asset.fetcher)
            }
        }
        let path = try await put("b.epub", try SampleBook.small())
        var options = OpeningOptions()
        options.parsers = [Everything()]
        #expect(try await Publication.open(path: path, of: provider, options: options).metadata.title.string == "Mine")
        options = OpeningOptions()
        options.standardParsers = []
        let error = await #expect(throws: CocoaError.self) {
            try await Publication.open(path: path, of: provider, options: options)
        }
        #expect(error?.code == .featureUnsupported)
    }

    @Test func `a protection of the app's own unlocks a book`() async throws {
        let path = try await put("secret.note", Data("x".utf8))
        var options = notes
        options.protections = [CaesarProtection()]
        let book = try await Publication.open(path: path, of: provider, options: options)
        #expect(book.protection == .unlocked(.other("Caesar")))
        #expect(book.metadata.title.string == "opened")
        #expect(book.fetcherTree.contains("decryption: FileFetcher"))
    }

    @Test func `a publication is changed before it is built, and copied afterwards`() async throws {
        let path = try await put("c.note", Data("Title".utf8))
        var options = notes
        options.transform = { manifest, fetcher in
            manifest.metadata.title = "Changed"
            fetcher = TransformingFetcher(fetcher) { BytesResource($0.link, string: "transformed") }
        }
        let book = try await Publication.open(path: path, of: provider, options: options)
        #expect(book.metadata.title.string == "Changed")
        #expect(try await book.get("c.note").readAsString() == "transformed")
        let copy = book.copy { manifest, fetcher in
            manifest.metadata.title = "Copy"
            fetcher = TransformingFetcher(fetcher) { BytesResource($0.link, string: "indexed") }
        }
        #expect(copy.metadata.title.string == "Copy" && book.metadata.title.string == "Changed")
        #expect(try await copy.get("c.note").readAsString() == "indexed")
        #expect(try await book.get("c.note").readAsString() == "transformed")
    }

    @Test func `errors of opening are of the kinds that apps answer to`() async throws {
        func failure(_ path: ProviderPath) async -> OpeningFailure? {
            do {
                _ = try await Publication.open(path: path, of: provider)
                return nil
            } catch {
                return OpeningFailure(error)
            }
        }
        #expect(await failure(try ProviderPath("nothing.epub")) == .notFound)
        #expect(await failure(try await put("broken.epub", Data("no archive".utf8))) == .parsingFailed)
        #expect(await failure(try await put("a.css", Data("a {}".utf8))) == .unsupportedFormat)
        #expect(OpeningFailure(CocoaError(.fileReadNoPermission)) == .forbidden)
        #expect(OpeningFailure(URLError(.timedOut)) == .unavailable)
        #expect(OpeningFailure(URLError(.userAuthenticationRequired)) == .incorrectCredentials)
        #expect(OpeningFailure(CancellationError()) == .cancelled)
        struct ForeignError: ContentProtectionError { let openingFailure: OpeningFailure }
        #expect(OpeningFailure(ForeignError(openingFailure: .forbidden)) == .forbidden)
        #expect(OpeningFailure(ForeignError(openingFailure: .unavailable)) == .unavailable)
    }

    @Test func `the same warning counts once, and a thousand are enough`() {
        let log = WarningLog()
        for _ in 0..<3 { log.warn("same", severity: .minor, message: "Again.") }
        #expect(log.all.count == 1)
        for index in 0..<2_000 { log.warn("many", severity: .moderate, message: "Number \(index).") }
        #expect(log.all.count == WarningLog.maxCount + 1)
        #expect(log.all.last?.tag == "too-many-warnings")
        #expect(ContentWarning.Severity.minor < .major)
    }
}

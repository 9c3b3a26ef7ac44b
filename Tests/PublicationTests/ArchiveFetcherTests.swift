import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

private func fetcher(_ fill: (ZIPBuilder) throws -> Void) async throws -> (
    fetcher: ArchiveFetcher, reader: CountingReader
) {
    let reader = try CountingReader(try ZIPBuilder.data(fill))
    return (ArchiveFetcher(try await ZIPArchive.open(reader)), reader)
}

private func sample() async throws -> (fetcher: ArchiveFetcher, reader: CountingReader) {
    try await fetcher { zip in
        try zip.store("mimetype", Data("application/epub+zip".utf8))
        try zip.store("EPUB/", Data())
        try zip.deflate("EPUB/chapter one (draft).xhtml", "one")
        try zip.deflate("100%.txt", "percent")
        try zip.deflate("a%20b.txt", "literal escape")
        try zip.deflate("caf\u{E9}.css", "coffee")
        try zip.deflate("what?.txt", "question")
    }
}

/// The kind of the error that reading the resource ends in; nil for none.
func failure(_ resource: any Resource) async -> ResourceFailure? {
    await readingFails(resource)?.resourceFailure
}

@Suite struct `An archive's resources` {
    @Test func `are listed in the archive's order, with relative hrefs`() async throws {
        let links = try await sample().fetcher.links()
        #expect(
            links.map(\.href) == [
                "mimetype", "EPUB/chapter%20one%20(draft).xhtml", "100%25.txt", "a%2520b.txt", "caf%C3%A9.css",
                "what%3F.txt",
            ])
        #expect(links.map { $0.mediaType.essence }[4] == "text/css")
        #expect(links[0].properties["archive"] == ["entryLength": 20, "isEntryCompressed": false])
        #expect(links[2].properties["archive"] == ["entryLength": 9, "isEntryCompressed": true])
        #expect(links[2].size == 7)
    }

    @Test(arguments: [
        ("EPUB/chapter%20one%20(draft).xhtml", "one"),
        ("/EPUB/chapter%20one%20(draft).xhtml", "one"),
        ("/EPUB/chapter one (draft).xhtml", "one"),
        ("EPUB/chapter%20one%20%28draft%29.xhtml", "one"),
        ("EPUB/chapter%20one%20(draft).xhtml#start", "one"),
        ("EPUB/chapter%20one%20(draft).xhtml?a=b#start", "one"),
        ("100%25.txt", "percent"),
        ("100%.txt", "percent"),
        ("a%2520b.txt", "literal escape"),
        ("a%20b.txt", "literal escape"),
        ("caf%C3%A9.css", "coffee"),
        ("cafe%CC%81.css", "coffee"),
        ("what%3F.txt", "question"),
        ("what?.txt", "question"),
    ])
    func `are found by hrefs however they are written`(href: String, content: String) async throws {
        #expect(try await sample().fetcher.get(href).readAsString() == content)
    }

    @Test(arguments: [
        "missing", "", "/", "EPUB", "EPUB/", "../mimetype", "EPUB/../mimetype", "%2e%2e/mimetype",
        "epub/chapter%20one%20(draft).xhtml",
        "mimetype/", "//mimetype", "http://example.com/mimetype",
    ])
    func `that are not there are not found`(href: String) async throws {
        let resource = try await sample().fetcher.get(href)
        #expect(await failure(resource) == .notFound)
        #expect(resource.link.href == href)
    }

    @Test func `know their type and their place in the archive`() async throws {
        let resource = try await sample().fetcher.get(Link(href: "/caf%C3%A9.css", title: "Styles"))
        #expect(resource.link.title == "Styles")
        #expect(resource.link.mediaType.essence == "text/css")
        #expect(resource.link.properties["archive"]?["isEntryCompressed"] == true)
        #expect(try await resource.length() == 6)
        #expect(try await resource.read(1..<3) == Data("of".utf8))
    }

    @Test func `fail in the case that fits`() async throws {
        let (fetcher, _) = try await fetcher { zip in
            var options = ZIPBuilder.Options()
            options.isEncrypted = true
            try zip.add("locked", Data("x".utf8), options)
            options = ZIPBuilder.Options()
            options.claimedChecksum = 3
            try zip.add("damaged", Data("x".utf8), options)
        }
        #expect(await failure(fetcher.get("locked")) == .forbidden)
        #expect(await failure(fetcher.get("damaged")) == .other)
        var template = Link(href: "locked{?page}")
        template.templated = true
        #expect(await failure(fetcher.get(template)) == .badRequest)
        let error = await readingFails(fetcher.get(template)) as? CocoaError
        #expect(error?.code == .fileReadUnknown)
    }

    @Test func `are unavailable once the fetcher is closed`() async throws {
        let (fetcher, reader) = try await sample()
        let resource = fetcher.get("100%25.txt")
        #expect(await failure(resource) == nil)
        await fetcher.close()
        await fetcher.close()
        #expect(reader.isClosed)
        #expect(await failure(resource) == .unavailable)
        #expect(await failure(fetcher.get("mimetype")) == .unavailable)
        await #expect(throws: URLError.self) { try await resource.length() }
    }

    @Test func `can be loaded together before they are read`() async throws {
        let data = try ZIPBuilder.data { zip in
            var numbers = SeededNumbers(seed: 3)
            for index in 0..<10 { try zip.store("\(index).txt", numbers.bytes(2_000)) }
            try zip.store("filler", numbers.bytes(100_000))
        }
        let reader = try CountingReader(data)
        let fetcher = ArchiveFetcher(try await ZIPArchive.open(reader))
        try await fetcher.prefetch(hrefs: ["1.txt", "/4.txt", "missing", "9.txt", "filler"])
        let requests = reader.requests.count
        #expect(requests == 2)
        for href in ["1.txt", "4.txt", "9.txt", "filler"] { _ = try await fetcher.get(href).read() }
        #expect(reader.requests.count == requests)
    }

    @Test(arguments: SampleBook.Edition.allCases)
    func `of the sample book are all there`(edition: SampleBook.Edition) async throws {
        let reader = try CountingReader(try SampleBook.small(edition))
        let fetcher = ArchiveFetcher(try await ZIPArchive.open(reader))
        let links = try await fetcher.links()
        #expect(links.count == (edition == .epub3 ? 10 : 9))
        for link in links { #expect(try await fetcher.get(link).read().count > 0) }
        #expect(try await fetcher.get("EPUB/chapter-3.xhtml").readAsString().contains("He let that one burn."))
    }
}

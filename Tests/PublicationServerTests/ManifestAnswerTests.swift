import FileProviderCore
import Foundation
import MemoryFileProvider
import Publication
@testable import PublicationServer
import SampleBooks
import Testing
import WebServer

private func readManifest(_ answer: ServerResponse) async throws -> Manifest {
    try Manifest(data: try await answer.bytes())
}

private func sampleBook(_ edition: SampleBook.Edition = .epub3) async throws -> AnswerContext {
    let provider = MemoryFileProvider()
    _ = try await provider.writeContents(path: ProviderPath("lamp.epub"), contents: try SampleBook.small(edition))
    return ServedBook.context(try await Publication.open(path: ProviderPath("lamp.epub"), of: provider))
}

@Suite struct `The served manifest` {
    @Test func `has the book's own addresses, its own, and the services'`() async throws {
        let context = try await sampleBook()
        let answer = await context.answer("manifest.json")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/webpub+json")
        let manifest = try await readManifest(answer)
        #expect(manifest.readingOrder.map(\.href) == context.publication.readingOrder.map(\.href))
        #expect(manifest.readingOrder.map(\.type) == context.publication.readingOrder.map(\.type))
        #expect(manifest.tableOfContents.map(\.href) == context.publication.tableOfContents.map(\.href))
        let own = manifest.links.filterByRel("self")
        #expect(own.map(\.href) == ["http://127.0.0.1:8080/KEY/manifest.json"])
        #expect(own.first?.type == "application/webpub+json")
        let hrefs = manifest.links.map(\.href)
        #expect(hrefs.contains("~readium/positions") && hrefs.contains("~readium/search{?query}"))
        for link in manifest.readingOrder + manifest.resources {
            #expect(await context.answer(link.href, method: "HEAD").status == 200, "\(link.href)")
        }
    }

    @Test func `has absolute addresses if it is asked to`() async throws {
        let manifest = try await readManifest(sampleBook().answer("manifest.json?absolute"))
        let all = manifest.readingOrder + manifest.resources + manifest.links
        #expect(all.allSatisfy { $0.href.hasPrefix("http://127.0.0.1:8080/KEY/") })
        #expect(manifest.tableOfContents.allSatisfy { $0.href.hasPrefix("http://127.0.0.1:8080/KEY/EPUB/") })
        #expect(manifest.link(withRel: "search")?.href == "http://127.0.0.1:8080/KEY/~readium/search{?query}")
    }

    @Test(arguments: SampleBook.Edition.allCases)
    func `names the cover`(edition: SampleBook.Edition) async throws {
        let context = try await sampleBook(edition)
        let cover = try #require(try await readManifest(context.answer("manifest.json")).link(withRel: "cover"))
        #expect(try await context.publication.findCover()?.href == cover.href)
    }

    @Test func `leads to the web through this server`() async throws {
        let sound = "https://web.example/a.mp3"
        var link = Link(href: sound, type: "audio/mpeg")
        link.alternates = [Link(href: "https://web.example/a.ogg", type: "audio/ogg")]
        var book = Manifest.of([])
        book.readingOrder = [link]
        book.tableOfContents = [Link(href: sound + "#t=3"), Link(href: "https://web.example/about")]
        book.links = [
            Link(href: "https://web.example/manifest.json", rels: ["self"]),
            Link(href: "https://web.example/", type: "text/html", rels: ["alternate"]),
        ]
        let served = try await ServedBook(book, remote: [sound: "sound"])
        let answer = await served.answer("manifest.json")
        #expect(answer.header("Content-Type") == "application/audiobook+json")
        let manifest = try await readManifest(answer)
        let address = try #require(manifest.readingOrder.first?.href)
        #expect(address.hasPrefix("~carrel/remote/"))
        #expect(try await served.answer(address).text() == "sound")
        #expect(manifest.readingOrder.first?.alternates.first?.href.hasPrefix("~carrel/remote/") == true)
        #expect(manifest.tableOfContents.map(\.href) == [address + "#t=3", "https://web.example/about"])
        #expect(manifest.links.filterByRel("self").map(\.href) == ["http://127.0.0.1:8080/KEY/manifest.json"])
        #expect(manifest.links.filterByRel("alternate").map(\.href) == ["https://web.example/"])
    }

    @Test func `is sent once to a client that keeps it`() async throws {
        let context = try await sampleBook()
        let tag = try #require(await context.answer("manifest.json").header("ETag"))
        #expect(await context.answer("manifest.json", [("If-None-Match", tag)]).status == 304)
        #expect(await context.answer("manifest.json?absolute", [("If-None-Match", tag)]).status == 200)
        let head = await context.answer("manifest.json", method: "HEAD")
        #expect(head.contentLength == Int64(try await context.answer("manifest.json").bytes().count))
    }
}

@Suite struct `A served service` {
    private func json(_ answer: ServerResponse) async throws -> JSONValue {
        try JSONValue(data: try await answer.bytes(), maximumSize: 1 << 20)
    }

    @Test func `tells the positions`() async throws {
        let context = try await sampleBook()
        let answer = await context.answer("~readium/positions")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "application/vnd.readium.position-list+json")
        let positions = try await context.publication.positions()
        #expect(try await json(answer)["total"]?.integerValue == Int64(positions.count))
        #expect(answer.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
    }

    @Test func `finds text page by page`() async throws {
        let context = try await sampleBook()
        var address: String? = "~readium/search?query=the%20lamp"
        var found: [Locator] = []
        while let next = address {
            let answer = await context.answer(next)
            #expect(answer.header("Content-Type") == "application/vnd.readium.locators+json")
            let page = try await json(answer)
            found += try (page["locators"]?.arrayValue ?? []).map { try Locator(json: $0) }
            address = [Link](json: page["links"]).firstWithRel("next")?.href
        }
        let expected = try await context.publication.search("the lamp").locators()
        #expect(found.map(\.text) == expected.map(\.text) && found.map(\.href) == expected.map(\.href))
        #expect(!found.isEmpty)
    }

    @Test func `gives the content resource by resource`() async throws {
        let context = try await sampleBook()
        var address: String? = "~readium/content"
        var texts: [String] = []
        var parts = 0
        while let next = address {
            let answer = await context.answer(next)
            #expect(answer.status == 200)
            let part = try await json(answer)
            texts += (part["content"]?.arrayValue ?? []).compactMap { $0["text"]?.stringValue }
            address = [Link](json: part["links"]).firstWithRel("next")?.href
            parts += 1
        }
        var expected: [String] = []
        for try await element in context.publication.content() {
            if let text = element.text { expected.append(text.string) }
        }
        #expect(texts == expected)
        #expect(!texts.isEmpty)
        #expect(parts == context.publication.readingOrder.count)
    }

    @Test func `needs something to look for`() async throws {
        let context = try await sampleBook()
        for path in ["~readium/search", "~readium/search?query=", "~readium/search?other=x"] {
            #expect(await context.answer(path).status == 400, "\(path)")
        }
    }

    @Test func `is not asked for its length`() async throws {
        let book = try await ServedBook(.of(["c1.xhtml application/xhtml+xml"])) { zip in
            try zip.deflate("c1.xhtml", SampleText.chapter)
        }
        let head = await book.answer("~readium/search?query=lamp", method: "HEAD")
        #expect(head.status == 200 && head.contentLength == nil && !head.hasBody)
        #expect(head.header("Content-Type") == "application/vnd.readium.locators+json")
        #expect(book.fetcher.asked.isEmpty)
    }

    @Test(arguments: SampleBook.Edition.allCases)
    func `shows the cover, sandboxed if it is a document`(edition: SampleBook.Edition) async throws {
        let answer = try await sampleBook(edition).answer("~readium/cover")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == (edition == .epub3 ? "image/svg+xml" : "image/png"))
        #expect(answer.header("Content-Security-Policy")?.contains("sandbox") == true)
    }

    @Test(arguments: ["~readium/none", "~readium/position", "~readium/positions/x"])
    func `is missing where the publication has none`(path: String) async throws {
        #expect(try await sampleBook().answer(path).status == 404)
    }
}

@Suite struct `The reading page` {
    @Test func `has title, contents and cover without a script`() async throws {
        let context = try await sampleBook()
        let answer = await context.answer("")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
        let page = try await answer.text()
        #expect(page.contains("<title>\(SampleBook.title)</title>"))
        #expect(page.contains("<a href=\"/KEY/EPUB/chapter-1.xhtml"))
        #expect(page.contains("<img src=\"/KEY/EPUB/cover.svg\" alt=\"\">"))
        #expect(page.contains("data-base=\"/KEY/\""))
        #expect(!page.contains("{{") && !page.contains("}}"))
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.contains("connect-src http://127.0.0.1:8080/KEY/"))
        let tag = try #require(answer.header("ETag"))
        #expect(await context.answer("", [("If-None-Match", tag)]).status == 304)
    }

    @Test func `has all files that it names`() async throws {
        let context = try await sampleBook()
        #expect(!AssetAnswer.names.isEmpty)
        var named: Set<String> = []
        for match in try await context.answer("").text().matches(of: /~carrel\/([a-z.]+)/) {
            named.insert(String(match.output.1))
        }
        for name in AssetAnswer.names where name.hasSuffix(".js") {
            let script = try await context.answer("~carrel/\(name)").text()
            for match in script.matches(of: /from "\.\/([a-z]+\.js)"/) { named.insert(String(match.output.1)) }
        }
        #expect(named.isSuperset(of: ["page.css", "page.js", "icon.svg"]))
        for name in named {
            let answer = await context.answer("~carrel/\(name)")
            #expect(answer.status == 200, "\(name)")
            let tag = try #require(answer.header("ETag"))
            #expect(await context.answer("~carrel/\(name)", [("If-None-Match", tag)]).status == 304)
        }
        #expect(await context.answer("~carrel/page.js").header("Content-Type") == "text/javascript; charset=utf-8")
        #expect(await context.answer("~carrel/page.css").header("Content-Type") == "text/css; charset=utf-8")
    }

    @Test func `lets nothing of a book be markup or run`() async throws {
        var book = Manifest.of(["c1.xhtml application/xhtml+xml"], title: "<script>{{contents}}</script>\"'&")
        book.metadata.description = "<p onclick=\"x()\">A &lt;b&gt; desk</p><script>1</script>"
        book.metadata.languages = ["\"><script>"]
        book.tableOfContents = [
            Link(href: "javascript:alert(1)", title: "<img src=x onerror=alert(1)>"),
            Link(href: " javascript:alert(2)", title: "Two"), Link(href: "java\tscript:alert(3)", title: "Three"),
            Link(href: "//evil.example/x", title: "Four"), Link(href: "../other/", title: "Five"),
            Link(href: "c1.xhtml#\"><script>", title: "Six", children: [Link(href: "c1.xhtml", title: "Seven")]),
        ]
        let page = try await ServedBook(book).answer("").text()
        #expect(page.contains("<title>&lt;script&gt;{{contents}}&lt;/script&gt;&quot;&#39;&amp;</title>"))
        #expect(page.contains("A &lt;b&gt; desk 1"))
        #expect(page.contains("<span>&lt;img src=x onerror=alert(1)&gt;</span>"))
        for title in ["Three", "Four", "Five"] { #expect(page.contains("<span>\(title)</span>"), "\(title)") }
        #expect(page.contains("<a href=\"/KEY/ javascript:alert(2)\">Two</a>"), "a path, not a scheme")
        #expect(page.contains("<a href=\"/KEY/c1.xhtml#&quot;&gt;&lt;script&gt;\">Six</a><ol><li>"))
        let scripts = page.matches(of: /<script[^>]*>/).map { String($0.output) }
        #expect(scripts == ["<script type=\"module\" src=\"~carrel/page.js\">"])
    }

    @Test func `lists the resources where there are no contents`() async throws {
        var book = Manifest.of(["a.mp3 audio/mpeg", "b.mp3 audio/mpeg"])
        book.readingOrder[1].title = "The End"
        let page = try await ServedBook(book).answer("").text()
        #expect(
            page.contains(
                "<ol><li><a href=\"/KEY/a.mp3\">1</a></li><li><a href=\"/KEY/b.mp3\">The End</a></li></ol>"))
    }

    @Test(arguments: [
        ("", "auto"), ("en", "ltr"), ("ja", "ltr"), ("ar", "rtl"), ("he-IL", "rtl"), ("az-Arab", "rtl"),
        ("AR", "rtl"), ("ku", "ltr"), ("ur-Latn", "ltr"),
    ])
    func `writes titles in the direction of their language`(language: String, direction: String) async throws {
        var book = Manifest.of([])
        book.metadata.languages = language.isEmpty ? [] : [language]
        let page = try await ServedBook(book).answer("").text()
        #expect(page.contains("<div class=\"jacket\" dir=\"\(direction)\">"))
        #expect(
            page.contains("<nav id=\"contents\" aria-label=\"Contents\" lang=\"\(language)\" dir=\"\(direction)\">"))
    }

    @Test func `shows a deep and long table of contents in part`() async throws {
        var deep = Link(href: "c1.xhtml", title: "Deepest")
        for _ in 0..<1_000 { deep = Link(href: "c1.xhtml", title: "Deep", children: [deep]) }
        var book = Manifest.of(["c1.xhtml application/xhtml+xml"])
        book.tableOfContents = [deep] + (0..<30_000).map { Link(href: "c1.xhtml", title: "Chapter \($0)") }
        let page = try await ServedBook(book).answer("").text()
        #expect(page.contains("Chapter 10000<") && !page.contains("Chapter 29999<") && !page.contains("Deepest"))
    }
}

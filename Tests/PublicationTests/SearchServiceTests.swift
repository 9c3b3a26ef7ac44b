import FileProviderCore
import Foundation
import SampleBooks
import Synchronization
import Testing

import MediaTypes
@testable import Publication

/// Books of chapters that are searched.
private enum SearchedBook {
    static func markup(_ body: String, _ attributes: String = "") -> String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <html xmlns="http://www.w3.org/1999/xhtml" \(attributes)><head><title>T</title></head><body>\(body)</body></html>
        """
    }

    static func link(_ index: Int) -> Link { Link(href: "c\(index + 1).xhtml", type: "application/xhtml+xml") }

    static func files(_ chapters: [String], _ attributes: String = "") -> [String: String] {
        Dictionary(uniqueKeysWithValues: chapters.enumerated().map { (link($0).href, markup($1, attributes)) })
    }

    static func manifest(_ count: Int, language: String? = nil) -> Manifest {
        var metadata = Metadata(title: "A Book")
        if let language { metadata.languages = [language] }
        return Manifest(metadata: metadata, readingOrder: (0..<count).map(link))
    }

    static func make(_ chapters: [String], _ attributes: String = "", language: String? = nil) -> Publication {
        Publication(
            manifest: manifest(chapters.count, language: language),
            fetcher: DictionaryFetcher(files(chapters, attributes)))
    }

    /// The highlights of `query` in one chapter.
    static func hits(
        _ query: String, in body: String, _ attributes: String = "", language: String? = nil,
        _ change: (inout SearchOptions) -> Void = { _ in }
    ) async throws -> [String] {
        var options = SearchOptions()
        change(&options)
        let book = make([body], attributes, language: language)
        return try await book.search(query, options: options).locators().compactMap(\.text.highlight)
    }
}

/// A fetcher of which some resources answer with an error, and some when a gate opens, which it never does.
private final class FaultyFetcher: Fetcher {
    private let base: DictionaryFetcher
    private let errors: [String: any Error]
    private let gated: Set<String>
    private let entered: AsyncStream<String>.Continuation
    /// What waits at the gate.
    let waiting: AsyncStream<String>

    init(_ files: [String: String], errors: [String: any Error] = [:], gated: Set<String> = []) {
        base = DictionaryFetcher(files)
        (self.errors, self.gated) = (errors, gated)
        (waiting, entered) = AsyncStream.makeStream(of: String.self)
    }

    var requests: [String] { base.requests }

    func links() async throws -> [Link] { try await base.links() }

    func get(_ link: Link) -> any Resource {
        if let error = errors[link.href] { return FailureResource(link, error: error) }
        let resource = base.get(link)
        return gated.contains(link.href) ? GatedResource(resource, entered: entered) : resource
    }
}

private final class GatedResource: Resource {
    private let base: any Resource
    private let entered: AsyncStream<String>.Continuation

    init(_ base: any Resource, entered: AsyncStream<String>.Continuation) {
        (self.base, self.entered) = (base, entered)
    }

    var link: Link { base.link }

    func length() async throws -> Int64 { try await base.length() }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        entered.yield(link.href)
        // Ends when the task is cancelled, and only then.
        for await _ in gate {}
        open.finish()
        try Task.checkCancellation()
        try await base.stream(range, into: sink)
    }
}

@Suite struct SearchServiceTests {
    @Test func `hits come in order, with the text around them`() async throws {
        let chapters = [
            "<p>A white <b>wh</b>ale. The <i>White</i> Whale again.</p>", "<p>None here.</p>",
            "<h1>white</h1><p>whale</p>",
        ]
        let book = SearchedBook.make(chapters)
        let locators = try await book.search("white whale").locators()
        #expect(locators.map(\.href) == ["c1.xhtml", "c1.xhtml", "c3.xhtml"])
        #expect(locators.map(\.text.before) == ["A ", "A white whale. The ", nil])
        #expect(locators.map(\.text.highlight) == ["white whale", "White Whale", "white\nwhale"])
        #expect(locators.map(\.text.after) == [". The White Whale again.", " again.", nil])
        #expect(locators.map(\.locations.position) == [1, 1, 3])
        #expect(locators.allSatisfy { $0.type == "application/xhtml+xml" && $0.title == "T" })
        let progressions = locators.compactMap(\.locations.totalProgression)
        #expect(progressions.count == 3 && progressions == progressions.sorted())
        #expect(locators[1].locations.progression == 19.0 / 37)
        #expect(locators[0].locations.partialCFI == "/4/2,/1:2,/3:3")
        // Each leads back to where it was found.
        for locator in locators {
            let found = try #require(try await book.locate(locator))
            #expect(found.locations.progression == locator.locations.progression)
        }
    }

    @Test func `how much text stands around a hit is the caller's choice`() async throws {
        var options = SearchOptions()
        options.contextLength = 3
        let book = SearchedBook.make(["<p>über den Fluß gehen</p>"])
        let hit = try await book.search("FLUSS", options: options).locators().first
        #expect(hit?.text == Locator.Text(before: "en ", highlight: "Fluß", after: " ge"))
        options.contextLength = 0
        let bare = try await book.search("den", options: options).locators().first
        #expect(bare?.text == Locator.Text(highlight: "den"))
    }

    @Test func `case, accents and width count when they should`() async throws {
        let body = "<p>Élan élan Elan elan</p><p>Ａ A</p>"
        #expect(try await SearchedBook.hits("elan", in: body) == ["Élan", "élan", "Elan", "elan"])
        #expect(try await SearchedBook.hits("elan", in: body) { $0.isCaseSensitive = true } == ["élan", "elan"])
        #expect(try await SearchedBook.hits("elan", in: body) { $0.isDiacriticSensitive = true } == ["Elan", "elan"])
        #expect(try await SearchedBook.hits("ÉLAN", in: body) { $0.isDiacriticSensitive = true } == ["Élan", "élan"])
        let both = try await SearchedBook.hits("élan", in: body) {
            ($0.isCaseSensitive, $0.isDiacriticSensitive) = (true, true)
        }
        #expect(both == ["élan"])
        #expect(try await SearchedBook.hits("A", in: body) { $0.wholeWords = true } == ["Ａ", "A"])
        let narrow = try await SearchedBook.hits("A", in: body) { ($0.wholeWords, $0.isWidthSensitive) = (true, true) }
        #expect(narrow == ["A"])
    }

    @Test(arguments: [("e", "é e\u{301} e", "e"), ("resume", "résumé resume", "resume"), ("cafe", "cafe\u{301}s", nil)])
    func `a letter is not found in one with an accent where accents count`(query: String, text: String, hit: String?)
        async throws
    {
        let found = try await SearchedBook.hits(query, in: "<p>\(text)</p>") { $0.isDiacriticSensitive = true }
        #expect(found == [hit].compactMap(\.self))
    }

    @Test(arguments: [
        ("か", "がか", ["か"]), ("は", "ばぱは", ["は"]), ("가", "각간가", ["가"]), ("क", "क\u{93C}क", ["क"]), ("ｶﾞ", "ガカ", ["ガ"]),
    ])
    func `a letter is not found in another one that is written with it`(query: String, text: String, hits: [String])
        async throws
    {
        #expect(try await SearchedBook.hits(query, in: "<p>\(text)</p>") == hits)
    }

    @Test(arguments: [
        ("cat", "en", "cat concat cats cat's «cat», cat-like", 3), ("don", "en", "don't don", 1),
        ("homme", "fr", "l'homme, l’homme; surhomme", 2), ("homme", "en", "l'homme, l’homme; homme", 1),
        ("arte", "it", "dell'arte artefatto", 1), ("猫", "ja", "黒猫が猫", 2),
        ("cafe", "fr", "cafe\u{301}, cafe\u{301}s", 1),
        ("l'homme", "fr", "l’homme l’hommes", 1), ("white whale", "en", "<i>white</i> whale, white whales", 1),
    ])
    func `whole words are those of the language`(query: String, language: String, text: String, count: Int) async throws
    {
        let inDocument = try await SearchedBook.hits(query, in: "<p>\(text)</p>", "xml:lang=\"\(language)\"") {
            $0.wholeWords = true
        }
        #expect(inDocument.count == count)
        let inMetadata = try await SearchedBook.hits(query, in: "<p>\(text)</p>", language: language) {
            $0.wholeWords = true
        }
        #expect(inMetadata.count == count)
    }

    @Test(arguments: ["", "  \n ", "\u{AD}\u{200B}", "\u{301}"]) func `a query of nothing is refused`(query: String) {
        let error = #expect(throws: CocoaError.self) { try SearchedBook.make(["<p>x</p>"]).search(query) }
        #expect(error?.code == .formatting)
    }

    @Test func `white space around a query does not matter`() async throws {
        #expect(try await SearchedBook.hits("  white \n whale ", in: "<p>The white whale.</p>") == ["white whale"])
        #expect(try await SearchedBook.hits("soft\u{AD}ware", in: "<p>soft&#xAD;ware software</p>").count == 2)
    }

    // MARK: Pages

    @Test func `pages and limits are kept, and progress is reported`() async throws {
        let chapters = ["<p>a a a a a</p>", "<p>b</p>", "<p>a a a a a</p>"]
        let book = SearchedBook.make(chapters)
        var options = SearchOptions()
        (options.pageSize, options.limit) = (2, 7)
        var pages: [SearchResults.Page] = []
        for try await page in try book.search("a", options: options) { pages.append(page) }
        #expect(pages.map(\.locators.count) == [2, 2, 1, 2] && pages.map(\.resource) == [0, 0, 0, 2])
        #expect(pages.map(\.progress.searched) == [1, 1, 1, 3] && pages.allSatisfy { $0.progress.total == 3 })
        let lengths = chapters.map { Int64(SearchedBook.markup($0).utf8.count) }
        #expect(pages.map(\.progress.bytesRead) == [lengths[0], lengths[0], lengths[0], lengths.reduce(0, +)])
        #expect(pages.allSatisfy { $0.progress.unreadable.isEmpty })
        // Each iteration begins at the start.
        let results = try book.search("a", options: options)
        #expect(try await results.locators() == results.locators())
        #expect(try await results.locators() == pages.flatMap(\.locators))
    }

    @Test func `chapters without hits give pages where an app asks for them`() async throws {
        let book = SearchedBook.make(["<p>b</p>", "<p>a a a</p>", "", "<p>b</p>"])
        var options = SearchOptions()
        (options.pageSize, options.includesEmptyPages) = (2, true)
        var pages: [SearchResults.Page] = []
        for try await page in try book.search("a", options: options) { pages.append(page) }
        #expect(pages.map(\.locators.count) == [0, 2, 1, 0, 0] && pages.map(\.resource) == [0, 1, 1, 2, 3])
        #expect(pages.map(\.progress.searched) == [1, 2, 2, 3, 4])
    }

    @Test func `a search begins where it should`() async throws {
        let book = SearchedBook.make(["<p>a a a a a</p>", "<p>a a</p>", "<p>a</p>"])
        func hrefs(_ resource: Int, _ skipped: Int, limit: Int = 100) async throws -> [String] {
            var options = SearchOptions()
            (options.firstResource, options.skipped, options.limit) = (resource, skipped, limit)
            return try await book.search("a", options: options).locators().map { String($0.href.prefix(2)) }
        }
        #expect(try await hrefs(0, 3) == ["c1", "c1", "c2", "c2", "c3"])
        #expect(try await hrefs(1, 1) == ["c2", "c3"])
        #expect(try await hrefs(0, 7) == ["c2", "c2", "c3"])
        #expect(try await hrefs(0, .max, limit: .max) == ["c2", "c2", "c3"])
        #expect(try await hrefs(0, 4, limit: 2) == ["c1", "c2"])
        #expect(try await hrefs(-1, -1).count == 8)
        #expect(try await hrefs(3, 0).isEmpty)
        #expect(try await hrefs(0, 0, limit: 0).isEmpty)
    }

    /// Follows the links from page to page of `~readium/search`.
    private func follow(_ book: Publication, _ first: any Resource) async throws -> (counts: [Int], locators: [Locator])
    {
        var counts: [Int] = []
        var locators: [Locator] = []
        var resource: (any Resource)? = first
        while let current = resource {
            let json = try JSONValue(data: try await current.read(), maximumSize: 16 << 20)
            let page = try (json["locators"]?.arrayValue ?? []).map { try Locator(json: $0) }
            counts.append(page.count)
            locators += page
            let links = try (json["links"]?.arrayValue ?? []).map { try Link(json: $0) }
            #expect(links.allSatisfy { $0.rels == ["next"] } && counts.count < 100)
            resource = counts.count < 100 ? links.first.map { book.get($0) } : nil
        }
        return (counts, locators)
    }

    @Test func `the pages of the address lead to the same hits as one search`() async throws {
        func letters(_ count: Int) -> String { "<p>\(String(repeating: "a ", count: count))</p>" }
        let book = SearchedBook.make([letters(250), letters(0), letters(100), letters(30), letters(0)])
        let (counts, locators) = try await follow(book, book.get("~readium/search?query=a"))
        #expect(counts == [100, 100, 50, 100, 30, 0])
        #expect(try await locators == book.search("a").locators())
        #expect(try await follow(book, book.get("~readium/search?query=b")).counts == [0])
        let search = try #require(book.serviceLinks.first { $0.rels == ["search"] })
        #expect(search.templated && search.templateParameters == ["query"])
    }

    @Test(arguments: ["R&D+1=x", "#?%41 ü", "灯 & 火"]) func `a query keeps its characters from page to page`(
        query: String
    )
        async throws
    {
        let text = String(repeating: query.replacing("&", with: "&amp;") + "; ", count: 150)
        let book = SearchedBook.make(["<p>\(text)</p>"])
        let search = try #require(book.serviceLinks.first { $0.rels == ["search"] })
        let (counts, locators) = try await follow(book, book.get(search, parameters: ["query": query]))
        #expect(counts == [100, 50])
        #expect(locators.allSatisfy { $0.text.highlight == query } && locators.count == 150)
    }

    @Test(arguments: [
        "query=a&skip=9223372036854775807", "query=a&resource=9223372036854775807", "query=a&skip=-1&resource=-5",
        "query=a&page=0&resource=x", "query=a&query=b&skip", "query=a&page=9223372036854775807",
    ])
    func `an address with odd numbers is answered`(address: String) async throws {
        let book = SearchedBook.make(["<p>a</p>"])
        let (counts, _) = try await follow(book, book.get("~readium/search?\(address)"))
        #expect(counts.reduce(0, +) <= 1)
    }

    @Test func `an address without a query is refused`() async {
        let book = SearchedBook.make(["<p>a</p>"])
        let error = await #expect(throws: CocoaError.self) { try await book.get("~readium/search").read() }
        #expect(error?.code == .formatting)
    }

    @Test(.enabled(if: TextPDF.isReadable, "needs poppler-utils"))
    func `a PDF document is searched page by page, also by address`() async throws {
        let lines = ["The lamp burns", "Nothing", "A lamp, a lamp", "The LAMP"]
        let book = try await Publication.open(pdf: TextPDF.document(lines))
        let locators = try await book.search("lamp").locators()
        #expect(locators.map(\.locations.page) == [1, 3, 3, 4] && locators.map(\.locations.position) == [1, 3, 3, 4])
        #expect(locators.map(\.text.before) == ["The ", "A ", "A lamp, a ", "The "])
        let (counts, paged) = try await follow(book, book.get("~readium/search?query=lamp"))
        #expect(counts == [1, 2, 1] && paged == locators)
        var options = SearchOptions()
        options.skipped = 2
        #expect(try await book.search("lamp", options: options).locators() == Array(locators.dropFirst(2)))
        await book.close()
    }

    // MARK: What goes wrong

    @Test(arguments: [
        CocoaError.Code.fileReadCorruptFile, .fileReadTooLarge, .fileReadNoSuchFile, .fileReadUnknownStringEncoding,
        .featureUnsupported,
    ])
    func `a damaged chapter is passed over and named`(code: CocoaError.Code) async throws {
        let files = SearchedBook.files(["<p>a</p>", "<p>a</p>", "<p>a</p>", "<p>b</p>", "<p>a</p>"])
        let error = FileError.make(code, path: "x")
        let fetcher = FaultyFetcher(files, errors: ["c2.xhtml": error, "c5.xhtml": error])
        let book = Publication(manifest: SearchedBook.manifest(5), fetcher: fetcher)
        var pages: [SearchResults.Page] = []
        for try await page in try book.search("a") { pages.append(page) }
        #expect(pages.map { $0.locators.map(\.href) } == [["c1.xhtml"], ["c3.xhtml"], []])
        #expect(pages.map(\.progress.unreadable) == [[], ["c2.xhtml"], ["c2.xhtml", "c5.xhtml"]])
        #expect(pages.last?.progress.searched == 5)
        #expect(try await follow(book, book.get("~readium/search?query=a")).locators.count == 2)
    }

    @Test func `a chapter over the limits is passed over and named`() async throws {
        let deep = String(repeating: "<i>", count: 2_000) + "a" + String(repeating: "</i>", count: 2_000)
        let book = SearchedBook.make([deep, "<p>a</p>"])
        var pages: [SearchResults.Page] = []
        for try await page in try book.search("a") { pages.append(page) }
        #expect(pages.flatMap(\.locators).map(\.href) == ["c2.xhtml"])
        #expect(pages.last?.progress.unreadable == ["c1.xhtml"])
    }

    @Test func `an error of the storage ends the search`() async throws {
        let files = SearchedBook.files(["<p>a</p>", "<p>a</p>"])
        let fetcher = FaultyFetcher(files, errors: ["c2.xhtml": URLError(.networkConnectionLost)])
        let book = Publication(manifest: SearchedBook.manifest(2), fetcher: fetcher)
        let iterator = try book.search("a").makeAsyncIterator()
        #expect(try await iterator.next()?.locators.count == 1)
        let error = await #expect(throws: URLError.self) { try await iterator.next() }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test func `a locked publication cannot be searched`() async throws {
        let book = try await OddBook.with { $0.files["rights.xml"] = Data("<kdrm/>".utf8) }.open()
        #expect(book.protection?.isLocked == true)
        let error = await #expect(throws: CocoaError.self) { try await book.search("Ishmael").locators() }
        #expect(error?.code == .fileReadNoPermission)
        let open = try await OddBook().open()
        #expect(try await open.search("ishmael").locators().count == 2)
    }

    @Test func `a publication that is gone or closed cannot be searched`() async throws {
        let book = try await OddBook().open()
        let results = try book.search("ishmael")
        await book.close()
        await #expect(throws: URLError.self) { try await results.locators() }
        #expect(try await book.search("ishmael").locators().isEmpty)
    }

    @Test(.timeLimit(.minutes(1))) func `the first hits come before later chapters, and cancelling ends at once`()
        async throws
    {
        let files = SearchedBook.files(["<p>a</p>", "<p>a</p>", "<p>a</p>"])
        let fetcher = FaultyFetcher(files, gated: ["c2.xhtml"])
        let book = Publication(manifest: SearchedBook.manifest(3), fetcher: fetcher)
        let (found, pages) = AsyncStream.makeStream(of: [String].self)
        let task = Task {
            for try await page in try book.search("a") { pages.yield(page.locators.map(\.href)) }
        }
        for await hrefs in found {
            #expect(hrefs == ["c1.xhtml"])
            break
        }
        for await href in fetcher.waiting {
            #expect(href == "c2.xhtml")
            break
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        // The length of the third chapter may have been looked at; it was not read.
        #expect(fetcher.requests.last == "c2.xhtml")
    }

    // MARK: Cost

    @Test func `chapters are asked for together, a few at first`() async throws {
        let sizes: [Int64] = [40_000, 20_000, 30_000, 500_000, 500_000, 900_000, 2_000_000, 10, .max, 50]
        var manifest = SearchedBook.manifest(sizes.count)
        for index in sizes.indices { manifest.readingOrder[index].size = sizes[index] }
        let chapters = sizes.indices.map { _ in "<p>a</p>" }
        let fetcher = RecordingFetcher(SearchedBook.files(chapters))
        let book = Publication(manifest: manifest, fetcher: fetcher)
        let iterator = try book.search("a").makeAsyncIterator()
        #expect(fetcher.prefetches.isEmpty)
        #expect(try await iterator.next()?.resource == 0)
        #expect(fetcher.prefetches == [["c1.xhtml", "c2.xhtml"]])
        #expect(try await iterator.next()?.resource == 1)
        #expect(fetcher.prefetches.count == 1)
        while try await iterator.next() != nil {}
        #expect(
            fetcher.prefetches == [
                ["c1.xhtml", "c2.xhtml"], ["c3.xhtml", "c4.xhtml", "c5.xhtml"], ["c6.xhtml"], ["c7.xhtml"],
                ["c8.xhtml"], ["c9.xhtml"], ["c10.xhtml"],
            ])
    }

    @Test func `what is no text is not asked for`() async throws {
        var manifest = SearchedBook.manifest(3)
        manifest.readingOrder.insert(Link(href: "p.jpg", type: "image/jpeg", title: "a picture"), at: 1)
        manifest.readingOrder.append(Link(href: "s.mp3", type: "audio/mpeg"))
        for index in manifest.readingOrder.indices { manifest.readingOrder[index].size = 100 }
        let fetcher = RecordingFetcher(SearchedBook.files(["<p>a</p>", "<p>a</p>", "<p>a</p>"]))
        let book = Publication(manifest: manifest, fetcher: fetcher)
        #expect(try await book.search("a").locators().map(\.href) == ["c1.xhtml", "c2.xhtml", "c3.xhtml"])
        #expect(fetcher.prefetches == [["c1.xhtml"], ["c2.xhtml", "c3.xhtml"]])
    }

    // MARK: Scripts

    @Test func `vertical Japanese with ruby is searched without its readings`() async throws {
        let body = """
            <p>吾輩は<ruby>猫<rp>(</rp><rt>ねこ</rt><rp>)</rp></ruby>である。</p>
            <p><ruby>名<rt>な</rt>前<rt>まえ</rt></ruby>はまだ無い。ネコ</p>
            """
        let attributes = #"xml:lang="ja" style="writing-mode: vertical-rl""#
        var manifest = SearchedBook.manifest(1, language: "ja")
        manifest.metadata.readingProgression = .rtl
        let book = Publication(
            manifest: manifest, fetcher: DictionaryFetcher(SearchedBook.files([body], attributes)))
        let hit = try await book.search("は猫であ").locators().first
        #expect(hit?.text == Locator.Text(before: "吾輩", highlight: "は猫であ", after: "る。\n名前はまだ無い。ネコ"))
        #expect(try await book.search("ねこ").locators().isEmpty)
        #expect(try await book.search("(").locators().isEmpty)
        #expect(try await book.search("名前は").locators().map(\.text.highlight) == ["名前は"])
        #expect(try await book.search("ﾈｺ").locators().map(\.text.highlight) == ["ネコ"])
        var words = SearchOptions()
        words.wholeWords = true
        #expect(try await book.search("猫", options: words).locators().count == 1)
        let found = try #require(hit)
        let located = try #require(try await book.locate(found))
        #expect(located.locations.progression == hit?.locations.progression)
    }

    @Test(arguments: [
        ("محمد", "ar", "قال مُحَمَّدٌ: السلام عليكم.", ["مُحَمَّدٌ"]), ("السّلام", "ar", "قال مُحَمَّدٌ: السلام عليكم.", ["السلام"]),
        ("שלום", "he", "אמר: שָׁלוֹם עולם, שלום.", ["שָׁלוֹם", "שלום"]), ("צה\"ל", "he", "חיילי צה\"ל", ["צה\"ל"]),
    ])
    func `Arabic and Hebrew are found with points and without`(
        query: String, language: String, text: String, hits: [String]
    )
        async throws
    {
        let attributes = "xml:lang=\"\(language)\" dir=\"rtl\""
        let found = try await SearchedBook.hits(query, in: "<p>\(text)</p>", attributes) { $0.wholeWords = true }
        #expect(found.map { Array($0.unicodeScalars) } == hits.map { Array($0.unicodeScalars) })
    }

    @Test func `a line of several scripts is searched across them`() async throws {
        let body = "<p>The word <span xml:lang=\"he\" dir=\"rtl\">שָׁלוֹם</span> means peace (<b>سلام</b>, 平和).</p>"
        let book = SearchedBook.make([body], #"xml:lang="en""#)
        let hit = try await book.search("שלום MEANS peace (سلام").locators().first
        #expect(hit?.text.before == "The word " && hit?.text.after == ", 平和).")
        #expect(hit?.text.highlight == "שָׁלוֹם means peace (سلام")
        #expect(try await book.search("سلام, 平").locators().count == 1)
    }
}

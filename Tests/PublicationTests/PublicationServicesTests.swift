import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// A service of an app's own.
private protocol GreetingService: PublicationService {
    var greeting: String { get throws }
}

extension PublicationServiceKey where Service == any GreetingService {
    fileprivate static var greeting: Self { Self("greeting") }
    fileprivate static var otherGreeting: Self { Self("other-greeting") }
}

/// What happened to services, in order.
private final class Diary: Sendable {
    private let kept = LockedValue<[String]>([])

    var lines: [String] { kept.value }

    func write(_ line: String) { kept.update { $0.append(line) } }
}

private final class Greeting: GreetingService {
    let text: String
    let context: PublicationServiceContext
    private let diary: Diary

    init(_ text: String, _ context: PublicationServiceContext, _ diary: Diary) {
        (self.text, self.context, self.diary) = (text, context, diary)
        diary.write("make \(text)")
    }

    var greeting: String { get throws { "\(text), \(try context.publication().metadata.title.string)" } }

    var links: [Link] { [Link(href: "~readium/\(text)", type: "text/plain")] }

    func get(_ link: Link, parameters: [String: String]) -> (any Resource)? {
        diary.write("ask \(text)")
        guard link.href.hasSuffix("readium/\(text)") || link.href.hasSuffix("readium/both") else { return nil }
        return BytesResource(link, string: "\(text) \(parameters["to"] ?? "all")")
    }

    func close() async { diary.write("close \(text)") }
}

/// Puts an exclamation mark behind another one's greeting.
private final class Loud: GreetingService {
    private let base: any GreetingService

    init(_ base: any GreetingService) { self.base = base }

    var greeting: String { get throws { try base.greeting + "!" } }

    func close() async { await base.close() }
}

private final class OwnSearch: SearchService {
    func search(_ query: String, options: SearchOptions) throws -> SearchResults {
        SearchResults {
            let left = LockedValue(2)
            return {
                let index = left.update { left in
                    left -= 1
                    return left
                }
                guard index >= 0 else { return nil }
                let locator = Locator(href: "\(query)\(index)", type: "text/html")
                let progress = SearchResults.Progress(searched: 1, total: 1, bytesRead: 0)
                return SearchResults.Page(resource: 0, locators: [locator], progress: progress)
            }
        }
    }
}

@Suite struct PublicationServicesTests {
    private let diary = Diary()

    private func factory(_ text: String) -> PublicationServices.Factory<any GreetingService> {
        { [diary] in Greeting(text, $0, diary) }
    }

    private func publication(_ services: PublicationServices, title: String = "Lamp") -> Publication {
        let manifest = Manifest(
            metadata: Metadata(title: LocalizedString(title)), readingOrder: [Link(href: "c1.html", type: "text/html")])
        let files = ["c1.html": "<p>one</p>", "~readium/file": "a file", "both": "no service"]
        return Publication(manifest: manifest, fetcher: DictionaryFetcher(files), services: services)
    }

    // MARK: The list of factories

    @Test func `every publication has the standard services`() {
        #expect(
            PublicationServices.standard.names == [
                "positions", "locator", "content", "search", "cover", "guided-navigation",
            ])
        let book = publication(.standard)
        #expect(book.service(.positions) != nil && book.service(.locator) != nil && book.service(.content) != nil)
        #expect(book.service(.search) != nil && book.service(.cover) != nil && book.service(.guidedNavigation) != nil)
        #expect(
            book.serviceLinks.map(\.href) == [
                "~readium/positions", "~readium/content{?resource,skip}", "~readium/search{?query}",
            ])
    }

    @Test func `a factory is set, replaced in its place, and removed`() throws {
        var services = PublicationServices()
        #expect(services.names.isEmpty && publication(services).service(.greeting) == nil)
        services.set(.greeting, factory("hello"))
        services.set(.otherGreeting, factory("bye"))
        #expect(services.names == ["greeting", "other-greeting"])
        services.set(.greeting, factory("hi"))
        #expect(services.names == ["greeting", "other-greeting"])
        let book = publication(services)
        #expect(try withExtendedLifetime(book) { try book.service(.greeting)?.greeting } == "hi, Lamp")
        services.remove(.greeting)
        services.remove(.cover)
        #expect(services.names == ["other-greeting"] && publication(services).service(.greeting) == nil)
        services.set(.greeting, factory("late"))
        #expect(services.names == ["other-greeting", "greeting"])
        #expect(diary.lines == ["make hi"])
    }

    @Test func `a service is decorated, also twice`() async throws {
        var services = PublicationServices()
        services.decorate(.greeting) { base, _ in Loud(base) }
        #expect(services.names.isEmpty)
        services.set(.greeting, factory("hello"))
        services.decorate(.greeting) { base, _ in Loud(base) }
        services.decorate(.greeting) { base, context in
            context.manifest.metadata.title.string == "Lamp" ? Loud(base) : nil
        }
        let book = publication(services)
        #expect(try book.service(.greeting)?.greeting == "hello, Lamp!!")
        #expect(publication(services, title: "Other").service(.greeting) == nil)
        await book.close()
        #expect(diary.lines == ["make hello", "make hello", "close hello"])
    }

    @Test func `a factory may have nothing for a publication, and is asked once`() {
        var services = PublicationServices()
        services.set(.greeting) { [diary] _ in
            diary.write("none")
            return nil
        }
        services.decorate(.greeting) { base, _ in Loud(base) }
        let book = publication(services)
        #expect(book.service(.greeting) == nil && book.service(.greeting) == nil && book.serviceLinks.isEmpty)
        #expect(diary.lines == ["none"])
    }

    // MARK: The life of a service

    @Test func `a service is made once, when it is asked for, and closed once with the publication`() async throws {
        var services = PublicationServices()
        services.set(.greeting, factory("hello"))
        services.set(.otherGreeting, factory("unused"))
        let book = publication(services)
        #expect(diary.lines.isEmpty)
        let first = try #require(book.service(.greeting))
        #expect(book.service(.greeting) === first)
        #expect(diary.lines == ["make hello"])
        await book.close()
        await book.close()
        #expect(diary.lines == ["make hello", "close hello"])
        #expect(book.service(.greeting) == nil && book.service(.otherGreeting) == nil && book.serviceLinks.isEmpty)
        #expect(diary.lines.count == 2)
        #expect(try await book.positions().isEmpty)
    }

    @Test func `a copy makes its own services, for its own manifest`() async throws {
        var services = PublicationServices()
        services.set(.greeting, factory("hello"))
        let book = publication(services)
        let one = try #require(book.service(.greeting))
        let copy = book.copy { manifest, _ in manifest.metadata.title = "Copy" }
        let two = try #require(copy.service(.greeting))
        #expect(one !== two)
        #expect(try one.greeting == "hello, Lamp" && two.greeting == "hello, Copy")
        let other = book.copy { _, _, services in
            services.remove(.greeting)
            services.set(.otherGreeting) { [diary] in Greeting("other", $0, diary) }
        }
        #expect(other.service(.greeting) == nil && other.service(.otherGreeting) != nil)
        #expect(book.service(.otherGreeting) == nil)
        await copy.close()
        #expect(diary.lines == ["make hello", "make hello", "make other", "close hello"])
        #expect(book.service(.greeting) === one)
    }

    @Test func `a service does not keep its publication`() throws {
        var services = PublicationServices()
        services.set(.greeting, factory("hello"))
        var book: Publication? = publication(services)
        weak let watched = book
        let service = try #require(book?.service(.greeting))
        #expect(try service.greeting == "hello, Lamp")
        book = nil
        #expect(watched == nil)
        let error = #expect(throws: URLError.self) { try service.greeting }
        #expect(error?.code == .resourceUnavailable)
    }

    // MARK: Addresses

    @Test func `addresses of services are asked of them first, in order, others never`() async throws {
        var services = PublicationServices()
        services.set(.greeting, factory("hello"))
        services.set(.otherGreeting, factory("bye"))
        let book = publication(services)
        #expect(try await book.get("c1.html").readAsString() == "<p>one</p>")
        #expect(try await book.get("both").readAsString() == "no service")
        #expect(diary.lines.isEmpty)
        #expect(try await book.get("~readium/bye").readAsString() == "bye all")
        #expect(diary.lines == ["make hello", "make bye", "ask hello", "ask bye"])
        #expect(try await book.get("~readium/both").readAsString() == "hello all")
        #expect(try await book.get("/~readium/hello").readAsString() == "hello all")
        #expect(
            try await book.get(Link(href: "~readium/hello"), parameters: ["to": "you"]).readAsString() == "hello you")
        // What no service answers is a file's.
        #expect(try await book.get("~readium/file").readAsString() == "a file")
        await #expect(throws: CocoaError.self) { try await book.get("~readium/none").read() }
        await book.close()
        await #expect(throws: CocoaError.self) { try await book.get("~readium/hello").read() }
    }

    @Test func `the links of the services are theirs, and not the manifest's`() {
        var services = PublicationServices.standard
        services.set(.greeting, factory("hello"))
        let book = publication(services)
        #expect(book.serviceLinks.map(\.href).last == "~readium/hello" && book.links.isEmpty)
        services.remove(.positions)
        #expect(
            publication(services).serviceLinks.map(\.href) == [
                "~readium/content{?resource,skip}", "~readium/search{?query}", "~readium/hello",
            ])
    }

    // MARK: Instead of the usual ones

    @Test func `an app's own search is used, and each iteration begins again`() async throws {
        var services = PublicationServices.standard
        services.set(.search) { _ in OwnSearch() }
        let results = try publication(services).search("x")
        #expect(try await results.locators().map(\.href) == ["x1", "x0"])
        #expect(try await results.locators().count == 2)
    }

    @Test func `without services there is nothing to find`() async throws {
        let book = publication(PublicationServices())
        #expect(try await book.positionsByReadingOrder() == [[]])
        #expect(try await book.search("one").locators().isEmpty)
        #expect(try await book.locate(progression: 0.5) == nil)
        #expect(try await book.text() == "")
        #expect(book.serviceLinks.isEmpty)
    }

    @Test func `services are changed at opening, whatever the parser chose`() async throws {
        let shelf = Shelf()
        try await shelf.provider.writeContents(path: ProviderPath("lamp.epub"), contents: SampleBook.small())
        var options = OpeningOptions()
        options.services = { [diary] services in
            diary.write(services.names.joined(separator: " "))
            services.remove(.cover)
            services.set(.greeting) { Greeting("hello", $0, diary) }
            services.decorate(.search) { _, _ in OwnSearch() }
        }
        let book = try await Publication.open(path: ProviderPath("lamp.epub"), of: shelf.provider, options: options)
        #expect(diary.lines == ["positions locator content search cover guided-navigation"])
        #expect(book.service(.cover) == nil && book.service(.positions) != nil)
        #expect(try book.service(.greeting)?.greeting == "hello, \(SampleBook.title)")
        #expect(try await book.search("lamp").locators().map(\.href) == ["lamp1", "lamp0"])
        await book.close()
        #expect(diary.lines.dropFirst() == ["make hello", "close hello"])
    }

    @Test func `a cover has an address`() async throws {
        let shelf = Shelf()
        try await shelf.provider.writeContents(path: ProviderPath("lamp.epub"), contents: SampleBook.small(.epub2))
        let book = try await shelf.open("lamp.epub")
        let link = try #require(book.serviceLinks.first { $0.rels == ["cover"] })
        #expect(link.href == "~readium/cover" && link.type == "image/png")
        let image = try await book.get(#require(book.coverLink)).read()
        #expect(try await book.get(link).read() == image)
        #expect(try await book.get("~readium/cover").read(0..<4) == Data([0x89, 0x50, 0x4E, 0x47]))
        let bare = publication(.standard)
        let error = await #expect(throws: CocoaError.self) { try await bare.get("~readium/cover").read() }
        #expect(error?.code == .fileReadNoSuchFile)
    }
}

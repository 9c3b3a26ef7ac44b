import ArgumentParser
import Carrel
import Foundation
import OPDSClient

struct OPDSGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "opds", abstract: "Browse catalogues of books, download from them, and open what they offer.",
        discussion: """
            A catalogue is at an http or https address, or a saved connection to one. OPDS 1.2 and 2.0 are read. \
            A catalogue that asks for a login gets the user and password that this command has for its host.
            """,
        subcommands: [OPDSList.self, OPDSSearch.self, OPDSGet.self, OPDSOpen.self])
}

/// How many pages of a feed are read.
struct PageCount: ExpressibleByArgument {
    let count: Int

    init?(argument: String) {
        guard let count = argument == "all" ? Int.max : Int(argument), count > 0 else { return nil }
        self.count = count
    }
}

struct OPDSList: Verb {
    static let verb = "opds ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the feeds and books of a catalogue's page.",
        discussion: """
            A line has the title, the authors, the formats and the address. That of a feed has “feed” as its format, and that \
            of a choice among a feed's books, such as a language, “facet”. If the catalogue states them, a fifth field has \
            the number of items of a feed, or the terms of a book: price, sample, availability, holds and copies.
            """)

    @Option(help: ArgumentHelp("Read this many pages, or “all”; the default is 1.", valueName: "n"))
    var pages: PageCount?
    @Argument(help: "The address of a feed.")
    var url: String
    @OptionGroup var common: CommonOptions

    var blamed: String? { url }

    func perform(_ session: Session) async throws {
        let catalog = try await session.catalog(url)
        let client = CatalogClient(options: catalog.options)
        do {
            try await show(client.pages(from: catalog.url), pages?.count ?? 1, session)
        } catch { throw error.at(catalog.shown) }
    }
}

struct OPDSSearch: Verb {
    static let verb = "opds search"
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Search a catalogue, and list what it finds.",
        discussion: "If the catalogue has no field for titles or authors, their words are searched for everywhere.")

    @Option(help: ArgumentHelp("Words of the title.", valueName: "words"))
    var title: String?
    @Option(help: ArgumentHelp("Words of an author's name.", valueName: "words"))
    var author: String?
    @Option(help: ArgumentHelp("Read this many pages, or “all”; the default is 1.", valueName: "n"))
    var pages: PageCount?
    @Argument(help: "The address of a feed of the catalogue.")
    var url: String
    @Argument(help: "The words to search for.")
    var query: [String] = []
    @OptionGroup var common: CommonOptions

    var blamed: String? { url }

    func validate() throws {
        if query.isEmpty, title == nil, author == nil { throw ValidationError("What is to be searched for?") }
    }

    func perform(_ session: Session) async throws {
        let catalog = try await session.catalog(url)
        let client = CatalogClient(options: catalog.options)
        do {
            let terms = SearchTerms(query.joined(separator: " "), title: title, author: author)
            let found = try await client.search(terms, in: client.feed(at: catalog.url))
            try await show(client.pages(from: found), pages?.count ?? 1, session)
        } catch { throw error.at(catalog.shown) }
    }
}

struct OPDSOpen: Verb {
    static let verb = "opds open"
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Show title, authors and other metadata of a book, read from the catalogue by ranges.",
        discussion: "Prints what “book info” prints, and downloads no more than that needs.")

    @OptionGroup var choice: CatalogChoice
    @Argument(help: "The address of a feed, of a book's entry, or of a book.")
    var url: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { url }

    func perform(_ session: Session) async throws {
        let catalog = try await session.catalog(url)
        let client = CatalogClient(options: catalog.options)
        let book: Publication
        do {
            let offer = try await choice.offer(at: catalog.url, client)
            var opening = OpeningOptions()
            opening.logger = session.logger
            opening.protections = [try await protection.protection(session)]
            let web = try session.webOptions()
            opening.remote = { HTTPFetcher(options: web) }
            book = try await client.open(offer.link, options: opening)
        } catch { throw error.at(catalog.shown, status: error.isNoBook ? .badFile : nil) }
        do { try await session.output.show(book, asJSON: common.json) } catch {
            await book.close()
            throw error
        }
        await book.close()
    }
}

import ArgumentParser
import Carrel
import Foundation

struct Book: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "book", abstract: "Read a book where it lies, without downloading it.",
        subcommands: [
            BookInfo.self, BookList.self, BookCat.self, BookCover.self, BookSearch.self, BookText.self,
            BookPositions.self, BookLocate.self, BookServe.self,
        ])
}

extension Error {
    /// Whether the item to be opened as a book is a folder or a file of another kind. A missing package trait doesn't
    /// count.
    var isNoBook: Bool { (self as? CocoaError)?.code == .featureUnsupported && missingTrait == nil }
}

extension Verb {
    /// Opens the book at `location`, calls `body` and closes the book.
    ///
    /// - Parameter isServed: Whether others read it, who must not reach this machine's network by it.
    func withBook(
        _ location: String, _ protection: ProtectionOptions, session: Session, isServed: Bool = false,
        _ body: (Publication) async throws -> Void
    ) async throws {
        let operand = try await session.operand(location)
        var opening = OpeningOptions()
        opening.logger = session.logger
        opening.protections = [try await protection.protection(session)]
        let web = try session.webOptions()
        opening.remote = { HTTPFetcher(options: web, refusesPrivateHosts: isServed) }
        let publication: Publication
        do {
            publication = try await Publication.open(path: operand.path, of: operand.provider, options: opening)
        } catch {
            throw error.at(operand.shown, status: error.isNoBook ? .badFile : nil)
        }
        do { try await body(publication) } catch {
            await publication.close()
            throw error
        }
        await publication.close()
    }
}

struct BookInfo: Verb {
    static let verb = "book info"
    static let configuration = CommandConfiguration(
        commandName: "info", abstract: "Show title, authors and other metadata of a book.")

    @Argument(help: "A book.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        try await withBook(location, protection, session: session) { book in
            try await session.output.show(book, asJSON: common.json)
        }
    }
}

struct BookList: Verb {
    static let verb = "book ls"
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List a book's resources: the reading order, then the others.")

    @Flag(help: "List the table of contents instead.")
    var toc = false
    @Argument(help: "A book.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        try await withBook(location, protection, session: session) { book in
            let links = toc ? try await book.contents() : book.readingOrder + book.resources
            if common.json { return try session.output.json(.array(links.map(\.json))) }
            if toc { return try printContents(links, depth: 0, session: session) }
            for link in links { try session.output.fields([link.href, link.type ?? ""]) }
        }
    }

    private func printContents(_ links: [Link], depth: Int, session: Session) throws {
        for link in links {
            try session.output.fields([String(repeating: "  ", count: depth) + (link.title ?? "–"), link.href])
            try printContents(link.children, depth: depth + 1, session: session)
        }
    }
}

struct BookCat: Verb {
    static let verb = "book cat"
    static let configuration = CommandConfiguration(
        commandName: "cat", abstract: "Print one resource, as a reading app gets it.",
        discussion:
            "If the licence of a protected book limits how much may be copied, the characters of a text, markup included, count as copied; a longer text is refused. Pictures and sound are not counted."
    )

    @Argument(help: "A book.", completion: .location)
    var location: String
    @Argument(help: "A resource, as “book ls” names it.")
    var href: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        try await withBook(location, protection, session: session) { book in
            let resource = book.get(href)
            let type = resource.link.mediaType
            guard type.type == "text" || type.isHTML, var copied = try await CopiedText(book) else {
                return try await StandardOutput.write(resource.bytes())
            }
            let data = try await resource.read()
            let text = String(data: data, encoding: type.encoding ?? .utf8)
            try copied.add(text ?? String(decoding: data, as: UTF8.self))
            try await copied.count()
            try await StandardOutput.write(data)
        }
    }
}

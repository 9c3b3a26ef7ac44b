import ArgumentParser
import Carrel
import Foundation

struct BookSearch: Verb {
    static let verb = "book search"
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find text in a book.",
        discussion:
            "A line for each hit: resource, position, and the text around it, with the hit between [ and ]. Upper case, accents and forms of quotation marks and hyphens do not matter unless a flag says so."
    )

    @Flag(help: "Let upper and lower case differ.")
    var caseSensitive = false
    @Flag(help: "Let letters with and without accents differ.")
    var accents = false
    @Flag(name: .customLong("words"), help: "Find whole words only.")
    var wholeWords = false
    @Option(help: "Stop after N hits.")
    var limit: Int?
    @Argument(help: "A book.", completion: .location)
    var location: String
    @Argument(help: "The text to find.")
    var query: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func validate() throws {
        guard limit.map({ $0 > 0 }) ?? true else { throw ValidationError("--limit takes a number above 0.") }
    }

    func perform(_ session: Session) async throws {
        var options = SearchOptions()
        options.isCaseSensitive = caseSensitive
        options.isDiacriticSensitive = accents
        options.wholeWords = wholeWords
        if let limit { options.limit = limit }
        try await withBook(location, protection, session: session) { book in
            let results: SearchResults
            do {
                results = try book.search(query, options: options)
            } catch let error as CocoaError where error.code == .formatting {
                throw CommandFailure.usage(error.sentence)
            }
            var unreadable: [String] = []
            for try await page in results {
                for locator in page.locators { try show(locator, session) }
                try session.output.flush()
                unreadable = page.progress.unreadable
            }
            guard unreadable.isEmpty else {
                let names = unreadable.prefix(3).joined(separator: ", ")
                throw CommandFailure(
                    status: .partlyDone,
                    sentence:
                        "\(unreadable.count) of the book's resources cannot be read and were not searched: \(names).")
            }
        }
    }

    private func show(_ locator: Locator, _ session: Session) throws {
        if common.json { return try session.output.json(locator.json) }
        let text = locator.text
        try session.output.fields([
            locator.href, locator.locations.position.map(String.init) ?? "",
            "\(text.before ?? "")[\(text.highlight ?? "")]\(text.after ?? "")".replacing("\n", with: " "),
        ])
    }
}

struct BookText: Verb {
    static let verb = "book text"
    static let configuration = CommandConfiguration(
        commandName: "text", abstract: "The text of a book, or of a part of it.",
        discussion:
            "Paragraphs are separated by empty lines. Places are a locator as JSON, an EPUB CFI, a progression from 0 to 1, or a resource as book ls shows it, with or without a fragment. If the licence of a protected book limits how much may be copied, the text counts as copied; a longer text is refused, and nothing is written."
    )

    @Option(help: "Where to begin.")
    var from: String?
    @Option(help: "Where to end; a resource without a fragment is not part of the text.")
    var to: String?
    @Argument(help: "A book.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        try await withBook(location, protection, session: session) { book in
            let start = try await from.asyncMap { try await BookPlace($0).locator(in: book) }
            let end = try await to.asyncMap { try await BookPlace($0).locator(in: book) }
            var copied = try await CopiedText(book)
            var held: [ContentElement] = []
            var isFirst = true
            for try await element in book.content(from: start, to: end) where common.json || element.text != nil {
                if copied == nil {
                    try show(element, isFirst: isFirst, session)
                    isFirst = false
                } else {
                    try copied?.add(element.text?.string ?? "")
                    held.append(element)
                }
            }
            try await copied?.count()
            for element in held {
                try show(element, isFirst: isFirst, session)
                isFirst = false
            }
        }
    }

    private func show(_ element: ContentElement, isFirst: Bool, _ session: Session) throws {
        if common.json { return try session.output.json(element.json) }
        if !isFirst { try session.output.line("") }
        try session.output.line(element.text?.string ?? "")
    }
}

struct BookPositions: Verb {
    static let verb = "book positions"
    static let configuration = CommandConfiguration(
        commandName: "positions", abstract: "The positions of a book: places that are the same on every screen.")

    @Argument(help: "A book.", completion: .location)
    var location: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        try await withBook(location, protection, session: session) { book in
            let positions = try await book.positions()
            if common.json { return try session.output.json(.array(positions.map(\.json))) }
            for locator in positions {
                try session.output.fields([
                    locator.locations.position.map(String.init) ?? "", locator.href,
                    locator.locations.fragments.first ?? locator.locations.progression.map { "\($0)" } ?? "",
                    locator.title ?? "",
                ])
            }
        }
    }
}

struct BookLocate: Verb {
    static let verb = "book locate"
    static let configuration = CommandConfiguration(
        commandName: "locate", abstract: "Everything that is known of a place in a book.",
        discussion:
            "A place is a locator as JSON, an EPUB CFI, a progression from 0 to 1, or a resource as book ls shows it, with or without a fragment. A locator with text is found again in a book that was edited."
    )

    @Argument(help: "A book.", completion: .location)
    var location: String
    @Argument(help: "A place in it.")
    var place: String
    @OptionGroup var protection: ProtectionOptions
    @OptionGroup var common: CommonOptions

    var blamed: String? { location }

    func perform(_ session: Session) async throws {
        try await withBook(location, protection, session: session) { book in
            let locator = try await BookPlace(place).locator(in: book)
            if common.json { return try session.output.json(locator.json) }
            let locations = locator.locations
            let rows: [(String, String?)] = [
                ("href", locator.href), ("title", locator.title), ("position", locations.position.map(String.init)),
                ("progression", locations.progression.map { "\($0)" }),
                ("totalProgression", locations.totalProgression.map { "\($0)" }),
                ("fragments", locations.fragments.joined(separator: " ")), ("cssSelector", locations.cssSelector),
                ("cfi", try await book.cfi(of: locator)?.description), ("text", locator.text.highlight),
            ]
            for (name, value) in rows {
                if let value, !value.isEmpty { try session.output.fields([name, value]) }
            }
        }
    }
}

/// A place in a book as people write it on a command line.
struct BookPlace {
    private let text: String

    init(_ text: String) { self.text = text }

    /// - Throws: ``CommandFailure``: wrong usage for what is no place, not found for one that the book does not have.
    func locator(in book: Publication) async throws -> Locator {
        guard let found = try await find(in: book) else {
            throw CommandFailure(status: .notFound, sentence: "The book has no place “\(text)”.")
        }
        return found
    }

    private func find(in book: Publication) async throws -> Locator? {
        if text.hasPrefix("{") {
            let locator: Locator
            do {
                locator = try Locator(json: JSONValue(data: Data(text.utf8), maximumSize: 1 << 20))
            } catch let error as CocoaError {
                throw CommandFailure.usage("“\(text)” is no locator: \(error.sentence)")
            }
            // The chapter may have another name since, or the text may be in another chapter.
            if locator.text.highlight?.isEmpty == false,
                let found = try await book.locate(text: locator.text, near: locator)
            {
                return found
            }
            return try await book.locate(locator)
        }
        if text.hasPrefix("epubcfi(") || text.hasPrefix("#epubcfi(") {
            guard let cfi = EPUBCFI(text) else { throw CommandFailure.usage("“\(text)” is no EPUB CFI.") }
            return try await book.locate(cfi)
        }
        if let progression = Double(text) {
            guard (0...1).contains(progression) else { throw CommandFailure.usage("A progression is from 0 to 1.") }
            return try await book.locate(progression: progression)
        }
        guard let locator = book.locator(from: Link(href: text)) else { return nil }
        return try await book.locate(locator)
    }
}

extension Optional {
    /// The result of `transform` for a value that is there.
    fileprivate func asyncMap<Result>(_ transform: (Wrapped) async throws -> Result) async rethrows -> Result? {
        guard let self else { return nil }
        return try await transform(self)
    }
}

extension ContentElement {
    /// The element in the contract's JSON.
    fileprivate var json: JSONValue {
        var members: [String: JSONValue] = ["locator": locator.json]
        switch body {
        case .text(let text):
            members["type"] = .string(text.role.name)
            members["text"] = .string(text.string)
            if case .heading(let level) = text.role { members["level"] = .integer(Int64(level)) }
            if text.isFootnote { members["footnote"] = true }
            if let language = text.language { members["language"] = .string(language) }
        case .image(let media): members.add("image", media)
        case .audio(let media): members.add("audio", media)
        case .video(let media): members.add("video", media)
        case .pageBreak(let label):
            members["type"] = "pageBreak"
            if let label { members["label"] = .string(label) }
        }
        return .object(members)
    }
}

extension [String: JSONValue] {
    fileprivate mutating func add(_ type: String, _ media: ContentElement.Media) {
        self["type"] = .string(type)
        self["link"] = media.link.json
        if let description = media.description { self["description"] = .string(description) }
    }
}

extension ContentElement.Role {
    fileprivate var name: String {
        switch self {
        case .paragraph: "paragraph"
        case .heading: "heading"
        case .listItem: "listItem"
        case .quotation: "quotation"
        case .caption: "caption"
        case .tableCell: "tableCell"
        case .preformatted: "preformatted"
        }
    }
}

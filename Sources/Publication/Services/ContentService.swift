import FileProviderCore
import Foundation

/// Gives the content of a publication element by element.
public protocol ContentService: PublicationService {
    /// The content from `locator` on, both ways; nil for the start.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` for a locator into a resource that is not in the reading order; errors
    ///   of the storage.
    func content(from locator: Locator?) async throws -> any ContentCursor
}

/// A place between two elements of content. Used by one task at a time.
public protocol ContentCursor: AnyObject, Sendable {
    /// The element behind the place, which moves behind it; nil at the end.
    ///
    /// - Throws: Errors of the storage; what is damaged or too large, the place then is behind that resource.
    func next() async throws -> ContentElement?

    /// The element in front of the place, which moves before it; nil at the start.
    ///
    /// - Throws: As ``next()``; the place then is in front of that resource.
    func previous() async throws -> ContentElement?
}

extension PublicationServiceKey where Service == any ContentService {
    /// Content.
    public static var content: Self { Self("content") }
}

/// The content of a publication, or of a part of it, one element after the other.
public struct PublicationContent: AsyncSequence, Sendable {
    fileprivate let publication: Publication
    fileprivate let start: Locator?
    fileprivate let end: Locator?

    /// Begins at the start.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Goes through the content in both directions.
    public struct Iterator: AsyncIteratorProtocol {
        private let content: PublicationContent
        private var cursor: (any ContentCursor)?
        private var end: ContentEnd?

        fileprivate init(_ content: PublicationContent) { self.content = content }

        /// The next element; nil at the end. Of a paragraph in which the content ends its first part.
        ///
        /// - Throws: As ``ContentCursor/next()``.
        public mutating func next() async throws -> ContentElement? {
            try await prepare()
            guard let element = try await cursor?.next() else { return nil }
            guard let end else { return element }
            return end.cut(element)
        }

        /// The element before, also one in front of where the content begins; nil at the start of the publication.
        ///
        /// - Throws: As ``ContentCursor/previous()``.
        public mutating func previous() async throws -> ContentElement? {
            try await prepare()
            return try await cursor?.previous()
        }

        private mutating func prepare() async throws {
            guard cursor == nil else { return }
            if let end = content.end { self.end = try await ContentEnd(end, content.publication) }
            cursor = try await content.publication.service(.content)?.content(from: content.start)
        }
    }
}

/// Where a part of the content ends.
private struct ContentEnd {
    private let place: LocatorPlace
    /// The index of each resource.
    private let indexes: [String: Int]

    init(_ locator: Locator, _ publication: Publication) async throws {
        guard let place = try await publication.service(.locator)?.place(of: locator) else {
            throw FileError.make(.fileReadNoSuchFile, path: locator.href)
        }
        self.place = place
        indexes = Dictionary(
            publication.readingOrder.enumerated().map { (HREFBase.resource(of: $0.element.href), $0.offset) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The part of `element` that is in front of the end; nil where nothing is.
    func cut(_ element: ContentElement) -> ContentElement? {
        let index = indexes[HREFBase.resource(of: element.locator.href)] ?? 0
        if index != place.resource { return index < place.resource ? element : nil }
        let locations = element.locator.locations
        let start = locations.page.map { Double($0) } ?? locations.progression ?? 0
        guard start < place.progression else { return nil }
        guard locations.page == nil, case .text(var text) = element.body else { return element }
        let bytes = Int(((place.progression - start) * Double(place.textLength)).rounded())
        guard bytes < text.string.utf8.count else { return element }
        text.cut(toBytes: bytes)
        return ContentElement(locator: element.locator, body: .text(text))
    }
}

/// Where a part of the content begins.
private struct ContentStart {
    private let place: LocatorPlace?

    init(_ locator: Locator, _ publication: Publication) async throws {
        place = try await publication.service(.locator)?.place(of: locator)
    }

    /// The part of the first element that is behind the start.
    func cut(_ element: ContentElement) -> ContentElement {
        let locations = element.locator.locations
        guard let place, locations.page == nil, let start = locations.progression, start < place.progression,
            case .text(var text) = element.body
        else { return element }
        text.drop(bytes: Int(((place.progression - start) * Double(place.textLength)).rounded()))
        return ContentElement(locator: element.locator, body: .text(text))
    }
}

extension ContentElement.Text {
    /// Drops the first `count` bytes (UTF-8), but no part of a character.
    fileprivate mutating func drop(bytes count: Int) {
        var left = count
        while let first = segments.first {
            let length = first.string.utf8.count
            guard length > left else {
                left -= length
                segments.removeFirst()
                continue
            }
            segments[0].string = String(first.string[Self.start(of: left, in: first.string)...])
            return
        }
    }

    /// The start of the character around the byte `offset`.
    private static func start(of offset: Int, in string: String) -> String.Index {
        var index = string.utf8.index(string.startIndex, offsetBy: offset)
        while index > string.startIndex, index.samePosition(in: string) == nil {
            index = string.utf8.index(before: index)
        }
        return index
    }

    /// Leaves the first `count` bytes (UTF-8), down to a whole character.
    fileprivate mutating func cut(toBytes count: Int) {
        var left = count
        for index in segments.indices {
            let length = segments[index].string.utf8.count
            if length > left {
                let string = segments[index].string
                segments[index].string = String(string[..<Self.start(of: left, in: string)])
                segments.removeSubrange((index + 1)...)
                return
            }
            left -= length
        }
    }
}

extension Publication {
    /// What people read, in reading order: headings, text, images and the rest, from one place to another; from the
    /// start and to the end where there is none.
    ///
    /// ```swift
    /// for try await element in book.content() {
    ///     if let text = element.text { print(text.string) }
    /// }
    /// ```
    ///
    /// - Complexity: One resource is in memory at a time; chapters that stand together in an archive come by one request
    ///   for a MiB.
    public func content(from start: Locator? = nil, to end: Locator? = nil) -> PublicationContent {
        PublicationContent(publication: self, start: start, end: end)
    }

    /// The text from one place to another; from the start and to the end where there is none. Paragraphs are separated
    /// by a line feed. Of a paragraph in which it begins or ends a part is given, of whole characters.
    ///
    /// - Parameter limit: The most characters, a million unless said otherwise.
    /// - Throws: Errors of the storage; `CocoaError(.fileReadTooLarge)` over `limit`; `.fileReadNoSuchFile` for a place
    ///   that is not in the publication.
    public func text(from start: Locator? = nil, to end: Locator? = nil, limit: Int = 1_000_000) async throws -> String
    {
        var text = ""
        var count = 0
        var beginning: ContentStart?
        if let start { beginning = try await ContentStart(start, self) }
        for try await element in content(from: start, to: end) {
            let element = beginning?.cut(element) ?? element
            beginning = nil
            guard let string = element.text?.string, !string.isEmpty else { continue }
            count += string.count + 1
            guard count <= limit + 1 else {
                throw CocoaError(
                    .fileReadTooLarge,
                    userInfo: [NSLocalizedDescriptionKey: "The text has more than \(limit) characters."])
            }
            text += text.isEmpty ? string : "\n" + string
        }
        return text
    }

    /// How many words and characters the text of the resource at `link` has.
    ///
    /// - Throws: Errors of the storage; `CocoaError(.fileReadNoSuchFile)` for a resource that is not in the reading order.
    public func textCount(of link: Link) async throws -> (words: Int, characters: Int) {
        let boundaries = WordBoundaries(language: metadata.languages.first)
        var (words, characters) = (0, 0)
        let start = Locator(href: link.href, type: link.type ?? "", locations: Locator.Locations(progression: 0))
        for try await element in content(from: start) {
            guard HREFBase.resource(of: element.locator.href) == HREFBase.resource(of: link.href) else { break }
            guard let text = element.text?.string else { continue }
            words += boundaries.count(in: text.utf8)
            characters += text.count
        }
        return (words, characters)
    }
}

/// The content of each resource of the reading order, taken apart as it comes.
final class ResourceContent: ContentService {
    private let context: PublicationServiceContext

    init(_ context: PublicationServiceContext) { self.context = context }

    var links: [Link] {
        var link = Link(
            href: ContentAnswer.href + "{?resource,skip}", type: ContentAnswer.type, rels: [ContentAnswer.rel])
        link.templated = true
        return [link]
    }

    func get(_ link: Link, parameters: [String: String]) -> (any Resource)? {
        guard ServiceHREF.matches(link.href, ContentAnswer.href) else { return nil }
        let values = ServiceHREF.query(link.href).merging(parameters) { $1 }
        return MadeResource(Link(href: link.href, type: ContentAnswer.type)) { [self] in
            try await ContentAnswer(service: self, readingOrder: context.manifest.readingOrder).part(values).data
        }
    }

    func content(from locator: Locator?) async throws -> any ContentCursor {
        let publication = try context.publication()
        let cursor = SectionCursor(context, publication)
        if let locator {
            // An app's own service may stand in front of the one that knows sections.
            let locators = publication.service(.locator) as? StandardLocators ?? StandardLocators(context)
            try await cursor.move(to: locator, locators)
        }
        return cursor
    }
}

/// Goes from section to section, with one of them in memory.
private actor SectionCursor: ContentCursor {
    /// Kept while somebody reads on.
    private let publication: Publication
    private var reader: SectionReader
    private var section = 0
    private var places: SectionPlaces?
    private var table: PositionTable?
    /// The block behind the place; nil for the end of the section.
    private var block: Int? = 0

    init(_ context: PublicationServiceContext, _ publication: Publication) {
        self.publication = publication
        reader = SectionReader(context.manifest, fetcher: context.fetcher)
    }

    func move(to locator: Locator, _ locators: StandardLocators) async throws {
        let (index, place) = try await locators.find(locator)
        section = index
        try await load()
        guard let document = places?.document else { return }
        block = document.block(at: place.offset, node: place.node) ?? 0
        // A place behind a paragraph's end belongs to the next one.
        while let index = block, index < document.blocks.count, document.blocks[index].kind == .text,
            Int(document.blocks[index].end) <= place.offset, index + 1 < document.blocks.count
        {
            block = index + 1
        }
    }

    func next() async throws -> ContentElement? {
        while section < reader.sections.count {
            if places == nil {
                try await load {
                    $0.section += 1
                    $0.block = 0
                }
            }
            if let places, let index = block, index < places.document.blocks.count {
                block = index + 1
                return try await places.element(index, positions: positionTable())
            }
            guard section + 1 < reader.sections.count else {
                block = nil
                return nil
            }
            leave(to: section + 1, block: 0)
        }
        return nil
    }

    func previous() async throws -> ContentElement? {
        while section >= 0, !reader.sections.isEmpty {
            if places == nil {
                try await load {
                    $0.block = $0.section > 0 ? nil : 0
                    $0.section = max(0, $0.section - 1)
                }
            }
            if let places {
                let count = places.document.blocks.count
                let index = (block.map { min($0, count) } ?? count) - 1
                if index >= 0 {
                    block = index
                    return try await places.element(index, positions: positionTable())
                }
            }
            guard section > 0 else {
                block = 0
                return nil
            }
            leave(to: section - 1, block: nil)
        }
        return nil
    }

    private func positionTable() async throws -> PositionTable {
        if let table { return table }
        let made = try await publication.positionTable()
        table = made
        return made
    }

    private func leave(to index: Int, block: Int?) {
        section = index
        self.block = block
        places = nil
    }

    /// - Parameter failed: Called before an error is thrown.
    private func load(_ failed: (isolated SectionCursor) -> Void = { _ in }) async throws {
        guard section < reader.sections.count else { return }
        var reader = reader
        do {
            let document = try await reader.document(at: section) ?? ContentDocument()
            self.reader = reader
            places = SectionPlaces(document, reader.sections[section], in: publication.manifest)
        } catch {
            self.reader = reader
            failed(self)
            throw error
        }
    }
}

import FileProviderCore
import Foundation
import MediaTypes

/// Finds text in a publication.
public protocol SearchService: PublicationService {
    /// Where `query` is found, in reading order.
    ///
    /// - Throws: `CocoaError(.formatting)` for a query in which there is nothing to look for.
    func search(_ query: String, options: SearchOptions) throws -> SearchResults
}

extension PublicationServiceKey where Service == any SearchService {
    /// Search.
    public static var search: Self { Self("search") }
}

/// Locators of a search, in reading order. A page comes as soon as a chapter with hits was read; chapters without hits
/// give none unless ``SearchOptions/includesEmptyPages`` says so. Nothing is read ahead of what is asked for but what one request brings along.
///
/// Each iteration searches from the start. Cancelling the task that iterates ends the search.
public struct SearchResults: AsyncSequence, Sendable {
    /// Locators that were found together, of one resource.
    public struct Page: Hashable, Sendable {
        /// The index of the resource in the reading order.
        public var resource: Int
        /// Where the query was found, with the text around it.
        public var locators: [Locator]
        /// How far the search is.
        public var progress: Progress

        /// A page of an app's own search.
        public init(resource: Int, locators: [Locator], progress: Progress) {
            self.resource = resource
            self.locators = locators
            self.progress = progress
        }
    }

    /// What a search has read so far.
    public struct Progress: Hashable, Sendable {
        /// Sections (resources, or pages of a PDF document) that were searched.
        public var searched: Int
        /// Sections there are.
        public var total: Int
        /// Bytes of resources that were read, unpacked.
        public var bytesRead: Int64
        /// The hrefs of resources that were passed over because they are missing, damaged or too large.
        public var unreadable: [String] = []

        /// The progress of an app's own search.
        public init(searched: Int, total: Int, bytesRead: Int64, unreadable: [String] = []) {
            self.searched = searched
            self.total = total
            self.bytesRead = bytesRead
            self.unreadable = unreadable
        }
    }

    private let makePage: @Sendable () -> @Sendable () async throws -> Page?

    /// Results of an app's own search.
    ///
    /// - Parameter pages: Makes what gives the next page each time; nil at the end.
    public init(pages: @escaping @Sendable () -> @Sendable () async throws -> Page?) { makePage = pages }

    /// Starts a search.
    public func makeAsyncIterator() -> Iterator { Iterator(next: makePage()) }

    /// A search that is under way.
    public struct Iterator: AsyncIteratorProtocol {
        let next: @Sendable () async throws -> Page?

        /// The next locators; nil when everything was searched.
        ///
        /// A resource that is missing, damaged or too large is passed over and named in ``SearchResults/Progress/unreadable``; the
        /// last page may have no locators but name one.
        ///
        /// - Throws: Errors of the storage; `CocoaError(.fileReadNoPermission)` for a protected publication.
        public func next() async throws -> Page? { try await next() }
    }

    /// All locators.
    ///
    /// - Throws: As the iteration does.
    public func locators() async throws -> [Locator] {
        var locators: [Locator] = []
        for try await page in self { locators += page.locators }
        return locators
    }
}

extension Publication {
    /// Where `query` is found in the text, in reading order; nothing where the publication has no text.
    ///
    /// ```swift
    /// for try await page in try book.search("white whale") {
    ///     for hit in page.locators { print(hit.text.before ?? "", hit.text.highlight ?? "", hit.text.after ?? "") }
    /// }
    /// ```
    ///
    /// - Throws: `CocoaError(.formatting)` for a query in which there is nothing to look for.
    /// - Complexity: Each chapter is read once, chapters that stand together in an archive by one request for a MiB. The
    ///   first request brings the first chapter and little more, so that its hits come soon.
    public func search(_ query: String, options: SearchOptions = SearchOptions()) throws -> SearchResults {
        guard let service = service(.search) else { return SearchResults { { nil } } }
        return try service.search(query, options: options)
    }
}

/// Searches the text of each resource as it comes.
final class ContentSearch: SearchService {
    private let context: PublicationServiceContext

    init(_ context: PublicationServiceContext) { self.context = context }

    func search(_ query: String, options: SearchOptions) throws -> SearchResults {
        guard let pattern = SearchPattern(query, options) else {
            throw CocoaError(
                .formatting, userInfo: [NSLocalizedDescriptionKey: "There is nothing to search for in “\(query)”."])
        }
        // Kept while somebody may go on searching.
        let publication = try context.publication()
        return SearchResults { [context] in
            let run = SearchRun(context, publication, pattern, options)
            return { try await run.next() }
        }
    }

    private static let href = "~readium/search"
    private static let type = "application/vnd.readium.locators+json"

    var links: [Link] {
        var link = Link(href: Self.href + "{?query}", type: Self.type, rels: ["search"])
        link.templated = true
        return [link]
    }

    func get(_ link: Link, parameters: [String: String]) -> (any Resource)? {
        guard ServiceHREF.matches(link.href, Self.href) else { return nil }
        let values = ServiceHREF.query(link.href).merging(parameters) { $1 }
        return MadeResource(Link(href: link.href, type: Self.type)) { [self] in try await page(values).data }
    }

    /// The page of locators that `values` ask for, with a link to the next one.
    private func page(_ values: [String: String]) async throws -> JSONValue {
        var options = SearchOptions()
        options.firstResource = values["resource"].flatMap { Int($0) }.map { max(0, $0) } ?? 0
        options.skipped = values["skip"].flatMap { Int($0) }.map { max(0, $0) } ?? 0
        options.firstPage = values["page"].flatMap { Int($0) }.map { max(1, $0) } ?? 1
        let query = values["query"] ?? ""
        let iterator = try search(query, options: options).makeAsyncIterator()
        let page = try await iterator.next()
        let next = page.flatMap { address(behind: $0, options) }.map {
            let encoded = PercentEncoding.encoded(query.utf8)
            return Link(href: "\(Self.href)?query=\(encoded)\($0)", type: Self.type, rels: ["next"])
        }
        return .object(
            present: [
                "metadata": ["title": .string(query)], "locators": .array(page?.locators.map(\.json) ?? []),
                "links": .nonEmpty(next.map { [$0.json] } ?? []),
            ], others: [:])
    }

    /// Where the search goes on behind `page`, as the end of a query; nil if everything was searched.
    private func address(behind page: SearchResults.Page, _ options: SearchOptions) -> String? {
        let sections = ContentSection.all(of: context.manifest)
        let last = sections[max(0, page.progress.searched - 1)]
        if page.locators.count == options.pageSize {
            let isSame = last.index == options.firstResource && (last.page ?? 1) == options.firstPage
            let skip = page.locators.count.addingReportingOverflow(isSame ? options.skipped : 0)
            return skip.overflow ? nil : address(of: last, skip: skip.partialValue)
        }
        guard page.progress.searched < sections.count else { return nil }
        return address(of: sections[page.progress.searched], skip: 0)
    }

    private func address(of section: ContentSection, skip: Int) -> String {
        "&resource=\(section.index)\(section.page.map { "&page=\($0)" } ?? "")&skip=\(skip)"
    }
}

/// One search from the first section to the last.
private actor SearchRun {
    private let publication: Publication
    private let options: SearchOptions
    private var pattern: SearchPattern
    private var reader: SectionReader
    private var index: Int
    private var found = 0
    /// What was found in the last section and is not on a page yet.
    private var waiting: ArraySlice<Range<Int>> = []
    private var places: SectionPlaces?
    private var skipped: Int
    private var reported = 0
    /// More hits than a publication can have, so that sums of such numbers stay numbers.
    private static let maxCount = 1 << 40

    init(
        _ context: PublicationServiceContext, _ publication: Publication, _ pattern: SearchPattern,
        _ options: SearchOptions
    ) {
        self.publication = publication
        self.pattern = pattern
        self.options = options
        let reader = SectionReader(context.manifest, fetcher: context.fetcher)
        self.reader = reader
        let first = (options.firstResource, options.firstPage)
        index = reader.sections.firstIndex { ($0.index, $0.page ?? Int.max) >= first } ?? reader.sections.count
        skipped = min(max(0, options.skipped), Self.maxCount)
    }

    func next() async throws -> SearchResults.Page? {
        while waiting.isEmpty {
            guard index < reader.sections.count, found < options.limit else {
                guard reported < reader.unreadable.count else { return nil }
                break
            }
            try await searchNext()
            if options.includesEmptyPages { break }
        }
        reported = reader.unreadable.count
        return SearchResults.Page(
            resource: index > 0 ? reader.sections[index - 1].index : 0, locators: try await locators(),
            progress: SearchResults.Progress(
                searched: index, total: reader.sections.count, bytesRead: reader.bytesRead,
                unreadable: reader.unreadable))
    }

    /// The locators of the next page. Only those of one page are in memory.
    private func locators() async throws -> [Locator] {
        let ranges = waiting.prefix(max(1, options.pageSize))
        guard let places, !ranges.isEmpty else { return [] }
        let positions = try await publication.positionTable()
        waiting = waiting.dropFirst(ranges.count)
        if waiting.isEmpty { self.places = nil }
        return ranges.map { places.locator($0, positions: positions, contextLength: options.contextLength) }
    }

    private func searchNext() async throws {
        let section = reader.sections[index]
        var reader = reader
        defer {
            self.reader = reader
            index += 1
        }
        guard let document = try await reader.readable(at: index) else { return }
        let language = document.languages.first ?? publication.metadata.languages.first
        // Of a PDF document each page is a section of the same resource.
        if section.index != options.firstResource { skipped = 0 }
        let limit = min(options.limit, Self.maxCount) - found + skipped
        let ranges = try pattern.matches(in: document.text, limit: limit, language: language)
        let left = min(skipped, ranges.count)
        skipped -= left
        waiting = ranges.dropFirst(left)
        found += waiting.count
        if !waiting.isEmpty { places = SectionPlaces(document, section, in: publication.manifest) }
    }
}

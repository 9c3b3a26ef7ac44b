import FileProviderCore
import Foundation
import MediaTypes

/// What is read at once: a resource of the reading order, or a page of a PDF document.
struct ContentSection: Hashable, Sendable {
    /// The index of the resource in the reading order.
    var index: Int
    var link: Link
    /// The number of the page, from 1, in a document that has several.
    var page: Int?

    /// The sections of a publication in reading order.
    static func all(of manifest: Manifest) -> [ContentSection] {
        manifest.readingOrder.enumerated().flatMap { index, link in
            guard MediaType.pdf.contains(link.mediaType) else { return [ContentSection(index: index, link: link)] }
            let count = manifest.readingOrder.count == 1 ? manifest.metadata.numberOfPages ?? 1 : 1
            return (1...max(1, min(count, maxPages))).map { ContentSection(index: index, link: link, page: $0) }
        }
    }

    private static let maxPages = 1_000_000

    init(index: Int, link: Link, page: Int? = nil) {
        (self.index, self.link, self.page) = (index, link, page)
    }
}

/// Reads the sections of a publication, one at a time, and has what follows brought closer by few requests.
///
/// Used by one task at a time.
struct SectionReader: Sendable {
    let sections: [ContentSection]
    private let fetcher: any Fetcher
    private let limits: ContentLimits
    /// Sections below this index are within reach.
    private var prefetched = 0
    /// How much the next prefetch may take.
    private var budget = SectionReader.firstBudget
    /// Bytes of resources that were taken apart so far.
    private(set) var bytesRead: Int64 = 0

    /// The first request brings little, so that what it brings is there soon.
    private static let firstBudget: Int64 = 64 << 10
    /// Close to what an archive keeps of one prefetch, half of its cache, so that there is less than one request for a
    /// MiB in spite of the first small one.
    private static let maxBudget: Int64 = 7 << 18
    /// What an archive has in front of each entry.
    private static let headerLength: Int64 = 256

    init(_ manifest: Manifest, fetcher: any Fetcher, limits: ContentLimits = ContentLimits()) {
        self.fetcher = fetcher
        sections = ContentSection.all(of: manifest)
        self.limits = limits
    }

    /// The hrefs of resources that ``readable(at:)`` passed over.
    private(set) var unreadable: [String] = []

    /// As ``document(at:)``, but nil for what is missing, damaged or too large, so that the rest of a book can be used.
    ///
    /// - Throws: Errors of the storage; `CocoaError(.fileReadNoPermission)` for what is protected.
    mutating func readable(at index: Int) async throws -> ContentDocument? {
        do {
            return try await document(at: index)
        } catch let error as CocoaError where Self.isPassedOver(error) {
            // Of a PDF document each page is a section of the same resource.
            if unreadable.last != sections[index].link.href { unreadable.append(sections[index].link.href) }
            return nil
        }
    }

    /// Whether `error` is about one resource alone, so that the rest can be read.
    private static func isPassedOver(_ error: CocoaError) -> Bool {
        switch error.code {
        case .fileReadNoPermission: false
        case .fileReadNoSuchFile, .fileReadUnknownStringEncoding: true
        default: ContentErrors.isOne(error)
        }
    }

    /// The section at `index`, taken apart; nil for what has no text and is no picture or sound.
    ///
    /// - Throws: Errors of the storage; `CocoaError(.fileReadTooLarge)` over a limit.
    mutating func document(at index: Int) async throws -> ContentDocument? {
        try Task.checkCancellation()
        let section = sections[index]
        let type = section.link.mediaType
        if type.isBitmap || type == .svg { return .only(.image, section.link) }
        if type.isAudio { return .only(.audio, section.link) }
        if type.isVideo { return .only(.video, section.link) }
        if let page = section.page { return try await pdfPage(page, of: section.link) }
        guard type.isHTML else { return nil }
        try await prefetch(from: index)
        let resource = fetcher.get(section.link)
        let data: Data
        do {
            let sink = DataSink(limit: limits.bytes)
            try await resource.stream(nil, into: sink)
            data = sink.data
        } catch {
            await resource.close()
            throw error
        }
        await resource.close()
        bytesRead += Int64(data.count)
        return try ContentDocument.parse(data, link: resource.link, limits: limits)
    }

    private mutating func pdfPage(_ page: Int, of link: Link) async throws -> ContentDocument? {
        let resource = fetcher.get(link)
        do {
            let text = try await PDFPageText.read(page - 1, of: resource)
            await resource.close()
            bytesRead += Int64(text.utf8.count)
            return .page(text, limits: limits)
        } catch {
            await resource.close()
            throw error
        }
    }

    /// Brings the section at `index` and those behind it closer, as many as the budget has room for: a little
    /// at first, 1.75 MiB from then on.
    private mutating func prefetch(from index: Int) async throws {
        guard index >= prefetched, let prefetching = fetcher as? any PrefetchingFetcher else { return }
        var hrefs: [String] = []
        var size: Int64 = 0
        var next = index
        while next < sections.count, sections[next].link.mediaType.isHTML {
            let known = fetcher.get(sections[next].link).link.storedLength ?? Self.maxBudget
            let length = min(max(0, known), Self.maxBudget) + Self.headerLength
            guard hrefs.isEmpty || size + length <= budget else { break }
            hrefs.append(sections[next].link.href)
            size += length
            next += 1
        }
        prefetched = next
        budget = Self.maxBudget
        if !hrefs.isEmpty { try await prefetching.prefetch(hrefs: hrefs) }
    }
}

extension ContentDocument {
    /// A resource that is one picture, recording or film.
    static func only(_ kind: Block.Kind, _ link: Link) -> ContentDocument {
        var document = ContentDocument()
        document.media = [Media(reference: "", type: link.type, label: link.title)]
        document.blocks = [
            Block(kind: kind, role: .paragraph, isFootnote: false, node: -1, start: 0, end: 0, media: 0)
        ]
        return document
    }

    /// The text of a page, whose paragraphs are separated by empty lines.
    static func page(_ text: String, limits: ContentLimits) -> ContentDocument {
        var document = ContentDocument()
        let bytes = Array(text.utf8.prefix(limits.text))
        var isBlank = true
        var start: Int?
        func close() {
            guard let first = start else { return }
            document.blocks.append(
                Block(
                    kind: .text, role: .paragraph, isFootnote: false, node: -1, start: Int32(first),
                    end: Int32(document.text.count), media: -1))
            document.segments.append(Segment(start: Int32(first), language: -1, flags: []))
            start = nil
        }
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let words = line.split(whereSeparator: MarkupText.isSpace)
            if words.isEmpty {
                isBlank = true
                continue
            }
            if isBlank { close() }
            if !document.text.isEmpty { document.text.append(start == nil ? UInt8(ascii: "\n") : UInt8(ascii: " ")) }
            if start == nil { start = document.text.count }
            document.text.append(contentsOf: words.joined(separator: [UInt8(ascii: " ")]))
            isBlank = false
        }
        close()
        return document
    }
}

import FileProviderCore
import Foundation
import MediaTypes

/// Finds places: where a locator leads to, and which locator leads to a place.
public protocol LocatorService: PublicationService {
    /// `locator` with everything that can be known of its place; nil where there is no such place.
    ///
    /// - Throws: Errors of the storage.
    func locate(_ locator: Locator) async throws -> Locator?

    /// The place with `progression` of the publication before it, from 0 to 1; nil for an empty publication.
    ///
    /// - Throws: Errors of the storage.
    func locate(progression: Double) async throws -> Locator?

    /// Where the quotation `text` stands now, in a publication that may have been edited since; nil where nothing like
    /// it is found.
    ///
    /// - Parameter near: Where it stood. This resource is searched first, then the ones around it.
    /// - Throws: Errors of the storage.
    func locate(text: Locator.Text, near: Locator?) async throws -> Locator?

    /// The place of `locator` in numbers; nil where there is no such place.
    ///
    /// - Throws: Errors of the storage.
    func place(of locator: Locator) async throws -> LocatorPlace?
}

/// A place in a resource in numbers.
public struct LocatorPlace: Hashable, Sendable {
    /// The index of the resource in the reading order.
    public var resource: Int
    /// How much of the resource's text lies before the place, from 0 to 1; of a PDF document the number of the page,
    /// from 1.
    public var progression: Double
    /// Bytes (UTF-8) of the text that ``progression`` counts in.
    public var textLength: Int

    /// A place in numbers.
    public init(resource: Int, progression: Double, textLength: Int) {
        self.resource = resource
        self.progression = progression
        self.textLength = textLength
    }
}

extension PublicationServiceKey where Service == any LocatorService {
    /// Locators.
    public static var locator: Self { Self("locator") }
}

extension Publication {
    /// `locator` with everything that can be known of its place: position, progressions, selector, EPUB CFI; nil where
    /// there is no such place.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: The resource is read if it is text; nothing for images and sound.
    public func locate(_ locator: Locator) async throws -> Locator? { try await service(.locator)?.locate(locator) }

    /// The place with `progression` of the publication before it, from 0 to 1; for sound by time, else by positions.
    ///
    /// - Returns: Nil for an empty publication.
    /// - Throws: Errors of the storage.
    /// - Complexity: No request.
    public func locate(progression: Double) async throws -> Locator? {
        try await service(.locator)?.locate(progression: progression)
    }

    /// Where the quotation `text` stands now, in a publication that may have been edited since.
    ///
    /// The same words between the same words are found first, then the same words, then words that differ in up to three
    /// of ten characters.
    ///
    /// Resources that are damaged or too large are passed over.
    ///
    /// - Returns: Nil where nothing like it is found.
    /// - Throws: Errors of the storage.
    /// - Complexity: Reads resources until it is found, that of `near` and those around it first.
    public func locate(text: Locator.Text, near: Locator? = nil) async throws -> Locator? {
        try await service(.locator)?.locate(text: text, near: near)
    }

    /// The locator of position `position`, which counts from 1; nil where there is none.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: As ``positions()``.
    public func locator(atPosition position: Int) async throws -> Locator? {
        try await positions().first { $0.locations.position == position }
    }

    /// The position that `locator` is at or behind, from 1; nil for what has none, such as sound.
    ///
    /// - Throws: Errors of the storage.
    public func position(of locator: Locator) async throws -> Int? {
        if let position = locator.locations.position { return position }
        return try await locate(locator)?.locations.position
    }

    /// The place, or the start of the range, that `cfi` leads to; nil where there is none, or in what is no EPUB.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: The chapter is read.
    public func locate(_ cfi: EPUBCFI) async throws -> Locator? {
        guard let service = service(.locator) as? StandardLocators else { return nil }
        return try await service.locate(cfi)
    }

    /// The EPUB CFI of the place that `locator` leads to; nil for what is no EPUB.
    ///
    /// - Throws: Errors of the storage.
    /// - Complexity: The chapter is read, unless the locator has a `partialCfi`.
    public func cfi(of locator: Locator) async throws -> EPUBCFI? {
        guard let service = service(.locator) as? StandardLocators else { return nil }
        return try await service.cfi(of: locator)
    }
}

/// Places in the resources of the reading order.
final class StandardLocators: LocatorService {
    let context: PublicationServiceContext
    let spine: EPUBSpine?

    /// - Parameter spine: Where the package document of an EPUB has its chapters; nil for other publications.
    init(_ context: PublicationServiceContext, spine: EPUBSpine? = nil) {
        self.context = context
        self.spine = spine
    }

    var manifest: Manifest { context.manifest }

    // MARK: From a locator

    func locate(_ locator: Locator) async throws -> Locator? {
        guard let index = index(of: locator.href) else { return nil }
        let link = manifest.readingOrder[index]
        let type = link.mediaType
        if type.isAudio || type.isVideo { return timed(locator, index) }
        if type.isBitmap || type == .svg || MediaType.pdf.contains(type) {
            let positions = try await context.publication().positionsByReadingOrder()
            return paged(locator, index, positions)
        }
        guard let (places, place) = try await placeInText(locator, index) else { return nil }
        let positions = try await context.publication().positionTable()
        var result = places.locator(at: place.offset, node: place.node, positions: positions)
        result.title = locator.title ?? result.title
        if !locator.locations.fragments.isEmpty { result.locations.fragments = locator.locations.fragments }
        result.text = locator.text
        result.otherProperties = locator.otherProperties
        for (name, value) in locator.locations.otherLocations where result.locations.otherLocations[name] == nil {
            result.locations.otherLocations[name] = value
        }
        return result
    }

    /// The locator with the position of its page, or with a page by its progression; nil for a page that there is not.
    private func paged(_ locator: Locator, _ index: Int, _ positions: [[Locator]]) -> Locator? {
        var locator = locator
        let isDocument = MediaType.pdf.contains(manifest.readingOrder[index].mediaType)
        var page = isDocument ? locator.locations.page : nil
        // Of one document among several, the number of pages is not known.
        if isDocument, manifest.readingOrder.count == 1, positions.indices.contains(index) {
            let count = positions[index].count
            guard page ?? 1 <= count else { return nil }
            if page == nil {
                let number = min(count, Int((locator.locations.progression ?? 0) * Double(count)) + 1)
                locator.locations.fragments.append("page=\(number)")
                page = number
            }
        }
        locator.setPosition(among: PositionTable(positions), resource: index, page: page)
        return locator
    }

    func place(of locator: Locator) async throws -> LocatorPlace? {
        guard let index = index(of: locator.href) else { return nil }
        if let page = locator.locations.page {
            return LocatorPlace(resource: index, progression: Double(page), textLength: 0)
        }
        guard manifest.readingOrder[index].mediaType.isHTML,
            let (places, place) = try await placeInText(locator, index)
        else { return LocatorPlace(resource: index, progression: locator.locations.progression ?? 0, textLength: 0) }
        return LocatorPlace(
            resource: index, progression: places.document.progression(at: place.offset),
            textLength: places.document.text.count)
    }

    /// The section of `locator`, and the place in its text.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` where there is no such place; errors of the storage.
    func find(_ locator: Locator) async throws -> (section: Int, place: ContentDocument.Place) {
        let sections = ContentSection.all(of: manifest)
        guard let index = index(of: locator.href), let first = sections.firstIndex(where: { $0.index == index }) else {
            throw FileError.make(.fileReadNoSuchFile, path: locator.href)
        }
        if sections[first].page != nil {
            let count = sections.count { $0.index == index }
            let page =
                locator.locations.page ?? (locator.locations.progression.map { Int($0 * Double(count)) + 1 } ?? 1)
            return (first + min(max(1, page), count) - 1, ContentDocument.Place(offset: 0))
        }
        guard sections[first].link.mediaType.isHTML else { return (first, ContentDocument.Place(offset: 0)) }
        guard let (_, place) = try await placeInText(locator, index) else {
            throw FileError.make(.fileReadNoSuchFile, path: locator.href)
        }
        return (first, place)
    }

    /// The index in the reading order.
    func index(of href: String) -> Int? {
        let wanted = HREFBase.resource(of: href.hasPrefix("/") ? String(href.dropFirst()) : href)
        return manifest.readingOrder.firstIndex { HREFBase.resource(of: $0.href) == wanted }
    }

    func places(_ index: Int) async throws -> SectionPlaces? {
        var reader = SectionReader(context.manifest, fetcher: context.fetcher)
        guard let section = reader.sections.firstIndex(where: { $0.index == index }),
            let document = try await reader.document(at: section)
        else { return nil }
        return SectionPlaces(document, reader.sections[section], in: manifest)
    }

    /// The most exact of what the locator says: a quotation, CFI, id, selector, progression.
    func placeInText(_ locator: Locator, _ index: Int) async throws -> (SectionPlaces, ContentDocument.Place)? {
        guard let places = try await places(index) else { return nil }
        let document = places.document
        let locations = locator.locations
        let marked = markedPlace(locations, in: document)
        let byProgression = document.offset(at: locations.progression ?? 0)
        if locator.text.highlight != nil, var finder = QuotationFinder(locator.text),
            let match = finder.find(in: document.text, near: marked?.offset ?? byProgression)
        {
            // The element around the text, since a picture may begin at the same place.
            let offset = match.range.lowerBound
            let node = document.run(at: offset).map { Int($0.node) }
            return (places, ContentDocument.Place(offset: offset, node: node))
        }
        if let marked { return (places, marked) }
        let names =
            locations.htmlID != nil || locations.cssSelector != nil || locations.partialCFI != nil
            || locations.fragments.contains { $0.hasPrefix("epubcfi(") }
        if names, locations.progression == nil { return nil }
        return (places, ContentDocument.Place(offset: byProgression))
    }

    /// Where an id, a CFI or a selector leads to; nil where there is none, or no such place.
    private func markedPlace(_ locations: Locator.Locations, in document: ContentDocument) -> ContentDocument.Place? {
        let paths = [locations.partialCFI].compactMap(\.self) + locations.fragments.filter { $0.hasPrefix("epubcfi(") }
        for text in paths {
            if let path = EPUBCFI(text)?.startPaths.last, let place = ContentCFI(document).place(of: path) {
                return place
            }
        }
        let selected = locations.cssSelector.flatMap { SimpleSelector($0) }
        let node = locations.htmlID.flatMap { document.nodeOfID[$0] }.map { Int($0) } ?? selected?.first(in: document)
        return node.map { ContentDocument.Place(offset: document.start(of: $0), node: $0) }
    }

    // MARK: By progression

    func locate(progression: Double) async throws -> Locator? {
        let progression = progression.isNaN ? 0 : min(1, max(0, progression))
        let total = duration
        if total > 0 { return time(progression * total) }
        let positions = try await context.publication().positionsByReadingOrder()
        let count = positions.reduce(0) { $0 + $1.count }
        guard count > 0 else { return nil }
        let index = min(count - 1, Int(progression * Double(count) + 1e-9))
        // Positions before the resource.
        var before = 0
        guard
            let resource = positions.first(where: { positions in
                if index < before + positions.count { return true }
                before += positions.count
                return false
            })
        else { return nil }
        var locator = resource[index - before]
        // A page of a PDF document is a whole.
        if locator.locations.fragments.isEmpty {
            locator.locations.progression = (progression * Double(count) - Double(before)) / Double(resource.count)
        }
        locator.locations.totalProgression = progression
        return locator
    }

    // MARK: Sound and video

    /// Seconds of the whole reading order; 0 where a part says none.
    private var duration: Double {
        let durations = manifest.readingOrder.map { $0.duration ?? 0 }
        return durations.isEmpty || durations.contains(0) ? 0 : durations.reduce(0, +)
    }

    private func time(_ seconds: Double) -> Locator? {
        var left = seconds
        for (index, link) in manifest.readingOrder.enumerated() {
            let duration = link.duration ?? 0
            if left < duration || index == manifest.readingOrder.count - 1 {
                let text = (min(left, duration) * 1000).rounded() / 1000
                let locator = Locator(
                    href: link.href, type: link.type ?? MediaType.binary.string, title: link.title,
                    locations: Locator.Locations(fragments: ["t=\(text)"]))
                return timed(locator, index)
            }
            left -= duration
        }
        return nil
    }

    /// The locator with progressions by its time, or with a time by its progression.
    private func timed(_ locator: Locator, _ index: Int) -> Locator {
        var locator = locator
        let durations = manifest.readingOrder.map { $0.duration ?? 0 }
        guard durations[index] > 0 else { return locator }
        let seconds = locator.locations.time?.start ?? (locator.locations.progression ?? 0) * durations[index]
        let time = min(max(0, seconds), durations[index])
        if locator.locations.time == nil { locator.locations.fragments.append("t=\((time * 1000).rounded() / 1000)") }
        locator.locations.progression = time / durations[index]
        if duration > 0 { locator.locations.totalProgression = (durations[..<index].reduce(0, +) + time) / duration }
        locator.title = locator.title ?? manifest.readingOrder[index].title
        return locator
    }

    // MARK: By text

    func locate(text: Locator.Text, near: Locator?) async throws -> Locator? {
        guard var finder = QuotationFinder(text) else { return nil }
        let publication = try context.publication()
        var reader = SectionReader(context.manifest, fetcher: context.fetcher)
        let start =
            near.flatMap { locator in index(of: locator.href) }.map { index in
                reader.sections.firstIndex { $0.index == index } ?? 0
            } ?? 0
        let order = reader.sections.indices.sorted { abs($0 - start) < abs($1 - start) }
        var best: (locator: Locator, difference: Double)?
        for index in order {
            guard let document = try await reader.readable(at: index), !document.text.isEmpty else { continue }
            let places = SectionPlaces(document, reader.sections[index], in: manifest)
            let expected = index == start ? near.map { document.offset(at: $0.locations.progression ?? 0) } : nil
            guard let match = finder.find(in: document.text, near: expected) else { continue }
            if match.difference < (best?.difference ?? .infinity) - 0.01 {
                let positions = try await publication.positionTable()
                best = (places.locator(match.range, positions: positions, contextLength: 60), match.difference)
            }
            // The same words between the same words: nothing can be better.
            if match.difference < 0.05 { break }
        }
        return best?.locator
    }

    // MARK: EPUB CFI

    func locate(_ cfi: EPUBCFI) async throws -> Locator? {
        guard let spine, let index = spine.resource(of: cfi.startPaths, in: manifest) else { return nil }
        guard let places = try await places(index) else { return nil }
        let offset = cfi.startPaths.dropFirst().last.flatMap { ContentCFI(places.document).offset(of: $0) }
        guard offset != nil || cfi.startPaths.count == 1 else { return nil }
        let positions = try await context.publication().positionTable()
        if cfi.end != nil, let start = offset,
            let end = cfi.endPaths.dropFirst().last.flatMap({ ContentCFI(places.document).offset(of: $0) }), end > start
        {
            return places.locator(start..<end, positions: positions, contextLength: 60)
        }
        return places.locator(at: offset ?? 0, positions: positions)
    }

    func cfi(of locator: Locator) async throws -> EPUBCFI? {
        guard let spine, let index = index(of: locator.href), let path = spine.path(of: manifest.readingOrder[index])
        else {
            return nil
        }
        var partial = locator.locations.partialCFI
        if partial == nil { partial = try await locate(locator)?.locations.partialCFI }
        guard let partial, var cfi = EPUBCFI(partial) else { return EPUBCFI([path]) }
        cfi.paths.insert(path, at: 0)
        return cfi
    }
}

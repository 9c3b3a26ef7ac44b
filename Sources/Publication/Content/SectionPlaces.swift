import Foundation
import MediaTypes

/// Places in one section as locators, and locators as places in it.
struct SectionPlaces: Sendable {
    let document: ContentDocument
    let section: ContentSection
    private let title: String?

    init(_ document: ContentDocument, _ section: ContentSection, in manifest: Manifest) {
        self.document = document
        self.section = section
        title = section.link.title ?? manifest.tableOfContents.title(ofResource: section.link.href) ?? document.title
    }

    /// The part `range` of the text, with what stands around it.
    func locator(_ range: Range<Int>, positions: PositionTable, contextLength: Int) -> Locator {
        var locator = locator(at: range.lowerBound, positions: positions)
        let (before, after) = document.context(range, count: contextLength)
        locator.text = Locator.Text(before: before, highlight: document.string(range), after: after)
        if let run = document.runs.isEmpty ? nil : ContentCFI(document).range(range) {
            locator.locations.partialCFI = run
        }
        return locator
    }

    /// The place `offset` in the text, or the element `node` that begins there.
    func locator(at offset: Int, node: Int? = nil, positions: PositionTable) -> Locator {
        let progression = document.progression(at: offset)
        var locations = Locator.Locations(
            fragments: section.page.map { ["page=\($0)"] } ?? [], progression: section.page == nil ? progression : nil)
        if let node {
            locations.cssSelector = document.selector(of: node)
            locations.partialCFI = ContentCFI(document).element(node)
        } else if let block = document.block(at: offset).map({ document.blocks[$0] }), block.node >= 0 {
            locations.cssSelector = document.selector(of: Int(block.node))
            locations.partialCFI = ContentCFI(document).point(offset)
        }
        var locator = Locator(
            href: section.link.href, type: section.link.type ?? MediaType.html.string, title: title,
            locations: locations)
        locator.setPosition(among: positions, resource: section.index, page: section.page)
        return locator
    }

    /// The element that block `index` is.
    func element(_ index: Int, positions: PositionTable) -> ContentElement {
        let block = document.blocks[index]
        let isElement = block.kind != .text && block.node >= 0
        var locator = locator(
            at: Int(block.start), node: isElement ? Int(block.node) : nil, positions: positions)
        if block.node >= 0 { locator.locations.cssSelector = document.selector(of: Int(block.node)) }
        switch block.kind {
        case .text:
            let text = text(of: block)
            locator.text = Locator.Text(highlight: text.string)
            return ContentElement(locator: locator, body: .text(text))
        case .pageBreak:
            return ContentElement(locator: locator, body: .pageBreak(label: document.media[Int(block.media)].label))
        case .image: return ContentElement(locator: locator, body: .image(media(of: block)))
        case .audio: return ContentElement(locator: locator, body: .audio(media(of: block)))
        case .video: return ContentElement(locator: locator, body: .video(media(of: block)))
        }
    }

    private func media(of block: ContentDocument.Block) -> ContentElement.Media {
        let media = document.media[Int(block.media)]
        if media.reference.isEmpty { return ContentElement.Media(link: section.link, description: media.label) }
        let href = HREFBase.folder(of: section.link.href).resolve(media.reference) ?? media.reference
        var link = Link(href: href, type: media.type)
        if link.type == nil {
            link.type = HREFBase.resource(of: href).split(separator: ".").last.flatMap {
                MediaType.known(fileExtension: String($0))?.string
            }
        }
        return ContentElement.Media(link: link, description: media.label)
    }

    private func text(of block: ContentDocument.Block) -> ContentElement.Text {
        var segments: [ContentElement.Segment] = []
        let (start, end) = (Int(block.start), Int(block.end))
        var index = ContentDocument.last(of: document.segments) { Int($0.start) <= start } ?? 0
        var next = start
        while next < end {
            let known = document.segments.indices.contains(index) ? document.segments[index] : nil
            let following =
                document.segments.indices.contains(index + 1) ? Int(document.segments[index + 1].start) : end
            let limit = min(end, max(following, next + 1))
            add(next..<limit, known, to: &segments)
            next = limit
            index += 1
        }
        return ContentElement.Text(role: block.role, isFootnote: block.isFootnote, segments: segments)
    }

    /// Adds the part `range` of the text, taken apart at ruby annotations.
    private func add(
        _ range: Range<Int>, _ segment: ContentDocument.Segment?, to segments: inout [ContentElement.Segment]
    ) {
        func append(_ part: Range<Int>, ruby: String?) {
            guard !part.isEmpty else { return }
            segments.append(
                ContentElement.Segment(
                    document.string(part),
                    language: segment.flatMap { $0.language < 0 ? nil : document.languages[Int($0.language)] },
                    ruby: ruby, isHiddenFromAssistiveTechnology: segment?.flags.contains(.ariaHidden) ?? false,
                    isNoteReference: segment?.flags.contains(.noteReference) ?? false))
        }
        var next = range.lowerBound
        var index = ContentDocument.last(of: document.annotations) { Int($0.end) <= next }.map { $0 + 1 } ?? 0
        while index < document.annotations.count, Int(document.annotations[index].start) < range.upperBound {
            let annotation = document.annotations[index]
            let start = max(next, Int(annotation.start))
            let end = min(range.upperBound, Int(annotation.end))
            append(next..<start, ruby: nil)
            append(start..<max(start, end), ruby: annotation.text)
            next = max(start, end)
            index += 1
        }
        append(next..<range.upperBound, ruby: nil)
    }
}

extension ContentDocument {
    /// A CSS selector that leads to the element `node` alone: from the nearest element with a unique id, else from the
    /// root.
    func selector(of node: Int) -> String {
        var steps: [String] = []
        var index = node
        while index >= 0 {
            let element = nodes[index]
            if element.id >= 0, nodeOfID[ids[Int(element.id)]] == Int32(index) {
                steps.append("#" + Self.escaped(ids[Int(element.id)]))
                break
            }
            let name = names[Int(element.name)]
            let isOnlyOne = element.parent < 0 || Int32(index) == body
            steps.append(isOnlyOne ? Self.escaped(name) : "\(Self.escaped(name)):nth-child(\(element.position))")
            index = Int(element.parent)
        }
        return steps.reversed().joined(separator: " > ")
    }

    /// A CSS identifier (CSS Syntax, section 4.3.11): what may not be in one is escaped by its code.
    private static func escaped(_ name: String) -> String {
        var result = ""
        for (index, scalar) in name.unicodeScalars.enumerated() {
            let isPlain = scalar.value >= 0x80 || scalar == "-" || scalar == "_" || scalar.properties.isAlphabetic
            let isDigit = ("0"..."9").contains(scalar)
            let isFirst = index == 0 || index == 1 && name.hasPrefix("-")
            if isPlain && name != "-" || isDigit && !isFirst {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\" + String(scalar.value, radix: 16) + " "
            }
        }
        return result
    }
}

extension Locator {
    /// Adds the position that is at or before the place, and how far it is through the publication.
    mutating func setPosition(among positions: PositionTable, resource index: Int, page: Int? = nil) {
        if let page {
            guard let place = positions.page(page, inResource: index) else { return }
            locations.progression = place.progression
            (locations.position, locations.totalProgression) = (place.position, place.totalProgression)
        } else if let place = positions.place(inResource: index, progression: locations.progression ?? 0) {
            (locations.position, locations.totalProgression) = (place.position, place.totalProgression)
        }
    }
}

extension [Link] {
    /// What a table of contents calls the resource at `href`; the first link to it counts.
    func title(ofResource href: String) -> String? {
        for link in self {
            if HREFBase.resource(of: link.href) == HREFBase.resource(of: href), let title = link.title { return title }
            if let title = link.children.title(ofResource: href) { return title }
        }
        return nil
    }
}

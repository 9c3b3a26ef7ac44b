import Foundation

@testable import Publication

/// A chapter: as XHTML, as HTML, as the text of a page, and with limits that it soon exceeds.
func fuzzContent(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    let bytes = Data(FuzzInput(data, size: size).bytes)
    for type in ["application/xhtml+xml", "text/html"] {
        let link = Link(href: "chapter", type: type)
        for limits in [ContentLimits(), smallLimits] {
            do {
                check(try ContentDocument.parse(bytes, link: link, limits: limits), link, limits)
            } catch {
                checkError(error)
            }
        }
    }
    let page = ContentDocument.page(String(decoding: bytes, as: UTF8.self), limits: ContentLimits())
    check(page, Link(href: "page", type: "application/pdf"), ContentLimits())
    return 0
}

private let smallLimits = {
    var limits = ContentLimits()
    (limits.text, limits.elements, limits.nodes, limits.depth) = (100, 8, 40, 10)
    return limits
}()

private func check(_ document: ContentDocument, _ link: Link, _ limits: ContentLimits) {
    // A line feed in front of a paragraph comes on top.
    precondition(
        document.text.count <= limits.text + 1 && document.blocks.count <= limits.elements
            && document.nodes.count <= limits.nodes, "It is larger than allowed.")
    precondition(
        String(decoding: document.text, as: UTF8.self).utf8.elementsEqual(document.text), "The text is not UTF-8.")
    checkNodes(document)
    checkBlocks(document)
    checkTables(document)
    checkElements(SectionPlaces(document, ContentSection(index: 0, link: link), in: manifest))
    checkSelectors(document)
    checkPlaces(document)
}

private let manifest = Manifest(metadata: Metadata(title: LocalizedString("A Book")))

private func checkNodes(_ document: ContentDocument) {
    precondition(document.textStarts.count == document.nodes.count, "An element has no place.")
    precondition(isAscending(document.textStarts) { $0 <= $1 }, "Elements begin before those in front of them.")
    precondition(
        document.textStarts.allSatisfy { isPlace(Int($0), document) }, "An element begins outside of the text.")
    for (index, node) in document.nodes.enumerated() {
        precondition((-1..<Int32(index)).contains(node.parent) && node.position > 0, "An element has no place.")
        precondition(document.names.indices.contains(Int(node.name)), "An element has no name.")
        precondition(node.id == -1 || document.ids.indices.contains(Int(node.id)), "An element's id is none.")
    }
}

/// Paragraphs make up the text, with one line feed between two of them; other blocks are at a place in it.
private func checkBlocks(_ document: ContentDocument) {
    precondition(isAscending(document.blocks) { $0.start <= $1.start }, "Blocks are out of order.")
    var end: Int?
    for block in document.blocks {
        let (start, next) = (Int(block.start), Int(block.end))
        precondition(isPlace(start, document) && isPlace(next, document), "A block is outside of the text.")
        precondition(block.node < Int32(document.nodes.count), "A block has no element.")
        precondition((block.kind == .text) == (block.media < 0), "A block is text and not text.")
        guard block.kind == .text else {
            precondition(start == next && document.media.indices.contains(Int(block.media)), "An image is text.")
            continue
        }
        precondition(start < next && start == end.map { $0 + 1 } ?? 0, "Text is between two paragraphs.")
        if let end { precondition(document.text[end] == UInt8(ascii: "\n"), "No line feed ends a paragraph.") }
        end = next
    }
    precondition(end ?? 0 == document.text.count, "Text is behind the last paragraph.")
}

private func checkTables(_ document: ContentDocument) {
    precondition(isAscending(document.runs) { $0.start < $1.start }, "Runs are out of order.")
    for run in document.runs {
        precondition(
            isPlace(Int(run.start), document) && document.nodes.indices.contains(Int(run.node))
                && run.step > 0 && !run.step.isMultiple(of: 2) && run.offset >= 0, "A run leads nowhere.")
    }
    precondition(isAscending(document.segments) { $0.start < $1.start }, "Segments are out of order.")
    for segment in document.segments {
        precondition(
            isPlace(Int(segment.start), document)
                && (segment.language == -1 || document.languages.indices.contains(Int(segment.language))),
            "A segment leads nowhere.")
    }
    precondition(isAscending(document.annotations) { $0.end <= $1.end }, "Ruby is out of order.")
    for ruby in document.annotations {
        precondition(
            ruby.start < ruby.end && isPlace(Int(ruby.start), document) && isPlace(Int(ruby.end), document),
            "Ruby is outside of the text.")
    }
}

/// The parts of a paragraph make up its text, and its locator survives JSON.
private func checkElements(_ places: SectionPlaces) {
    let blocks = places.document.blocks
    for index in sample(blocks.count) {
        let element = places.element(index, positions: PositionTable([]))
        if case .text(let text) = element.body {
            let whole = places.document.string(Int(blocks[index].start)..<Int(blocks[index].end))
            precondition(text.string == whole, "A paragraph's parts are not its text.")
        }
        let json = element.locator.json
        precondition((try? Locator(json: json))?.json == json, "A locator changed.")
    }
}

/// Selectors lead back to the elements of blocks.
private func checkSelectors(_ document: ContentDocument) {
    // With a second root or body inside, CSS cannot tell which one is meant.
    let names = document.nodes.map { document.names[Int($0.name)].lowercased() }
    guard names.filter({ $0 == names[0] }).count <= 1, names.filter({ $0 == "body" }).count <= 1 else { return }
    for index in sample(document.blocks.count) {
        let node = Int(document.blocks[index].node)
        guard node >= 0 else { continue }
        let selector = document.selector(of: node)
        guard let read = SimpleSelector(selector) else {
            precondition(
                selector.utf8.count > 16 << 10 || depth(of: node, document) > 200, "“\(selector)” is not read.")
            continue
        }
        precondition(read.first(in: document) == node, "“\(selector)” leads elsewhere.")
    }
}

/// CFIs lead back to the places and the parts of the text that they were made of.
private func checkPlaces(_ document: ContentDocument) {
    let cfi = ContentCFI(document)
    for offset in sample(document.text.count) where isPlace(offset, document) {
        guard let point = cfi.point(offset) else {
            precondition(document.runs.isEmpty && document.nodes.isEmpty, "A place has no CFI.")
            return
        }
        if let place = readCFI(point) {
            precondition(place.startPaths.last.flatMap { cfi.offset(of: $0) } == offset, "“\(point)” leads elsewhere.")
        }
        let end = document.characterStart(min(document.text.count, offset + 37))
        guard end > offset, let range = cfi.range(offset..<end), let both = readCFI(range) else { continue }
        precondition(
            both.startPaths.last.flatMap { cfi.offset(of: $0) } == offset
                && both.endPaths.last.flatMap { cfi.offset(of: $0) } == end, "“\(range)” leads elsewhere.")
    }
}

/// - Returns: Nil for one that is too long or too deep to be read.
private func readCFI(_ text: String) -> EPUBCFI? {
    if let cfi = EPUBCFI(text) { return cfi }
    precondition(text.utf8.count > 4 << 10 || text.split(separator: "/").count > 512, "“\(text)” is not read.")
    return nil
}

private func depth(of node: Int, _ document: ContentDocument) -> Int {
    var (depth, index) = (0, node)
    while index >= 0 { (depth, index) = (depth + 1, Int(document.nodes[index].parent)) }
    return depth
}

/// Whether `offset` is in the text or at its end, and in front of a character.
private func isPlace(_ offset: Int, _ document: ContentDocument) -> Bool { document.characterStart(offset) == offset }

/// Up to about a hundred indexes, the first one among them.
private func sample(_ count: Int) -> StrideTo<Int> { stride(from: 0, to: count, by: max(1, count / 100)) }

private func isAscending<Element>(_ elements: [Element], _ areInOrder: (Element, Element) -> Bool) -> Bool {
    zip(elements, elements.dropFirst()).allSatisfy { areInOrder($0, $1) }
}

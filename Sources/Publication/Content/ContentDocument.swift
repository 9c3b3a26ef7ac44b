/// One resource taken apart into what people read: its text in one piece, and tables that say which part of it is what.
///
/// Text is UTF-8 with white space collapsed as CSS does by default. Blocks are separated by one line feed. The tables
/// are arrays of small values, so that a chapter with a hundred thousand elements stays within a few MiB; locators and
/// ``ContentElement``s are made from them one at a time.
struct ContentDocument: Sendable {
    /// An element of the markup.
    struct Node: Sendable {
        /// The index of the element around it; -1 for the root.
        var parent: Int32
        /// Its place among the elements of its parent, from 1.
        var position: Int32
        /// An index in ``names``.
        var name: Int32
        /// An index in ``ids``; -1 where it has none.
        var id: Int32
    }

    /// A stretch of ``text`` from one text node of the markup, character for character.
    struct Run: Sendable {
        /// The offset in ``text``.
        var start: Int32
        /// The element around the text node.
        var node: Int32
        /// The step to the text node in an EPUB CFI: 1 before the first child element, 3 behind it, and so on.
        var step: Int32
        /// UTF-16 units of the text node that lie before.
        var offset: Int32
    }

    /// A stretch of a block's text with the same properties; it reaches to the next segment, or the block's end.
    struct Segment: Sendable {
        /// The offset in ``text``.
        var start: Int32
        /// An index in ``languages``; -1 where the document does not say.
        var language: Int32
        var flags: SegmentFlags
    }

    struct SegmentFlags: OptionSet, Sendable {
        let rawValue: UInt8
        /// Shown, but not meant for assistive technology (`aria-hidden`).
        static let ariaHidden = SegmentFlags(rawValue: 1)
        /// The mark that leads to a note.
        static let noteReference = SegmentFlags(rawValue: 2)
    }

    /// A ruby annotation.
    struct Annotation: Sendable {
        /// The annotated part of ``text``.
        var start: Int32
        var end: Int32
        var text: String
    }

    /// Something that stands by itself: a paragraph, a heading, an image.
    struct Block: Sendable {
        enum Kind: Sendable { case text, image, audio, video, pageBreak }
        var kind: Kind
        var role: ContentElement.Role
        var isFootnote: Bool
        /// The element of the markup.
        var node: Int32
        /// The part of ``text``; empty for what is no text.
        var start: Int32
        var end: Int32
        /// An index in ``media``; -1 for text.
        var media: Int32
    }

    /// What a block that is no text leads to.
    struct Media: Sendable {
        /// As the markup has it: relative to the resource.
        var reference: String
        var type: String?
        /// A description, or the label of a page break.
        var label: String?
    }

    var text: [UInt8] = []
    var nodes: [Node] = []
    var names: [String] = []
    var ids: [String] = []
    var runs: [Run] = []
    var segments: [Segment] = []
    var languages: [String] = []
    var annotations: [Annotation] = []
    var blocks: [Block] = []
    var media: [Media] = []
    /// The text of the `title` element.
    var title: String?
    /// The first `body` in the root; -1 where there is none.
    var body: Int32 = -1
    /// The base direction that the root or the body declares (`dir`).
    var direction: String?
    /// The ids of elements with the first one that has each.
    var nodeOfID: [String: Int32] = [:]
    /// Bytes of ``text`` before each node; see ``start(of:)``.
    var textStarts: [Int32] = []
}

extension ContentDocument {
    /// The part of ``text`` as a string.
    func string(_ range: Range<Int>) -> String {
        String(decoding: text[range.clamped(to: 0..<text.count)], as: UTF8.self)
    }

    /// How much of the text lies before `offset`, from 0 to 1.
    func progression(at offset: Int) -> Double {
        text.isEmpty ? 0 : min(1, max(0, Double(offset) / Double(text.count)))
    }

    /// The start of the first character with at least `progression` of the text before it.
    ///
    /// Rounded up, because a place in front of the start of a position would belong to the position before. Products
    /// that are off by a rounding error count as whole.
    func offset(at progression: Double) -> Int {
        var offset = Int((Double(text.count) * min(1, max(0, progression)) - 1e-6).rounded(.up))
        while offset < text.count, text[offset] & 0xC0 == 0x80 { offset += 1 }
        return max(0, offset)
    }

    /// The start of the UTF-8 sequence around `offset`.
    func characterStart(_ offset: Int) -> Int {
        var offset = min(max(0, offset), text.count)
        while offset > 0, offset < text.count, text[offset] & 0xC0 == 0x80 { offset -= 1 }
        return offset
    }

    /// The text of up to `count` characters before `offset`, and behind `end`.
    func context(_ range: Range<Int>, count: Int) -> (before: String?, after: String?) {
        var start = range.lowerBound
        var left = count
        while start > 0, left > 0 {
            start = characterStart(start - 1)
            left -= 1
        }
        var end = range.upperBound
        left = count
        while end < text.count, left > 0 {
            end += 1
            while end < text.count, text[end] & 0xC0 == 0x80 { end += 1 }
            left -= 1
        }
        return (
            start < range.lowerBound ? string(start..<range.lowerBound) : nil,
            end > range.upperBound ? string(range.upperBound..<end) : nil
        )
    }

    /// The index of the block at `offset`: the paragraph that goes on there, else the first of those that begin there,
    /// else the last one before; nil where there is none.
    ///
    /// - Parameter node: The element that is meant, of several blocks that begin at `offset`, such as images in a row.
    func block(at offset: Int, node: Int? = nil) -> Int? {
        guard let last = Self.last(of: blocks, where: { Int($0.start) <= offset }) else { return nil }
        var first = last
        while first > 0, Int(blocks[first - 1].start) == offset { first -= 1 }
        if let node, Int(blocks[last].start) == offset,
            let own = blocks[first...last].firstIndex(where: { isInside($0.node, Int32(node)) })
                ?? blocks[first...last].lastIndex(where: { $0.node >= 0 && isInside(Int32(node), $0.node) })
        {
            return own
        }
        // An image or a page break inside a paragraph does not end it.
        if let around = blocks[...last].lastIndex(where: { $0.kind == .text }), Int(blocks[around].start) < offset,
            offset < Int(blocks[around].end)
        {
            return around
        }
        return Int(blocks[last].start) == offset ? first : last
    }

    /// The offset in ``text`` at which the content of `node` begins: behind the line feed or space that parts it from
    /// what stands before.
    func start(of node: Int) -> Int {
        let start = Int(textStarts[node])
        guard start < text.count, text[start] == 0x20 || text[start] == 0x0A else { return start }
        let next = Self.last(of: runs) { Int($0.start) <= start + 1 }
        guard let next, Int(runs[next].start) == start + 1, next == 0 || Int(runs[next - 1].start) < start else {
            return start
        }
        return start + 1
    }

    /// The index of the last element for which `isBefore` holds, of elements in order.
    static func last<Element>(of elements: [Element], where isBefore: (Element) -> Bool) -> Int? {
        var (low, high) = (0, elements.count)
        while low < high {
            let middle = (low + high) / 2
            if isBefore(elements[middle]) { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : low - 1
    }
}

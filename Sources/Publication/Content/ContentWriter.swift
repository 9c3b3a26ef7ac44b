import Foundation
import SafeXML

/// Makes a ``ContentDocument`` of the elements and texts of an HTML or XHTML document, in their order. A value, so that
/// each event costs one check of exclusive access.
struct ContentWriter {
    private(set) var document = ContentDocument()
    private let limits: ContentLimits

    /// What is open around the current place. Copied often, so it holds nothing that is counted.
    fileprivate struct Frame {
        enum Kind { case title, ruby, reading, media, other }
        var node: Int32
        var kind: Kind
        /// Child elements so far.
        var children: Int32 = 0
        /// UTF-16 units of the current text node so far.
        var chunk: Int32 = 0
        var language: Int32 = -1
        var role = ContentElement.Role.paragraph
        var flags: ContentDocument.SegmentFlags = []
        var isBlock = false
        var isFootnote = false
        /// Nothing inside is shown.
        var isSkipped = false
        var isInSVG = false
        var keepsSpace = false
        /// Where the text begins that the next ruby annotation belongs to; nil outside ruby.
        var rubyStart: Int32?
        /// Text goes into ``label`` and not into the document.
        var collects = false
        /// The element that ``label`` is of.
        var ownsLabel = false
    }

    private var frames: [Frame] = []
    private var label: [UInt8] = []
    private var knownElements: [String: KnownElement] = [:]
    private var languageIndices: [String: Int32] = [:]
    private var openBlock: Int?
    /// White space was read that the next character may need: a space or a line feed.
    private var pendingSpace: UInt8?
    /// The properties of the text that ``pendingSpace`` is part of.
    private var pendingFrame: Frame?
    /// The UTF-16 offset in the text node that would go on with the last run.
    private var expectedOffset: Int32 = 0

    init(limits: ContentLimits) {
        self.limits = limits
    }

    // MARK: Elements

    mutating func start(element: String, namespace: String, attributes: [XMLAttribute]) throws {
        let parent = frames.last
        if !frames.isEmpty {
            frames[frames.count - 1].children += 1
            frames[frames.count - 1].chunk = 0
        }
        let attributes = Attributes(attributes)
        let known = knownElement(element)
        let element = known.rule
        let node = addNode(known.name, parent: parent?.node ?? -1, position: (parent?.children ?? 0) + 1, attributes)
        var frame = Frame(node: node, kind: element.kind)
        if let parent { frame.inherit(parent) }
        if let language = attributes.language { frame.language = index(ofLanguage: language) }
        frame.isInSVG = frame.isInSVG || element.tag == .svg
        frame.isSkipped =
            frame.isSkipped || element.isSkipped || attributes.isHidden || frame.isInSVG && element.isSkippedInSVG
        if attributes.isAriaHidden { frame.flags.insert(.ariaHidden) }
        if frame.isSkipped {
            if frame.kind == .title, !frame.isInSVG, !frame.collects { collect(&frame) }
            if element.tag == .source, let parent { try addSource(attributes, parent) }
        } else if !frame.collects {
            try begin(element, attributes, &frame)
        }
        if element.tag == .body, document.body < 0, parent?.node == 0 { document.body = node }
        if document.direction == nil, frames.count < 2 { document.direction = attributes["dir"]?.lowercased() }
        frames.append(frame)
    }

    private mutating func begin(_ element: ElementRule, _ attributes: Attributes, _ frame: inout Frame) throws {
        let types = attributes.types
        if attributes.isNote(types) {
            // Its text is a block, also that of a note in the middle of a paragraph.
            (frame.isFootnote, frame.isBlock) = (true, true)
            closeBlock()
        }
        if types.contains("noteref") || types.contains("doc-noteref") { frame.flags.insert(.noteReference) }
        switch element.tag {
        case .img:
            try add(.image, attributes["src"], type: nil, label: attributes.description(alternative: "alt"), frame)
        case .image:
            try add(.image, attributes["href"], type: nil, label: attributes.description(alternative: "alt"), frame)
        case .audio, .video:
            closeBlock()
            let kind = element.tag == .audio ? ContentDocument.Block.Kind.audio : .video
            if let source = attributes["src"] {
                try add(kind, source, type: nil, label: attributes.description(alternative: "alt"), frame)
            } else {
                pendingMedia = (kind, attributes.description(alternative: "alt"))
            }
            // Inside is what readers show that play nothing.
            frame.isSkipped = true
        case .br: if openBlock != nil { (pendingSpace, pendingFrame) = (UInt8(ascii: "\n"), frame) }
        case .ruby: frame.rubyStart = Int32(document.text.count)
        case .reading:
            collect(&frame)
        case .svg, .body, .source, .other:
            if types.contains("pagebreak") || types.contains("doc-pagebreak") {
                try addPageBreak(attributes, &frame)
            } else if element.isBlock {
                closeBlock()
                frame.isBlock = true
                if let role = element.role { frame.role = role }
                if element.role == .preformatted { frame.keepsSpace = true }
            }
        }
    }

    private var pendingMedia: (ContentDocument.Block.Kind, String?)?
    private var openPageBreak: Int?

    /// The first source of a recording or film counts.
    private mutating func addSource(_ attributes: Attributes, _ parent: Frame) throws {
        guard let (kind, label) = pendingMedia, let source = attributes["src"] else { return }
        pendingMedia = nil
        try add(kind, source, type: attributes["type"], label: label, parent)
    }

    private mutating func addPageBreak(_ attributes: Attributes, _ frame: inout Frame) throws {
        let label = attributes["title"] ?? attributes["aria-label"]
        try add(.pageBreak, "", type: nil, label: label.map(MarkupText.trimmed), frame)
        collect(&frame)
        if label == nil { openPageBreak = document.media.count - 1 }
    }

    mutating func end(element: String, namespace: String) throws {
        guard let frame = frames.popLast() else { return }
        if frame.ownsLabel { endCollected(frame) }
        if frame.isBlock, !frame.isSkipped { closeBlock() }
        if frame.kind == .media { pendingMedia = nil }
    }

    private mutating func collect(_ frame: inout Frame) {
        frame.collects = true
        frame.ownsLabel = true
        label.removeAll()
    }

    private mutating func endCollected(_ frame: Frame) {
        let text = MarkupText.collapsed(String(decoding: label, as: UTF8.self))
        label.removeAll()
        switch frame.kind {
        case .title: if document.title == nil, !text.isEmpty { document.title = text }
        case .reading:
            guard let index = frames.lastIndex(where: { $0.rubyStart != nil && $0.kind == .ruby }) else { return }
            let end = Int32(document.text.count)
            var start = frames[index].rubyStart ?? 0
            while start < end, MarkupText.isSpace(document.text[Int(start)]) { start += 1 }
            frames[index].rubyStart = end
            if start < end, !text.isEmpty {
                document.annotations.append(ContentDocument.Annotation(start: start, end: end, text: text))
            }
        default:
            if let index = openPageBreak, !text.isEmpty { document.media[index].label = text }
            openPageBreak = nil
        }
    }

    private mutating func addNode(_ name: Int32, parent: Int32, position: Int32, _ attributes: Attributes) -> Int32 {
        let index = Int32(document.nodes.count)
        var id: Int32 = -1
        if let value = attributes["id"], !value.isEmpty {
            id = Int32(document.ids.count)
            document.ids.append(value)
            if document.nodeOfID[value] == nil { document.nodeOfID[value] = index }
        }
        document.nodes.append(ContentDocument.Node(parent: parent, position: position, name: name, id: id))
        document.textStarts.append(Int32(document.text.count))
        return index
    }

    /// What is known of elements with a name, looked up once for each element.
    private struct KnownElement {
        /// An index in ``ContentDocument/names``.
        let name: Int32
        let rule: ElementRule
    }

    private mutating func knownElement(_ name: String) -> KnownElement {
        if let known = knownElements[name] { return known }
        let known = KnownElement(name: Int32(document.names.count), rule: ElementRule(name))
        document.names.append(name)
        knownElements[name] = known
        return known
    }

    private mutating func index(ofLanguage language: String) -> Int32 {
        if let index = languageIndices[language] { return index }
        let index = Int32(document.languages.count)
        document.languages.append(language)
        languageIndices[language] = index
        return index
    }

    private mutating func add(
        _ kind: ContentDocument.Block.Kind, _ reference: String?, type: String?, label: String?, _ frame: Frame
    ) throws {
        guard let reference, kind == .pageBreak || !MarkupText.trimmed(reference).isEmpty else { return }
        let media = ContentDocument.Media(reference: reference, type: type, label: label)
        let position = Int32(document.text.count)
        document.media.append(media)
        try append(
            ContentDocument.Block(
                kind: kind, role: frame.role, isFootnote: frame.isFootnote, node: frame.node, start: position,
                end: position, media: Int32(document.media.count - 1)))
    }

    private mutating func append(_ block: ContentDocument.Block) throws {
        guard document.blocks.count < limits.elements else {
            throw ContentLimits.exceeded("more than \(limits.elements) paragraphs and images")
        }
        document.blocks.append(block)
    }

    // MARK: Text

    mutating func text(utf8 bytes: UnsafeBufferPointer<UInt8>) throws {
        guard let frame = frames.last else { return }
        let last = frames.count - 1
        if frame.collects || frame.isSkipped {
            if frame.collects { label.append(contentsOf: bytes.prefix(max(0, 4096 - label.count))) }
            frames[last].chunk += Self.utf16Count(bytes[...])
        } else {
            frames[last].chunk = try append(bytes, frame)
        }
    }

    /// - Returns: The UTF-16 offset in the text node behind `bytes`.
    private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ frame: Frame) throws -> Int32 {
        guard document.text.count + bytes.count <= limits.text else {
            throw ContentLimits.exceeded("more than \(limits.text) bytes of text")
        }
        var next = 0
        // The UTF-16 offset of `next` in the text node.
        var offset = frame.chunk
        while next < bytes.count {
            if !frame.keepsSpace, MarkupText.isSpace(bytes[next]) {
                let start = next
                while next < bytes.count, MarkupText.isSpace(bytes[next]) { next += 1 }
                if openBlock != nil, pendingSpace == nil { (pendingSpace, pendingFrame) = (UInt8(ascii: " "), frame) }
                offset += Int32(next - start)
                continue
            }
            let span = Span(bytes, from: next, keepsSpace: frame.keepsSpace)
            try openBlockIfNeeded(frame)
            if let space = pendingSpace {
                // White space in front of this text node belongs to what was read before.
                let isHere = next > 0
                if isHere { beginRun(frame, offset: offset - 1) }
                beginSegment(pendingFrame ?? frame)
                document.text.append(space)
                if isHere { expectedOffset += 1 }
                pendingSpace = nil
            }
            beginRun(frame, offset: offset)
            beginSegment(frame)
            let start = document.text.count
            document.text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[next..<span.end]))
            if span.hasBreaks {
                for index in start..<document.text.count where MarkupText.isSpace(document.text[index]) {
                    document.text[index] = UInt8(ascii: " ")
                }
            }
            let units = span.isASCII ? Int32(span.end - next) : Self.utf16Count(bytes[next..<span.end])
            expectedOffset += units
            offset += units
            next = span.end
        }
        return offset
    }

    /// Text that goes into the document as long as it is: words with one character of white space between them.
    private struct Span {
        private(set) var end: Int
        private(set) var isASCII = true
        /// Whether white space other than spaces is in it, which becomes spaces.
        private(set) var hasBreaks = false

        init(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int, keepsSpace: Bool) {
            end = start
            var all: UInt8 = 0
            while end < bytes.count {
                // Most text by eight bytes at once.
                if end + 8 <= bytes.count {
                    let eight = EightBytes(bytes, at: end)
                    if eight.isASCII, keepsSpace || eight.isWords {
                        end += 8
                        continue
                    }
                }
                let byte = bytes[end]
                if byte <= 0x20, !keepsSpace, MarkupText.isSpace(byte) {
                    guard end + 1 < bytes.count, !MarkupText.isSpace(bytes[end + 1]) else { break }
                    if byte != 0x20 { hasBreaks = true }
                }
                all |= byte
                end += 1
            }
            isASCII = all < 0x80
        }
    }

    /// Begins a run unless the last one goes on here.
    private mutating func beginRun(_ frame: Frame, offset: Int32) {
        let step = 2 * frame.children + 1
        if let last = document.runs.last, last.node == frame.node, last.step == step, expectedOffset == offset {
            return
        }
        document.runs.append(
            ContentDocument.Run(start: Int32(document.text.count), node: frame.node, step: step, offset: offset))
        expectedOffset = offset
    }

    private mutating func beginSegment(_ frame: Frame) {
        if let last = document.segments.last, last.language == frame.language, last.flags == frame.flags,
            let openBlock, last.start >= document.blocks[openBlock].start
        {
            return
        }
        document.segments.append(
            ContentDocument.Segment(
                start: Int32(document.text.count), language: frame.language, flags: frame.flags))
    }

    private mutating func openBlockIfNeeded(_ frame: Frame) throws {
        guard openBlock == nil else { return }
        if !document.text.isEmpty { document.text.append(UInt8(ascii: "\n")) }
        pendingSpace = nil
        let block = frames.last { $0.isBlock } ?? frame
        let start = Int32(document.text.count)
        openBlock = document.blocks.count
        try append(
            ContentDocument.Block(
                kind: .text, role: frame.role, isFootnote: frame.isFootnote, node: block.node, start: start, end: start,
                media: -1))
    }

    private mutating func closeBlock() {
        pendingSpace = nil
        guard let open = openBlock else { return }
        document.blocks[open].end = Int32(document.text.count)
        openBlock = nil
    }

    /// Ends the document.
    mutating func finish() {
        closeBlock()
        // What stands between two paragraphs is where the next one begins, behind the line feed between them.
        var following: Int32?
        for index in document.blocks.indices.reversed() {
            let block = document.blocks[index]
            if block.kind == .text {
                following = block.start
            } else if let following, block.start + 1 == following {
                document.blocks[index].start = following
                document.blocks[index].end = following
            }
        }
    }

    static func utf16Count(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int32 {
        var count: Int32 = 0
        for byte in bytes {
            if byte & 0xC0 != 0x80 { count &+= 1 }
            if byte >= 0xF0 { count &+= 1 }
        }
        return count
    }
}

/// What the name of an element means for the text in it.
private struct ElementRule {
    /// Elements that are more than a block or a part of one.
    enum Tag { case img, image, audio, video, br, ruby, reading, svg, body, source, other }

    let tag: Tag
    let kind: ContentWriter.Frame.Kind
    let isSkipped: Bool
    /// Whether it is not shown as a part of a drawing.
    let isSkippedInSVG: Bool
    let isBlock: Bool
    let role: ContentElement.Role?

    init(_ name: String) {
        switch name {
        case "img": tag = .img
        case "image": tag = .image
        case "audio": tag = .audio
        case "video": tag = .video
        case "br": tag = .br
        case "ruby": tag = .ruby
        case "rt", "rtc": tag = .reading
        case "svg": tag = .svg
        case "body": tag = .body
        case "source": tag = .source
        default: tag = .other
        }
        kind =
            switch tag {
            case .ruby: .ruby
            case .reading: .reading
            case .audio, .video: .media
            default: name == "title" ? .title : .other
            }
        isSkipped = Self.skipped.contains(name)
        isSkippedInSVG = Self.skippedInSVG.contains(name.lowercased())
        isBlock = Self.blocks.contains(name)
        role = Self.role(of: name)
    }

    private static let skipped: Set<String> = [
        "head", "title", "script", "style", "template", "rp", "datalist", "noframes", "annotation", "annotation-xml",
    ]
    private static let skippedInSVG: Set<String> = ["title", "desc", "metadata", "defs", "symbol", "clippath"]
    private static let blocks: Set<String> = [
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir",
        "div",
        "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hgroup", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "section", "summary", "table",
        "tbody", "td", "tfoot", "th", "thead", "tr", "ul", "option", "optgroup", "select", "textarea", "svg", "text",
    ]

    private static func role(of element: String) -> ContentElement.Role? {
        switch element {
        case "h1": .heading(level: 1)
        case "h2": .heading(level: 2)
        case "h3": .heading(level: 3)
        case "h4": .heading(level: 4)
        case "h5": .heading(level: 5)
        case "h6": .heading(level: 6)
        case "li", "dd", "dt": .listItem
        case "blockquote": .quotation
        case "figcaption", "caption": .caption
        case "td", "th": .tableCell
        case "pre": .preformatted
        default: nil
        }
    }
}

extension ContentWriter.Frame {
    /// What holds inside an element as around it.
    fileprivate mutating func inherit(_ parent: Self) {
        language = parent.language
        role = parent.role
        flags = parent.flags
        isFootnote = parent.isFootnote
        isSkipped = parent.isSkipped
        isInSVG = parent.isInSVG
        keepsSpace = parent.keepsSpace
        collects = parent.collects
    }
}

/// The attributes of an element, by their names with the usual prefixes.
private struct Attributes {
    private let all: [XMLAttribute]

    init(_ attributes: [XMLAttribute]) { all = attributes }

    /// The value of the attribute `name`: with that name exactly, else with any prefix or namespace.
    subscript(name: String) -> String? {
        all.first { $0.name == name && $0.namespace.isEmpty }?.value ?? all.first { $0.name == name }?.value
            ?? all.first { Self.has(name, behindPrefix: $0.name) }?.value
    }

    private static func has(_ name: String, behindPrefix full: String) -> Bool {
        let (full, name) = (full.utf8, name.utf8)
        guard full.count > name.count + 1 else { return false }
        let end = full.suffix(name.count + 1)
        return end.first == UInt8(ascii: ":") && end.dropFirst().elementsEqual(name)
    }

    var language: String? {
        guard !all.isEmpty, let language = self["lang"].map(MarkupText.trimmed), !language.isEmpty else { return nil }
        return language.utf8.count <= 64 ? language : nil
    }

    /// Not shown: `hidden`, or a style that says so.
    var isHidden: Bool {
        for attribute in all {
            if attribute.name == "hidden", attribute.value.lowercased() != "until-found" { return true }
            if attribute.name == "style" {
                let style = attribute.value.lowercased().filter { !$0.isWhitespace }
                if style.contains("display:none") || style.contains("visibility:hidden") { return true }
            }
        }
        return false
    }

    var isAriaHidden: Bool { all.contains { $0.name == "aria-hidden" && $0.value.lowercased() == "true" } }

    /// The words of `epub:type` and `role`.
    var types: [String] {
        guard !all.isEmpty else { return [] }
        return all.filter {
            // Books forget to declare the prefix, which is dropped then.
            $0.name == "role" || $0.name == "epub:type" || $0.name == "type"
        }.flatMap { MarkupText.words($0.value.lowercased()) }
    }

    func isNote(_ types: [String]) -> Bool { types.contains { Self.notes.contains($0) } }

    /// What the element says of itself for people who do not see it.
    func description(alternative: String) -> String? {
        (self[alternative] ?? self["aria-label"] ?? self["title"]).map(MarkupText.collapsed)
    }

    private static let notes: Set<String> = [
        "footnote", "endnote", "rearnote", "doc-footnote", "doc-endnote", "note",
    ]
}

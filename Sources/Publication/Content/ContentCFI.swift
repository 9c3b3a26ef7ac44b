/// Places of a ``ContentDocument`` as the part of an EPUB CFI behind the step into the resource (EPUB Canonical Fragment
/// Identifiers 1.1, section 2), and back.
struct ContentCFI {
    private let document: ContentDocument

    init(_ document: ContentDocument) { self.document = document }

    /// `/4/2[id]/6`: the element `node`. The root has no step: it is the document.
    func element(_ node: Int) -> String { steps(to: node).joined() }

    private func steps(to node: Int) -> [String] {
        var steps: [String] = []
        var index = node
        while index >= 0, document.nodes[index].parent >= 0 {
            let element = document.nodes[index]
            // An id that an earlier element has too would lead there.
            let id = element.id < 0 ? nil : document.ids[Int(element.id)]
            let own = id.flatMap { document.nodeOfID[$0] == Int32(index) ? "[\(EPUBCFI.escaped($0))]" : nil } ?? ""
            steps.append("/\(2 * element.position)\(own)")
            index = Int(element.parent)
        }
        return steps.reversed()
    }

    /// `/4/2/1:12`: the character at `offset` of the text; nil where there is no text.
    func point(_ offset: Int) -> String? { parts(offset).map { $0.steps.joined() + $0.rest } }

    /// `/4/2,/1:3,/1:9`: the part `range` of the text.
    func range(_ range: Range<Int>) -> String? {
        guard let start = parts(range.lowerBound), let end = parts(max(range.lowerBound, range.upperBound - 1)),
            !range.isEmpty
        else { return point(range.lowerBound) }
        // Behind the last character, which may lie in another text node than the one that follows.
        let last = range.upperBound - 1
        let units: Int32 = document.text[document.characterStart(last)] >= 0xF0 ? 2 : 1
        let tail = "/\(end.step):\(end.offset + units)"
        let common = zip(start.steps, end.steps).prefix { $0 == $1 }.count
        let (first, second) = (start.steps.dropFirst(common).joined(), end.steps.dropFirst(common).joined())
        return "\(start.steps.prefix(common).joined()),\(first)\(start.rest),\(second)\(tail)"
    }

    private func parts(_ offset: Int) -> (steps: [String], rest: String, step: Int32, offset: Int32)? {
        guard let run = document.run(at: offset) else { return nil }
        let units = run.offset + document.utf16Count(Int(run.start)..<document.characterStart(offset))
        return (steps(to: Int(run.node)), "/\(run.step):\(units)", run.step, units)
    }

    /// The place that `path` leads to; nil where the document has no such place.
    ///
    /// An `[id]` that is there counts more than the steps before it, as the specification has it for documents that were
    /// changed (section 3.1.1).
    func place(of path: EPUBCFI.Path) -> ContentDocument.Place? {
        guard var node = document.nodes.indices.first else { return nil }
        for (index, step) in path.steps.enumerated() {
            if let id = step.id, let known = document.nodeOfID[id] {
                node = Int(known)
                continue
            }
            guard step.number.isMultiple(of: 2) else {
                guard index == path.steps.count - 1 else { return nil }
                let (number, units) = (Int32(clamping: step.number), Int32(clamping: path.offset ?? 0))
                return offset(in: Int32(node), step: number, units: units).map { ContentDocument.Place(offset: $0) }
            }
            guard let child = document.child(of: Int32(node), at: Int32(clamping: step.number / 2)) else { return nil }
            node = Int(child)
        }
        return ContentDocument.Place(offset: document.start(of: node), node: node)
    }

    /// The offset in the text that `path` leads to; see ``place(of:)``.
    func offset(of path: EPUBCFI.Path) -> Int? { place(of: path)?.offset }

    /// - Returns: Where white space was collapsed, the place at which it was; nil where `node` has no such text node.
    private func offset(in node: Int32, step: Int32, units: Int32) -> Int? {
        guard step == 1 || document.child(of: node, at: step / 2) != nil else { return nil }
        var best: Int?
        for (index, run) in document.runs(of: node) where run.step == step {
            if run.offset > units { return best ?? Int(run.start) }
            let end = index + 1 < document.runs.count ? Int(document.runs[index + 1].start) : document.text.count
            best = document.advance(Int(run.start), by: units - run.offset, notBeyond: end)
        }
        if let best { return best }
        // White space that is not shown maps to the start of the next element, or to the end of the document.
        if let next = document.child(of: node, at: step / 2 + 1) { return document.start(of: Int(next)) }
        return document.end(of: node)
    }
}

extension ContentDocument {
    /// A place in the text.
    struct Place {
        var offset: Int
        /// The element that is meant; nil for a place between two characters.
        var node: Int?
    }

    /// The run around `offset`; nil where there is no text.
    func run(at offset: Int) -> Run? {
        Self.last(of: runs) { Int($0.start) <= offset }.map { runs[$0] } ?? runs.first
    }

    /// The runs of the text nodes directly in `node`, with their indexes.
    func runs(of node: Int32) -> [(index: Int, run: Run)] {
        let start = Self.last(of: runs) { $0.start < textStarts[Int(node)] } ?? 0
        var found: [(Int, Run)] = []
        for index in start..<runs.count {
            let run = runs[index]
            if run.node == node { found.append((index, run)) }
            // Runs of later elements outside this one.
            if run.node > node, !isInside(run.node, node) { break }
        }
        return found
    }

    /// The offset in ``text`` behind the last character in `node`; where it has none, ``start(of:)``.
    func end(of node: Int32) -> Int {
        var end: Int?
        for index in (Self.last(of: runs) { $0.start < textStarts[Int(node)] } ?? 0)..<runs.count {
            if isInside(runs[index].node, node) {
                end = index + 1 < runs.count ? Int(runs[index + 1].start) : text.count
            } else if runs[index].node > node {
                break
            }
        }
        guard var end else { return start(of: Int(node)) }
        // The line feed or the space in front of the next run.
        if end < text.count, end > 0, text[end - 1] == 0x20 || text[end - 1] == 0x0A { end -= 1 }
        return end
    }

    /// Whether `node` is `ancestor`, or inside it.
    func isInside(_ node: Int32, _ ancestor: Int32) -> Bool {
        var index = node
        while index > ancestor { index = nodes[Int(index)].parent }
        return index == ancestor
    }

    /// The child element at `position`, from 1.
    func child(of node: Int32, at position: Int32) -> Int32? {
        guard position > 0 else { return nil }
        var index = Int(node) + 1
        while index < nodes.count, nodes[index].parent >= node {
            if nodes[index].parent == node, nodes[index].position == position { return Int32(index) }
            index += 1
        }
        return nil
    }

    /// UTF-16 units of the part `range`.
    func utf16Count(_ range: Range<Int>) -> Int32 {
        text[range.clamped(to: 0..<text.count)].reduce(0) { $0 + ($1 & 0xC0 != 0x80 ? 1 : 0) + ($1 >= 0xF0 ? 1 : 0) }
    }

    /// The offset `units` UTF-16 units behind `offset`.
    func advance(_ offset: Int, by units: Int32, notBeyond end: Int) -> Int {
        var (offset, left) = (offset, units)
        while left > 0, offset < end {
            left -= text[offset] >= 0xF0 ? 2 : 1
            offset += 1
            while offset < end, text[offset] & 0xC0 == 0x80 { offset += 1 }
        }
        return offset
    }
}

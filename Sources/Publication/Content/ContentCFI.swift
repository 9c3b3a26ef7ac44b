/// Places of a ``ContentDocument`` as the part of an EPUB CFI behind the step into the resource (EPUB Canonical Fragment
/// Identifiers 1.1, section 2), and back.
struct ContentCFI {
    private let document: ContentDocument

    init(_ document: ContentDocument) { self.document = document }

    /// `/4/2[id]/6`: the element `node`. The root has no step of its own: it is the document.
    func element(_ node: Int) -> String {
        var steps: [String] = []
        var index = node
        while index >= 0, document.nodes[index].parent >= 0 {
            let element = document.nodes[index]
            let id = element.id < 0 ? "" : "[\(EPUBCFI.escaped(document.ids[Int(element.id)]))]"
            steps.append("/\(2 * element.position)\(id)")
            index = Int(element.parent)
        }
        return steps.reversed().joined()
    }

    /// `/4/2/1:12`: the character at `offset` of the text; nil where there is no text.
    func point(_ offset: Int) -> String? { parts(offset).map { $0.element + $0.rest } }

    /// `/4/2,/1:3,/1:9`: the part `range` of the text.
    func range(_ range: Range<Int>) -> String? {
        guard let start = parts(range.lowerBound), let end = parts(max(range.lowerBound, range.upperBound - 1)),
            !range.isEmpty
        else { return point(range.lowerBound) }
        // Behind the last character, which may lie in another text node than the one that follows.
        let last = range.upperBound - 1
        let units: Int32 = document.text[document.characterStart(last)] >= 0xF0 ? 2 : 1
        let tail = "/\(end.step):\(end.offset + units)"
        if start.element == end.element { return "\(start.element),\(start.rest),\(tail)" }
        let common = Self.commonSteps(start.element, end.element)
        return
            "\(common),\(start.element.dropFirst(common.count))\(start.rest),\(end.element.dropFirst(common.count))\(tail)"
    }

    private func parts(_ offset: Int) -> (element: String, rest: String, step: Int32, offset: Int32)? {
        guard let run = document.run(at: offset) else { return nil }
        let units = run.offset + document.utf16Count(Int(run.start)..<document.characterStart(offset))
        return (element(Int(run.node)), "/\(run.step):\(units)", run.step, units)
    }

    /// The steps that both begin with.
    private static func commonSteps(_ first: String, _ second: String) -> String {
        let (first, second) = (first.split(separator: "/"), second.split(separator: "/"))
        return zip(first, second).prefix { $0 == $1 }.map { "/" + $0.0 }.joined()
    }

    /// The offset in the text that `path` leads to; nil where the document has no such place.
    ///
    /// An `[id]` that is there counts more than the steps before it, as the specification has it for documents that were
    /// changed (section 3.1.1).
    func offset(of path: EPUBCFI.Path) -> Int? {
        guard let root = document.nodes.indices.first else { return nil }
        var node = Int32(root)
        for (index, step) in path.steps.enumerated() {
            if let id = step.id, let known = document.nodeOfID[id] {
                node = known
                continue
            }
            guard step.number.isMultiple(of: 2) else {
                guard index == path.steps.count - 1 else { return nil }
                return offset(in: node, step: Int32(clamping: step.number), units: Int32(clamping: path.offset ?? 0))
            }
            guard let child = document.child(of: node, at: Int32(clamping: step.number / 2)) else { return nil }
            node = child
        }
        return Int(document.textStarts[Int(node)])
    }

    private func offset(in node: Int32, step: Int32, units: Int32) -> Int? {
        var best: Int?
        for (index, run) in document.runs(of: node) where run.step == step {
            if run.offset > units { break }
            let end = index + 1 < document.runs.count ? Int(document.runs[index + 1].start) : document.text.count
            best = document.advance(Int(run.start), by: units - run.offset, notBeyond: end)
        }
        return best ?? Int(document.textStarts[Int(node)])
    }
}

extension ContentDocument {
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
            if run.node > node, !isInside(run.node, node), !found.isEmpty { break }
        }
        return found
    }

    private func isInside(_ node: Int32, _ ancestor: Int32) -> Bool {
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

/// Places of a ``ContentDocument`` as the part of an ``XPointer`` behind the chapter's `body`, and back.
///
/// KOReader's own document differs from the markup in white space: of text nodes that have nothing else it keeps those
/// between inline elements, and counts them. A place that depends on their number is written as the element before it.
struct ContentXPointer {
    private let document: ContentDocument

    init(_ document: ContentDocument) { self.document = document }

    // MARK: To a place

    /// The place that `pointer` leads to. In a chapter that has changed, it is the deepest element of the path that the
    /// chapter still has; nil for a document without a body.
    func place(of pointer: XPointer) -> ContentDocument.Place? {
        guard document.body >= 0 else { return nil }
        var node = document.body
        for step in pointer.steps {
            guard let child = child(of: node, step) else { return element(node) }
            node = child
        }
        guard let text = pointer.text else { return element(node) }
        let runs = document.runs(of: node)
        let steps = Self.steps(of: runs)
        // White space that is not shown may be counted, too.
        guard !steps.isEmpty, text > 0 else { return element(node) }
        let step = steps[min(text, steps.count) - 1]
        let own = runs.filter { $0.run.step == step }
        guard let first = own.first, let last = own.last else { return element(node) }
        let next = last.index + 1
        var end = next < document.runs.count ? Int(document.runs[next].start) : document.text.count
        // The line feed in front of the next block.
        if end > Int(last.run.start), document.text[end - 1] == 0x0A { end -= 1 }
        var (offset, left) = (Int(first.run.start), pointer.offset ?? 0)
        while left > 0, offset < end {
            offset = character(after: offset)
            left -= 1
        }
        return ContentDocument.Place(offset: min(offset, end))
    }

    private func element(_ node: Int32) -> ContentDocument.Place {
        ContentDocument.Place(offset: document.start(of: Int(node)), node: Int(node))
    }

    private func child(of node: Int32, _ step: XPointer.Step) -> Int32? {
        let wanted = step.name.lowercased()
        var left = step.index ?? 1
        for child in children(of: node) where name(of: child).lowercased() == wanted {
            left -= 1
            if left == 0 { return child }
        }
        return nil
    }

    // MARK: From a place

    /// Returns `pointer` with the path to `place`; the chapter alone for a place outside the body.
    func pointer(_ pointer: XPointer, to place: ContentDocument.Place) -> XPointer {
        var pointer = pointer
        pointer.offset = 0
        if let node = place.node {
            pointer.steps = steps(to: Int32(node)) ?? []
            return pointer
        }
        guard let run = document.run(at: place.offset), let steps = steps(to: run.node) else { return pointer }
        pointer.steps = steps
        let runs = document.runs(of: run.node)
        guard let text = number(ofText: run.step, among: Self.steps(of: runs)) else {
            let before = document.child(of: run.node, at: run.step / 2)
            pointer.steps = before.flatMap { self.steps(to: $0) } ?? steps
            return pointer
        }
        pointer.text = text
        var start = runs.first { $0.run.step == run.step }.map { Int($0.run.start) } ?? Int(run.start)
        var count = 0
        while start < place.offset {
            start = character(after: start)
            count += 1
        }
        pointer.offset = count
        return pointer
    }

    /// Which text node of its element the one at `step` is, from 1; nil if white space that isn't shown may be counted
    /// before it.
    private func number(ofText step: Int32, among steps: [Int32]) -> Int? {
        // White space before the first element is never counted.
        let needed = stride(from: Int32(3), through: step, by: 2)
        guard needed.allSatisfy({ steps.contains($0) }), let index = steps.firstIndex(of: step) else { return nil }
        return index + 1
    }

    /// The elements from the body, without it, to `node`; nil for an element outside the body.
    private func steps(to node: Int32) -> [XPointer.Step]? {
        var steps: [XPointer.Step] = []
        var index = node
        while index != document.body {
            guard index >= 0 else { return nil }
            let parent = document.nodes[Int(index)].parent
            guard parent >= 0 else { return nil }
            let own = name(of: index)
            let alike = children(of: parent).filter { name(of: $0) == own }
            let place = alike.firstIndex(of: index).map { $0 + 1 }
            steps.append(XPointer.Step(own, alike.count > 1 ? place : nil))
            index = parent
        }
        return steps.reversed()
    }

    // MARK: Parts

    private func name(of node: Int32) -> String { document.names[Int(document.nodes[Int(node)].name)] }

    private func children(of node: Int32) -> [Int32] {
        var children: [Int32] = []
        var index = Int(node) + 1
        while index < document.nodes.count, document.nodes[index].parent >= node {
            if document.nodes[index].parent == node { children.append(Int32(index)) }
            index += 1
        }
        return children
    }

    /// The steps of text nodes, in order.
    private static func steps(of runs: [(index: Int, run: ContentDocument.Run)]) -> [Int32] {
        runs.reduce(into: []) { steps, run in if steps.last != run.run.step { steps.append(run.run.step) } }
    }

    private func character(after offset: Int) -> Int {
        var offset = offset + 1
        while offset < document.text.count, document.text[offset] & 0xC0 == 0x80 { offset += 1 }
        return offset
    }
}

/// A place in an EPUB as KOReader writes it: `/body/DocFragment[12]/body/div/p[3]/text()[2].15`.
///
/// Indexes count from 1, among siblings of the same name. `DocFragment` counts the items of the spine.
///
/// Source: KOReader's pull request 8758 and the issues of readers that exchange places with it, such as readest 6014 and
/// prose-reader 334.
package struct XPointer: Hashable, Sendable {
    /// An element by its name.
    package struct Step: Hashable, Sendable {
        /// As in the markup.
        package var name: String
        /// Its place among siblings with this name; nil for the first.
        package var index: Int?

        package init(_ name: String, _ index: Int? = nil) {
            self.name = name
            self.index = index
        }
    }

    /// The item of the spine, from 1.
    package var fragment: Int
    /// The elements from the chapter's `body`, which is not among them, to the place.
    package var steps: [Step]
    /// The text node in the last element, from 1; nil if the element itself is meant.
    package var text: Int?
    /// Characters of the text node before the place, with white space collapsed.
    package var offset: Int?

    package init(fragment: Int, steps: [Step] = [], text: Int? = nil, offset: Int? = nil) {
        self.fragment = fragment
        self.steps = steps
        self.text = text
        self.offset = offset
    }
}

extension XPointer: LosslessStringConvertible {
    private static let maxLength = 4 << 10
    private static let maxSteps = 256
    /// Elements that KOReader's layout puts around others. Some of its versions write them, but no book has them.
    private static let boxes: Set<String> = [
        "autoBoxing", "tabularBox", "rubyBox", "floatBox", "inlineBox", "mathBox", "pseudoElem",
    ]

    /// Reads a place. Returns nil for other text, such as a page number, and for more than 4 KiB or 256 steps.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.maxLength, text.hasPrefix("/") else { return nil }
        var parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 2, parts.count <= Self.maxSteps + 3 else { return nil }
        let offset = Self.takeOffset(&parts[parts.count - 1])
        var steps: [Step] = []
        var node: Int?
        for part in parts {
            // Nothing is inside a text node.
            guard node == nil, let step = Self.step(part) else { return nil }
            if step.name == "text()" { node = step.index ?? 1 } else { steps.append(step) }
        }
        guard steps.count >= 2, steps[0].name == "body", steps[1].name == "DocFragment" else { return nil }
        let rest = steps.dropFirst(2)
        guard rest.first?.name.lowercased() ?? "body" == "body", node == nil || !rest.isEmpty else { return nil }
        self.init(
            fragment: steps[1].index ?? 1, steps: rest.dropFirst().filter { !Self.boxes.contains($0.name) }, text: node,
            offset: offset)
    }

    /// Removes `.15` from the end.
    private static func takeOffset(_ part: inout Substring) -> Int? {
        guard let dot = part.lastIndex(of: "."), let offset = number(part[part.index(after: dot)...]) else {
            return nil
        }
        part = part[..<dot]
        return offset
    }

    private static func step(_ part: Substring) -> Step? {
        guard let bracket = part.firstIndex(of: "[") else { return isName(part) ? Step(String(part)) : nil }
        let name = part[..<bracket]
        guard part.hasSuffix("]"), isName(name),
            let index = number(part[part.index(after: bracket)...].dropLast()), index > 0
        else { return nil }
        return Step(String(name), index)
    }

    private static func isName(_ text: Substring) -> Bool {
        if text == "text()" { return true }
        guard let first = text.unicodeScalars.first, first.properties.isAlphabetic || first == "_" else { return false }
        return !text.utf8.contains { $0 <= 0x20 || "()[]\"'#".utf8.contains($0) }
    }

    private static func number(_ text: Substring) -> Int? {
        let isPlain = (1...9).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isPlain ? Int(text) : nil
    }

    /// `/body/DocFragment[12]/body/div/p[3]/text().0`.
    package var description: String {
        var path = "/body/DocFragment[\(fragment)]"
        if !steps.isEmpty || text != nil { path += "/body" }
        for step in steps { path += "/" + step.name + (step.index.map { "[\($0)]" } ?? "") }
        if let text { path += text == 1 ? "/text()" : "/text()[\(text)]" }
        return path + (offset.map { ".\($0)" } ?? "")
    }
}

import Foundation

/// A CSS selector of the kind that locators have: ids, names and `:nth-child()` with a number, joined by `>` or a space.
struct SimpleSelector {
    private struct Part {
        var name: String?
        var id: String?
        var position: Int32?
        /// Whether the part before has to be the parent.
        var isChild = false
    }

    private var parts: [Part] = []
    /// Parts that are read at most.
    private static let maxParts = 256

    /// Nil for other kinds of selectors.
    init?(_ text: String) {
        guard text.utf8.count <= 16 << 10 else { return nil }
        var isChild = false
        for word in Self.words(text) {
            if word == ">" {
                isChild = true
                continue
            }
            guard let part = Self.part(word, isChild: isChild), parts.count < Self.maxParts else { return nil }
            parts.append(part)
            isChild = false
        }
        if parts.isEmpty || isChild { return nil }
    }

    /// Split at spaces that end no escape.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var escape = 0
        for character in text {
            if character == " ", escape == 0 {
                if !word.isEmpty { words.append(word) }
                word = ""
                continue
            }
            if character == ">", escape == 0 {
                if !word.isEmpty { words.append(word) }
                word = ""
                words.append(">")
                continue
            }
            word.append(character)
            if character == "\\" {
                escape = 1
            } else if escape > 0, character.isHexDigit, escape < 7 {
                escape += 1
            } else {
                escape = 0
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    private static func part(_ word: String, isChild: Bool) -> Part? {
        var part = Part(isChild: isChild)
        var rest = word[...]
        if let start = rest.range(of: ":nth-child("), rest.hasSuffix(")") {
            guard let position = Int32(rest[start.upperBound...].dropLast()), position > 0 else { return nil }
            part.position = position
            rest = rest[..<start.lowerBound]
        }
        guard let hash = rest.firstIndex(of: "#") else {
            let name = unescaped(rest)
            guard !rest.contains(where: { ".[:+~,*".contains($0) }) else { return nil }
            part.name = name.isEmpty ? nil : name
            return part.name == nil && part.position == nil ? nil : part
        }
        let name = unescaped(rest[..<hash])
        part.name = name.isEmpty ? nil : name
        let id = rest[rest.index(after: hash)...]
        guard !id.isEmpty, !id.contains(where: { ".[:+~,*#".contains($0) }) else { return nil }
        part.id = unescaped(id)
        return part
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("\\") else { return String(text) }
        var result = ""
        var rest = text[...]
        while let character = rest.popFirst() {
            guard character == "\\" else {
                result.append(character)
                continue
            }
            let digits = rest.prefix { $0.isHexDigit }.prefix(6)
            if digits.isEmpty {
                if let literal = rest.popFirst() { result.append(literal) }
            } else {
                rest = rest.dropFirst(digits.count)
                if rest.first == " " { rest = rest.dropFirst() }
                if let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init) {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// The first element of `document` that the selector fits.
    ///
    /// - Complexity: The number of elements times their depth.
    func first(in document: ContentDocument) -> Int? {
        document.nodes.indices.first { fits($0, parts.count - 1, document) }
    }

    private func fits(_ node: Int, _ index: Int, _ document: ContentDocument) -> Bool {
        let (part, element) = (parts[index], document.nodes[node])
        if let name = part.name, document.names[Int(element.name)].lowercased() != name.lowercased() { return false }
        if let id = part.id, element.id < 0 || document.ids[Int(element.id)] != id { return false }
        if let position = part.position, element.position != position { return false }
        guard index > 0 else { return true }
        var ancestor = Int(element.parent)
        while ancestor >= 0 {
            if fits(ancestor, index - 1, document) { return true }
            if part.isChild { return false }
            ancestor = Int(document.nodes[ancestor].parent)
        }
        return false
    }
}

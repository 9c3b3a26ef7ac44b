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
    /// What is read at most: bytes, and parts.
    private static let maxLength = 64 << 10
    private static let maxParts = 1_024

    /// Nil for other kinds of selectors.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maxLength else { return nil }
        var scanner = Scanner(Array(text.unicodeScalars))
        scanner.skipSpace()
        var isChild = false
        repeat {
            guard var part = scanner.part(), parts.count < Self.maxParts else { return nil }
            part.isChild = isChild
            parts.append(part)
            let hasSpace = scanner.skipSpace()
            isChild = scanner.take(">")
            if isChild { scanner.skipSpace() }
            if !isChild, !hasSpace, !scanner.isAtEnd { return nil }
        } while !scanner.isAtEnd || isChild
    }

    private struct Scanner {
        private let scalars: [Unicode.Scalar]
        private var index = 0

        init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

        var isAtEnd: Bool { index == scalars.count }
        private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

        mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard next == scalar else { return false }
            index += 1
            return true
        }

        @discardableResult
        mutating func skipSpace() -> Bool {
            let start = index
            while let scalar = next, Self.isSpace(scalar) { index += 1 }
            return index > start
        }

        /// `name#id:nth-child(3)`, of which each may be missing.
        mutating func part() -> Part? {
            var part = Part()
            part.name = identifier()
            if take("#") {
                guard let id = identifier() else { return nil }
                part.id = id
            }
            if take(":") {
                for scalar in "nth-child(".unicodeScalars where !take(scalar) { return nil }
                var digits = ""
                while let scalar = next, ("0"..."9").contains(scalar) {
                    digits.unicodeScalars.append(scalar)
                    index += 1
                }
                guard let position = Int32(digits), position > 0, take(")") else { return nil }
                part.position = position
            }
            return part.name == nil && part.id == nil && part.position == nil ? nil : part
        }

        /// An identifier with its escapes (CSS Syntax, section 4.3.11); nil where none begins.
        private mutating func identifier() -> String? {
            var result = String.UnicodeScalarView()
            while let scalar = next {
                if scalar == "\\" {
                    index += 1
                    guard let escaped = escaped() else { return nil }
                    result.append(escaped)
                } else if scalar.value >= 0x80 || scalar == "-" || scalar == "_" || Self.isLetterOrDigit(scalar) {
                    result.append(scalar)
                    index += 1
                } else {
                    break
                }
            }
            return result.isEmpty ? nil : String(result)
        }

        /// What follows a backslash: up to six hexadecimal digits and a space, or a character that means itself.
        private mutating func escaped() -> Unicode.Scalar? {
            var value: UInt32 = 0
            let start = index
            while index - start < 6, let scalar = next, let digit = Self.hexadecimal(scalar) {
                value = value << 4 | digit
                index += 1
            }
            guard index == start else {
                if let scalar = next, Self.isSpace(scalar) { index += 1 }
                return Unicode.Scalar(value) ?? "\u{FFFD}"
            }
            defer { index += 1 }
            return next
        }

        private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
            scalar == " " || ("\t"..."\r").contains(scalar)
        }

        private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar) || ("0"..."9").contains(scalar)
        }

        private static func hexadecimal(_ scalar: Unicode.Scalar) -> UInt32? {
            switch scalar {
            case "0"..."9": scalar.value - 0x30
            case "a"..."f": scalar.value - 0x61 + 10
            case "A"..."F": scalar.value - 0x41 + 10
            default: nil
            }
        }
    }

    /// The first element of `document` that the selector fits.
    ///
    /// - Complexity: The number of elements times the number of parts, at worst; usually the number of elements.
    func first(in document: ContentDocument) -> Int? {
        // For each element around the current one: which parts end there, with all parts before them above; and which
        // end anywhere above, of those that a space follows.
        var open: [(node: Int32, ends: Set<Int>, above: Set<Int>)] = []
        for (index, node) in document.nodes.enumerated() {
            while let last = open.last, last.node != node.parent { open.removeLast() }
            let parentEnds = open.last?.ends ?? []
            var above = open.last?.above ?? []
            for end in parentEnds where end + 1 < parts.count && !parts[end + 1].isChild { above.insert(end) }
            var ends: Set<Int> = fits(parts[0], index, document) ? [0] : []
            for end in above where fits(parts[end + 1], index, document) { ends.insert(end + 1) }
            for end in parentEnds where end + 1 < parts.count && parts[end + 1].isChild {
                if fits(parts[end + 1], index, document) { ends.insert(end + 1) }
            }
            if ends.contains(parts.count - 1) { return index }
            open.append((Int32(index), ends, above))
        }
        return nil
    }

    private func fits(_ part: Part, _ node: Int, _ document: ContentDocument) -> Bool {
        let element = document.nodes[node]
        if let position = part.position, element.position != position { return false }
        if let id = part.id, element.id < 0 || document.ids[Int(element.id)] != id { return false }
        guard let name = part.name else { return true }
        let own = document.names[Int(element.name)]
        return own == name || own.lowercased() == name.lowercased()
    }
}

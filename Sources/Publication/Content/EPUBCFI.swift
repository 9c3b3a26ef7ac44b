/// A place or a range in an EPUB as a path through its package document and its chapters (EPUB Canonical Fragment
/// Identifiers 1.1).
///
/// Steps, character offsets, `[id]` and text assertions, side bias and simple ranges are read and written. Temporal and
/// spatial offsets are read and dropped.
public struct EPUBCFI: Hashable, Sendable {
    /// One `/number[id]`: even numbers are elements, odd ones the text between them.
    public struct Step: Hashable, Sendable {
        /// The number, 0 or more.
        public var number: Int
        /// The id that the element had.
        public var id: String?

        /// A step to a node.
        public init(_ number: Int, id: String? = nil) {
            self.number = number
            self.id = id
        }
    }

    /// Steps in one document, and what they end with.
    public struct Path: Hashable, Sendable {
        /// The steps from the document's root.
        public var steps: [Step]
        /// UTF-16 units into the text that the last step leads to (`:12`).
        public var offset: Int?
        /// The text that stood before the place.
        public var textBefore: String?
        /// The text that stood behind it.
        public var textAfter: String?
        /// Which side of the place is meant at a border: `b` for before, `a` for after.
        public var side: String?

        /// A path.
        public init(_ steps: [Step] = [], offset: Int? = nil) {
            self.steps = steps
            self.offset = offset
        }
    }

    /// One path for each document, where `!` leads from one into the next: usually the package and the chapter.
    public var paths: [Path]
    /// Of a range: how its start goes on from ``paths``.
    public var start: [Path]?
    /// Of a range: how its end goes on from ``paths``.
    public var end: [Path]?

    /// A place.
    public init(_ paths: [Path]) { self.paths = paths }

    /// The paths of the place, or of the start of the range.
    public var startPaths: [Path] { start.map { Self.joined(paths, $0) } ?? paths }

    /// The paths of the place, or of the end of the range.
    public var endPaths: [Path] { end.map { Self.joined(paths, $0) } ?? paths }

    private static func joined(_ base: [Path], _ rest: [Path]) -> [Path] {
        guard let last = base.last, let first = rest.first else { return base + rest }
        var middle = first
        middle.steps = last.steps + first.steps
        return base.dropLast() + [middle] + rest.dropFirst()
    }
}

extension EPUBCFI: LosslessStringConvertible {
    /// What is read of one at most: bytes, and steps.
    private static let maxLength = 8 << 10
    private static let maxSteps = 512

    /// Reads `epubcfi(/6/4!/4/2/1:3)`, with or without `#` in front, or only what is between the parentheses.
    ///
    /// Nil for what is none, is longer than 8 KiB, or has more than 512 steps.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maxLength else { return nil }
        var text = text.first == "#" ? text.dropFirst() : text[...]
        if text.hasPrefix("epubcfi(") {
            guard text.hasSuffix(")") else { return nil }
            text = text.dropFirst(8).dropLast()
        }
        var scanner = Scanner(Array(text.unicodeScalars))
        guard let paths = scanner.paths() else { return nil }
        self.init(paths)
        if scanner.take(",") {
            guard let start = scanner.paths(), scanner.take(","), let end = scanner.paths() else { return nil }
            (self.start, self.end) = (start, end)
        }
        guard scanner.isAtEnd, (1...Self.maxSteps).contains(scanner.steps) else { return nil }
    }

    /// `epubcfi(…)`.
    public var description: String {
        let range = start.flatMap { start in end.map { ",\(Self.text(start)),\(Self.text($0))" } } ?? ""
        return "epubcfi(\(Self.text(paths))\(range))"
    }

    private static func text(_ paths: [Path]) -> String { paths.map(\.text).joined(separator: "!") }

    /// `text` with `^` in front of what has a meaning in a CFI.
    static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if "^[](),;=".unicodeScalars.contains(character) { result += "^" }
            result.unicodeScalars.append(character)
        }
        return result
    }

    private struct Scanner {
        private let scalars: [Unicode.Scalar]
        private var index = 0
        private(set) var steps = 0

        init(_ scalars: [Unicode.Scalar]) { self.scalars = scalars }

        var isAtEnd: Bool { index == scalars.count }
        private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

        mutating func take(_ scalar: Unicode.Scalar) -> Bool {
            guard next == scalar else { return false }
            index += 1
            return true
        }

        mutating func paths() -> [Path]? {
            var paths: [Path] = []
            repeat {
                guard let path = path() else { return nil }
                paths.append(path)
            } while take("!")
            return paths
        }

        private mutating func path() -> Path? {
            var path = Path()
            while take("/") {
                guard let number = number() else { return nil }
                steps += 1
                var step = Step(number)
                if next == "[" {
                    guard let (texts, parameters) = assertion() else { return nil }
                    if number.isMultiple(of: 2) { step.id = texts.first.flatMap { $0.isEmpty ? nil : $0 } }
                    path.side = Self.side(parameters) ?? path.side
                }
                path.steps.append(step)
            }
            if take(":") {
                guard let offset = number() else { return nil }
                path.offset = offset
            }
            while next == "~" || next == "@" {
                index += 1
                while let scalar = next, ("0"..."9").contains(scalar) || scalar == "." || scalar == ":" { index += 1 }
            }
            if next == "[" {
                guard let (texts, parameters) = assertion() else { return nil }
                if path.offset != nil {
                    path.textBefore = texts.first.flatMap { $0.isEmpty ? nil : $0 }
                    path.textAfter = texts.dropFirst().first.flatMap { $0.isEmpty ? nil : $0 }
                }
                path.side = Self.side(parameters) ?? path.side
            }
            return path
        }

        private static func side(_ parameters: [String: String]) -> String? {
            parameters["s"].flatMap { ["a", "b"].contains($0) ? $0 : nil }
        }

        private mutating func number() -> Int? {
            let start = index
            while let scalar = next, ("0"..."9").contains(scalar) { index += 1 }
            guard index > start, index - start <= 10 else { return nil }
            var text = ""
            text.unicodeScalars.append(contentsOf: scalars[start..<index])
            return Int(text)
        }

        /// `[before,after;s=a]`, `^` before what is meant as itself.
        private mutating func assertion() -> (texts: [String], parameters: [String: String])? {
            guard take("[") else { return nil }
            var texts = [""]
            var parameters: [String: String] = [:]
            while !take("]") {
                guard let scalar = next else { return nil }
                index += 1
                switch scalar {
                case ",": texts.append("")
                case ";":
                    var parts = ["", ""]
                    var part = 0
                    while let scalar = next, scalar != ";", scalar != "]" {
                        index += 1
                        if scalar == "=", part == 0 {
                            part = 1
                        } else if scalar == "^" {
                            guard let escaped = next else { return nil }
                            index += 1
                            parts[part].unicodeScalars.append(escaped)
                        } else {
                            parts[part].unicodeScalars.append(scalar)
                        }
                    }
                    parameters[parts[0]] = parts[1]
                case "^":
                    guard let escaped = next else { return nil }
                    index += 1
                    texts[texts.count - 1].unicodeScalars.append(escaped)
                default: texts[texts.count - 1].unicodeScalars.append(scalar)
                }
            }
            return (texts, parameters)
        }
    }
}

extension EPUBCFI.Path {
    fileprivate var text: String {
        var result = steps.map { "/\($0.number)" + ($0.id.map { "[\(EPUBCFI.escaped($0))]" } ?? "") }.joined()
        if let offset { result += ":\(offset)" }
        let hasText = textBefore != nil || textAfter != nil
        guard hasText || side != nil else { return result }
        let bias = side.map { ";s=\(EPUBCFI.escaped($0))" } ?? ""
        // An element has one assertion for its id and the side.
        if offset == nil, !hasText, steps.last?.id != nil { return result.dropLast() + "\(bias)]" }
        let after = textAfter.map { "," + EPUBCFI.escaped($0) } ?? ""
        return result + "[\(EPUBCFI.escaped(textBefore ?? ""))\(after)\(bias)]"
    }
}

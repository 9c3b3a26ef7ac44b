/// The positions of the first tags of an HTML or XHTML document, found without building a tree.
package struct HTMLOutline {
    /// A start tag.
    package struct Tag {
        /// In lower case, with its prefix.
        package let name: String
        /// From `<` to behind `>`.
        package let range: Range<Int>
        let nameEnd: Int
        /// In lower case, with the range of the value, quotes included; the range is empty for an attribute without
        /// one.
        let attributes: [(name: String, value: Range<Int>)]
        package let isSelfClosing: Bool
    }

    private(set) var html: Tag?
    private(set) var head: Tag?
    private(set) var body: Tag?
    /// Where `</head` begins.
    private(set) var headEnd: Int?
    /// The position after declarations in front of the first tag.
    private(set) var contentStart = 0

    /// - Complexity: Linear up to the body.
    init(_ bytes: [UInt8], isXML: Bool) {
        var scanner = HTMLScanner(bytes, isXML: isXML)
        while let markup = scanner.next() {
            switch markup {
            case .declaration(let end): if html == nil, head == nil, body == nil { contentStart = end }
            case .end("head", let start): if head != nil, headEnd == nil { headEnd = start }
            case .end: break
            case .start(let tag):
                switch tag.name {
                case "html": html = html ?? tag
                case "head": head = head ?? tag
                case "body":
                    body = tag
                    return
                default: break
                }
            }
        }
    }
}

/// Steps from tag to tag, over comments, CDATA, processing instructions and the text of scripts and styles.
package struct HTMLScanner {
    package enum Markup {
        case start(HTMLOutline.Tag)
        case end(String, at: Int)
        /// A document type or a processing instruction, with its end.
        case declaration(Int)
    }

    private let bytes: [UInt8]
    private let isXML: Bool
    private var index = 0
    /// Elements whose text is no markup in HTML.
    private static let rawText: Set<String> = ["script", "style", "title", "textarea"]

    package init(_ bytes: [UInt8], isXML: Bool) {
        self.bytes = bytes
        self.isXML = isXML
    }

    /// The next tag or declaration; nil at the end, and for one that is cut off there.
    package mutating func next() -> Markup? {
        while let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = open + 1
            guard index < bytes.count else { return nil }
            if starts(with: "!--") {
                guard skip(past: "-->") else { return nil }
            } else if starts(with: "![CDATA[") {
                guard skip(past: "]]>") else { return nil }
            } else if starts(with: "?") {
                guard skip(past: isXML ? "?>" : ">") else { return nil }
                return .declaration(index)
            } else if starts(with: "!") {
                guard skipDoctype() else { return nil }
                return .declaration(index)
            } else if starts(with: "/") {
                let name = name(at: index + 1)
                guard skip(past: ">") else { return nil }
                return .end(name.text, at: open)
            } else if Self.isLetter(bytes[index]) {
                guard let tag = tag(from: open) else { return nil }
                index = tag.range.upperBound
                if Self.rawText.contains(tag.name), !(isXML && tag.isSelfClosing) { skipText(of: tag.name) }
                return .start(tag)
            }
        }
        return nil
    }

    // MARK: Tags

    private func tag(from open: Int) -> HTMLOutline.Tag? {
        let name = name(at: open + 1)
        var attributes: [(name: String, value: Range<Int>)] = []
        var at = name.end
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: ">"):
                let isSelfClosing = bytes[at - 1] == UInt8(ascii: "/")
                return HTMLOutline.Tag(
                    name: name.text, range: open..<at + 1, nameEnd: name.end, attributes: attributes,
                    isSelfClosing: isSelfClosing)
            case UInt8(ascii: "/"), 0x20, 0x09...0x0D: at += 1
            default:
                let attribute = attribute(at: at)
                attributes.append((attribute.name, attribute.value))
                at = max(attribute.end, at + 1)
            }
        }
        return nil
    }

    private func attribute(at start: Int) -> (name: String, value: Range<Int>, end: Int) {
        let nameEnd = bytes[start...].firstIndex { Self.isSpace($0) || "=>/".utf8.contains($0) } ?? bytes.count
        let name = String(decoding: bytes[start..<nameEnd], as: UTF8.self).lowercased()
        let equals = bytes[nameEnd...].firstIndex { !Self.isSpace($0) } ?? bytes.count
        guard equals < bytes.count, bytes[equals] == UInt8(ascii: "=") else {
            return (name, nameEnd..<nameEnd, nameEnd)
        }
        let first = bytes[(equals + 1)...].firstIndex { !Self.isSpace($0) } ?? bytes.count
        guard first < bytes.count else { return (name, first..<first, first) }
        let quote = bytes[first]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let end = bytes[(first + 1)...].firstIndex(of: quote).map { $0 + 1 } ?? bytes.count
            return (name, first..<end, end)
        }
        let end = bytes[first...].firstIndex { Self.isSpace($0) || $0 == UInt8(ascii: ">") } ?? bytes.count
        return (name, first..<end, end)
    }

    private func name(at start: Int) -> (text: String, end: Int) {
        guard start < bytes.count else { return ("", start) }
        let end =
            bytes[start...].firstIndex { Self.isSpace($0) || $0 == UInt8(ascii: ">") || $0 == UInt8(ascii: "/") }
            ?? bytes.count
        return (String(decoding: bytes[start..<end], as: UTF8.self).lowercased(), end)
    }

    // MARK: Skipping

    private func starts(with text: String) -> Bool { bytes[index...].starts(with: text.utf8) }

    private mutating func skip(past text: String) -> Bool {
        let wanted = Array(text.utf8)
        while index + wanted.count <= bytes.count {
            guard let found = bytes[index...].firstIndex(of: wanted[0]), found + wanted.count <= bytes.count else {
                break
            }
            if bytes[found..<found + wanted.count].elementsEqual(wanted) {
                index = found + wanted.count
                return true
            }
            index = found + 1
        }
        return false
    }

    /// Up to the `>` that is neither in quotes nor in the internal subset (XML 1.0, section 2.8).
    private mutating func skipDoctype() -> Bool {
        var depth = 0
        var quote: UInt8?
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "<") where depth > 0 && starts(with: "!--"):
                guard skip(past: "-->") else { return false }
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ">") where depth <= 0: return true
            default: break
            }
        }
        return false
    }

    /// Up to the end tag; to the end of the document if there is none.
    private mutating func skipText(of name: String) {
        let wanted = Array("</\(name)".utf8)
        while let open = bytes[index...].firstIndex(of: UInt8(ascii: "<")) {
            let end = open + wanted.count
            if end <= bytes.count,
                bytes[open..<end].elementsEqual(wanted, by: { $0 == $1 || Self.isLetter($0) && $0 | 0x20 == $1 })
            {
                index = open
                return
            }
            index = open + 1
        }
        index = bytes.count
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

extension HTMLOutline.Tag {
    /// Returns the edits that give the tag `attributes`; existing ones stay, except that values for `class` and `style`
    /// are appended.
    func adding(_ wanted: [String: String], form: HTMLForm) -> [HTMLEdit] {
        wanted.sorted { $0.key < $1.key }.compactMap { name, value in
            let value = HTMLInjector.escaped(value)
            guard let there = attributes.first(where: { $0.name == name.lowercased() }) else {
                return HTMLEdit(nameEnd..<nameEnd, replacement: form.spelt(" \(name)=\"\(value)\""))
            }
            guard ["class", "style"].contains(there.name), !there.value.isEmpty else { return nil }
            return addition(value, to: there.value, separator: there.name == "class" ? " " : ";", form: form)
        }
    }

    private func addition(_ value: String, to range: Range<Int>, separator: String, form: HTMLForm) -> HTMLEdit? {
        let previous = form.bytes[range]
        let quotes = [UInt8(ascii: "\""), UInt8(ascii: "'")]
        if let quote = previous.last, quotes.contains(quote), previous.count >= 2, previous.first == quote {
            // In single quotes the value needs no further escaping.
            let safe = value.replacing("'", with: "&#39;")
            let separator = previous.count == 2 ? "" : separator
            return HTMLEdit(range.upperBound - 1..<range.upperBound - 1, replacement: form.spelt(separator + safe))
        }
        return HTMLEdit(
            range, replacement: Array("\"".utf8) + previous + form.spelt(separator + value) + Array("\"".utf8))
    }
}

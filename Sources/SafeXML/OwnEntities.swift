/// The entities that a document declares for itself, as far as they are plain text: what XML 1.0, section 4.2.1, calls
/// internal.
///
/// One that holds another, or markup, is not expanded, and neither is one that is somewhere else: so nothing multiplies
/// and nothing is opened.
struct OwnEntities {
    /// Names that are remembered; entities declared after them are not expanded.
    static let maxCount = 100
    /// Bytes of UTF-8 that all declarations may hold, and that all uses may put in.
    static let maxBytes = 64 << 10

    /// Nil for an entity that is not expanded. The first declaration of a name counts (XML 1.0, section 4.2).
    private var texts: [String: String?] = [:]
    private var declaredBytes = 0
    private var usedBytes = 0

    /// - Parameter content: What libxml2 made of the declaration: character references are put in, others are not. Nil
    ///   for an entity without a content in the document.
    mutating func declare(_ name: String, as content: String?) {
        guard texts.count < Self.maxCount, texts.index(forKey: name) == nil else { return }
        let count = content?.utf8.count ?? 0
        let text = declaredBytes + count <= Self.maxBytes ? content.flatMap(Self.plainText) : nil
        if text != nil { declaredBytes += count }
        texts.updateValue(text, forKey: name)
    }

    /// The text for one use; nil for an entity that is not expanded, and once all uses together have become too long.
    mutating func use(_ name: String) -> String? {
        guard let text = text(of: name), usedBytes + text.utf8.count <= Self.maxBytes else { return nil }
        usedBytes += text.utf8.count
        return text
    }

    /// The text of an entity that is expanded.
    func text(of name: String) -> String? { texts[name] ?? nil }

    /// The content as the text that it stands for; nil where it has markup or another entity in it.
    ///
    /// What XML itself names, `&amp;` and four more, and characters by their numbers are no entities in this sense.
    private static func plainText(_ content: String) -> String? {
        guard !content.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "%") }) else { return nil }
        let parts = content.split(separator: "&", omittingEmptySubsequences: false)
        var text = String(parts[0])
        for part in parts.dropFirst() {
            guard let end = part.firstIndex(of: ";"), let character = character(of: part[..<end]) else { return nil }
            text += character + part[part.index(after: end)...]
        }
        return text
    }

    private static let predefined = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]

    private static func character(of reference: Substring) -> String? {
        if let named = predefined[String(reference)] { return named }
        guard reference.first == "#" else { return nil }
        let digits = reference.dropFirst()
        let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        // A control character would be none in the document either.
        guard let number, number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number) else { return nil }
        return Unicode.Scalar(number).map { String($0) }
    }
}

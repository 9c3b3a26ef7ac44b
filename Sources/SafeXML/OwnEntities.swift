/// The entities that a document itself declares as plain text; XML 1.0, section 4.2.1, calls them internal.
///
/// Entities that contain markup or another entity, and external ones, are not expanded: nothing multiplies and no file
/// is opened.
struct OwnEntities {
    /// The most names; entities declared after them are not expanded.
    static let maxCount = 100
    /// The most bytes of UTF-8 in all declarations, and in all expansions.
    static let maxBytes = 64 << 10

    /// Nil for an entity that is not expanded. The first declaration of a name counts (XML 1.0, section 4.2).
    private var texts: [String: String?] = [:]
    private var declaredBytes = 0
    private var usedBytes = 0

    /// - Parameter content: The declaration's content from libxml2: character references are expanded, others are not.
    ///   Nil for an entity without content in the document.
    mutating func declare(_ name: String, as content: String?) {
        guard texts.count < Self.maxCount, texts.index(forKey: name) == nil else { return }
        let count = content?.utf8.count ?? 0
        let text = declaredBytes + count <= Self.maxBytes ? content.flatMap(Self.plainText) : nil
        if text != nil { declaredBytes += count }
        texts.updateValue(text, forKey: name)
    }

    /// Returns the text for one use; nil for an entity that is not expanded, and once all uses together are too long.
    mutating func use(_ name: String) -> String? {
        guard let text = text(of: name), usedBytes + text.utf8.count <= Self.maxBytes else { return nil }
        usedBytes += text.utf8.count
        return text
    }

    /// Returns the text of an entity that is expanded.
    func text(of name: String) -> String? { texts[name] ?? nil }

    /// Returns the expanded content; nil if it contains markup or another entity.
    ///
    /// XML's own five names, such as `&amp;`, and numeric character references don't count as entities here.
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
        // A control character is not allowed in the document either.
        guard let number, number >= 0x20 || [0x09, 0x0A, 0x0D].contains(number) else { return nil }
        return Unicode.Scalar(number).map { String($0) }
    }
}

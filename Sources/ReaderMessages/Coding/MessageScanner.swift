/// Reads the XML of a message tag by tag.
///
/// The messages use a small part of XML, and a receiver must know three things that no XML library reports: whether a
/// message is merely incomplete, which known mistake of a driver it has, and that a document type is an attack rather
/// than an error. Repairing mistakes before a library reads the message would need the same steps over tags, comments
/// and sections, so the messages are read here, once and strictly. There are no document types, no entities but XML's
/// five, and no loading.
///
/// Time and memory are linear in the number of bytes.
struct MessageScanner {
    /// The next piece of a message.
    enum Piece {
        /// An element begins.
        case start(Tag)
        /// Text up to the next tag, comment or section; empty if the text was not requested.
        case text([UInt8])
        /// The end of the innermost element.
        case end
        /// The end of the document.
        case finished
    }

    /// The beginning of an element.
    struct Tag {
        var name: String
        var attributes: [String: String]

        subscript(_ attribute: String) -> String? { attributes[attribute] }
    }

    let bytes: [UInt8]
    let fileName: String
    let limits: MessageLimits
    let readsLegacyForms: Bool
    var position = 0
    /// The names of the open elements.
    private(set) var open: [String] = []
    private(set) var mended = MendedForms()
    private var elements = 0
    /// Whether the element just begun is empty and ends at once.
    private var endsAtOnce = false

    init(_ bytes: MessageBytes, fileName: String, limits: MessageLimits, readsLegacyForms: Bool) throws {
        self.bytes = bytes.utf8
        self.fileName = fileName
        self.limits = limits
        self.readsLegacyForms = readsLegacyForms
        mended.halfCharacter = bytes.hasReplacements
        try skipDeclaration()
    }

    /// Whether the first element has begun.
    var hasBegun: Bool { elements > 0 }

    /// Returns the next piece.
    /// - Throws: ``MessageFailure``.
    mutating func next(keepsText: Bool = false) throws -> Piece {
        while true {
            if endsAtOnce {
                endsAtOnce = false
                open.removeLast()
                return .end
            }
            if open.isEmpty {
                skipSpace()
                if hasBegun, position == bytes.count { return .finished }
                guard try current() == UInt8(ascii: "<") else {
                    throw malformed("there is text outside of its first element")
                }
            }
            guard try current() == UInt8(ascii: "<") else { return .text(try text(isKept: keepsText)) }
            if let piece = try markup(keepsText: keepsText) { return piece }
        }
    }

    /// Reads markup from a `<` on; returns `nil` for markup without content.
    private mutating func markup(keepsText: Bool) throws -> Piece? {
        if try skip("</") { return try endTag() }
        if try skip("<!--") {
            try skipComment()
            return nil
        }
        if try skip("<?") {
            try skipInstruction()
            return nil
        }
        if try skip("<![CDATA[") {
            guard !open.isEmpty else { throw malformed("there is text outside of its first element") }
            return .text(try section(isKept: keepsText))
        }
        if try skip("<!") { throw try declarationFailure() }
        position += 1
        return try startTag()
    }

    private mutating func startTag() throws -> Piece {
        guard !open.isEmpty || !hasBegun else { throw malformed("it has more than one first element") }
        let name = try name()
        let attributes = try attributes()
        let isEmpty = try skip("/")
        guard try skip(">") else { throw malformed("the tag “\(StagedName.shown(name))” is broken") }
        if name == "collections", open.last == name, attributes.isEmpty, !isEmpty {
            // As printed in the protocol's description: a second beginning in the place of the end.
            guard readsLegacyForms else { throw malformed("it has a list of collections in another one") }
            mended.unclosedCollections = true
            open.removeLast()
            return .end
        }
        elements += 1
        guard elements <= limits.elements else { throw hostile("it has more than \(limits.elements) elements") }
        guard open.count < limits.depth else { throw hostile("it is more than \(limits.depth) elements deep") }
        open.append(name)
        endsAtOnce = isEmpty
        return .start(Tag(name: name, attributes: attributes))
    }

    private mutating func endTag() throws -> Piece {
        let name = try name()
        skipSpace()
        guard try skip(">") else { throw malformed("the end tag of “\(StagedName.shown(name))” is broken") }
        guard open.last == name else { throw malformed("“\(StagedName.shown(name))” ends where it has not begun") }
        open.removeLast()
        return .end
    }

    /// Returns the failure for a `<!` that begins neither a comment nor a section.
    private mutating func declarationFailure() throws -> MessageFailure {
        for word in ["DOCTYPE", "ENTITY", "ELEMENT", "ATTLIST", "NOTATION"] as [StaticString]
        where try skip(word, inAnyCase: true) {
            return hostile("it has a document type declaration")
        }
        return malformed("it has a “<!” that begins nothing")
    }

    private mutating func skipComment() throws {
        while try current() != UInt8(ascii: "-") || !skip("--") { position += 1 }
        guard try skip(">") else { throw malformed("a comment has “--” in it") }
    }

    private mutating func skipInstruction() throws {
        let target = try name()
        // A declaration is only allowed at the very beginning.
        guard target.lowercased() != "xml" else { throw malformed("its XML declaration is not at its beginning") }
        while try current() != UInt8(ascii: "?") || !skip("?>") { position += 1 }
    }

    mutating func mend(_ form: WritableKeyPath<MendedForms, Bool>) { mended[keyPath: form] = true }
}

// MARK: Small steps

extension MessageScanner {
    /// The byte at the position.
    /// - Throws: ``MessageFailure`` (incomplete) at the end.
    func current() throws -> UInt8 {
        guard position < bytes.count else { throw incomplete() }
        return bytes[position]
    }

    /// Skips `literal` if it comes next.
    /// - Throws: ``MessageFailure`` (incomplete) if the message ends before that is certain.
    mutating func skip(_ literal: StaticString, inAnyCase: Bool = false) throws -> Bool {
        let wanted = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        for (index, byte) in wanted.enumerated() {
            guard position + index < bytes.count else { throw incomplete() }
            let found = bytes[position + index]
            let isLetter = inAnyCase && (0x41...0x5A).contains(byte & 0xDF)
            guard found == byte || isLetter && found & 0xDF == byte & 0xDF else { return false }
        }
        position += wanted.count
        return true
    }

    /// Skips white space.
    /// - Returns: Whether there was any.
    @discardableResult
    mutating func skipSpace() -> Bool {
        let start = position
        while position < bytes.count, Self.isSpace(bytes[position]) { position += 1 }
        return position > start
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

    func incomplete() -> MessageFailure {
        MessageFailure(.incomplete, fileName: fileName, reason: "it ends too early.")
    }

    func malformed(_ reason: String) -> MessageFailure {
        MessageFailure(.malformed, fileName: fileName, reason: reason + ".")
    }

    func hostile(_ reason: String) -> MessageFailure {
        MessageFailure(.hostile, fileName: fileName, reason: reason + ".")
    }
}

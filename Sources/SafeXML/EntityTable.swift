import CXML2

/// The named characters of HTML 4 (section 24), which XHTML documents and, less rightly, NCX and OPF files use.
///
/// The document's own entities are expanded only if the caller asks for it; see ``OwnEntities``. Otherwise a document
/// that redefines a name of HTML is refused rather than misread.
struct EntityTable: ~Copyable {
    /// The entity passed to libxml2, which finishes with it before it asks for the next.
    private let entity: UnsafeMutablePointer<xmlEntity>
    private var content: UnsafeMutablePointer<xmlChar>
    /// The capacity of ``content`` in bytes. A character of HTML takes four at most.
    private var contentSize = 8
    private var redefined: Set<String> = []
    /// Names of HTML whose first declaration has HTML's meaning.
    private var confirmed: Set<String> = []
    /// The document's own entities; nil if they are not expanded.
    private var own: OwnEntities?

    init(expandsOwn: Bool) {
        entity = .allocate(capacity: 1)
        entity.initialize(to: xmlEntity())
        content = .allocate(capacity: contentSize)
        content.initialize(repeating: 0, count: contentSize)
        own = expandsOwn ? OwnEntities() : nil
    }

    deinit {
        entity.deallocate()
        content.deallocate()
    }

    /// - Parameter isInAttribute: libxml2 copies only the first byte of a predefined entity into an attribute. There it
    ///   gets a general entity, which it leaves as written, for ``attributeText(_:)``.
    /// - Returns: Nil for an entity that is not expanded.
    mutating func entity(named name: UnsafePointer<xmlChar>, isInAttribute: Bool) -> xmlEntityPtr? {
        guard let text = own?.use(String(cString: name)) ?? Self.htmlCharacter(named: name, except: redefined) else {
            return nil
        }
        let count = text.utf8.count
        fill(with: text)
        entity.pointee.type = XML_ENTITY_DECL
        entity.pointee.etype = isInAttribute ? XML_INTERNAL_GENERAL_ENTITY : XML_INTERNAL_PREDEFINED_ENTITY
        entity.pointee.name = name
        entity.pointee.content = content
        entity.pointee.orig = content
        entity.pointee.length = Int32(count)
        // Two means: already checked, contains no markup.
        entity.pointee.checked = 2
        return entity
    }

    /// Copies `text`, followed by a zero.
    private mutating func fill(with text: String) {
        let count = text.utf8.count
        if count >= contentSize {
            content.deallocate()
            contentSize = count + 1
            content = .allocate(capacity: contentSize)
        }
        for (index, byte) in text.utf8.enumerated() { content[index] = byte }
        content[count] = 0
    }

    /// - Parameter isText: Whether it is a general entity whose content is in the declaration.
    mutating func declare(_ name: UnsafePointer<xmlChar>, as content: UnsafePointer<xmlChar>?, isText: Bool) {
        let content = content.map { String(cString: $0) }
        if let character = Self.character(named: name) {
            let name = String(cString: name)
            // The first declaration counts (XML 1.0, section 4.2); one that repeats HTML's is accepted.
            guard !confirmed.contains(name) else { return }
            if content == character, !redefined.contains(name) {
                confirmed.insert(name)
                return
            }
            redefined.insert(name)
        }
        own?.declare(String(cString: name), as: isText ? content : nil)
    }

    private static func htmlCharacter(named name: UnsafePointer<xmlChar>, except redefined: Set<String>) -> String? {
        guard let text = character(named: name), !redefined.contains(String(cString: name)) else { return nil }
        return text
    }

    private static func character(named name: UnsafePointer<xmlChar>) -> String? {
        guard let found = htmlEntityLookup(name), let scalar = Unicode.Scalar(found.pointee.value) else { return nil }
        return String(scalar)
    }

    /// Returns the value of an attribute, in which libxml2 leaves `&#38;` for an ampersand, and named characters as
    /// written.
    ///
    /// Each name in it was looked up before, so ``entity(named:isInAttribute:)`` has counted it.
    func attributeText(_ bytes: UnsafeBufferPointer<xmlChar>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let parts = text.split(separator: "&", omittingEmptySubsequences: false)
        var result = String(parts[0])
        for part in parts.dropFirst() {
            let reference = part.prefix { $0 != ";" }
            if let character = character(of: String(reference)), reference.endIndex < part.endIndex {
                result += character + part[part.index(after: reference.endIndex)...]
            } else {
                result += "&" + part
            }
        }
        return result
    }

    private func character(of reference: String) -> String? {
        if reference == "#38" { return "&" }
        return own?.text(of: reference) ?? reference.withXMLCharacters(Self.character(named:))
    }
}

extension String {
    fileprivate func withXMLCharacters<Result>(_ body: (UnsafePointer<xmlChar>) -> Result?) -> Result? {
        Array(utf8CString).withUnsafeBufferPointer { characters in
            characters.withMemoryRebound(to: xmlChar.self) { $0.baseAddress.flatMap(body) }
        }
    }
}

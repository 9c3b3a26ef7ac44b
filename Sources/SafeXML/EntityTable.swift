import CXML2

/// The named characters of HTML 4 (section 24), which XHTML documents and, less rightly, NCX and OPF files use.
///
/// What a document itself declares is not looked at, with one exception: a name of HTML that it gives another meaning
/// is refused rather than misread.
struct EntityTable: ~Copyable {
    /// The one that libxml2 is shown; it is done with it before it asks for the next.
    private let entity: UnsafeMutablePointer<xmlEntity>
    private let content: UnsafeMutablePointer<xmlChar>
    private static let contentSize = 8
    private var redefined: Set<String> = []

    init() {
        entity = .allocate(capacity: 1)
        entity.initialize(to: xmlEntity())
        content = .allocate(capacity: Self.contentSize)
        content.initialize(repeating: 0, count: Self.contentSize)
    }

    deinit {
        entity.deallocate()
        content.deallocate()
    }

    /// - Parameter isInAttribute: libxml2 copies only the first byte of a predefined entity into an attribute. There it
    ///   gets a general one, which it leaves as written, for ``attributeText(_:)``.
    func entity(named name: UnsafePointer<xmlChar>, isInAttribute: Bool) -> xmlEntityPtr? {
        guard let text = Self.character(named: name), !redefined.contains(String(cString: name)) else { return nil }
        content.update(repeating: 0, count: Self.contentSize)
        for (index, byte) in text.utf8.enumerated() { content[index] = byte }
        entity.pointee.type = XML_ENTITY_DECL
        entity.pointee.etype = isInAttribute ? XML_INTERNAL_GENERAL_ENTITY : XML_INTERNAL_PREDEFINED_ENTITY
        entity.pointee.name = name
        entity.pointee.content = content
        entity.pointee.orig = content
        entity.pointee.length = Int32(text.utf8.count)
        // Two says: already looked at, has no markup in it.
        entity.pointee.checked = 2
        return entity
    }

    mutating func declare(_ name: UnsafePointer<xmlChar>, as content: UnsafePointer<xmlChar>?) {
        guard let text = Self.character(named: name) else { return }
        let name = String(cString: name)
        // The first declaration counts (XML 1.0, section 4.2), and one that only repeats HTML's is welcome.
        if content.map({ String(cString: $0) }) != text { redefined.insert(name) }
    }

    private static func character(named name: UnsafePointer<xmlChar>) -> String? {
        guard let found = htmlEntityLookup(name), let scalar = Unicode.Scalar(found.pointee.value) else { return nil }
        return String(scalar)
    }

    /// The value of an attribute as libxml2 gives it: `&#38;` for an ampersand, and named characters as written.
    static func attributeText(_ bytes: UnsafeBufferPointer<xmlChar>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
        let parts = text.split(separator: "&", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
            let reference = part.prefix { $0 != ";" }
            let character = reference == "#38" ? "&" : String(reference).withXMLCharacters(character(named:))
            guard let character, reference.endIndex < part.endIndex else {
                result += "&" + part
                return
            }
            result += character + part[part.index(after: reference.endIndex)...]
        }
    }
}

extension String {
    fileprivate func withXMLCharacters<Result>(_ body: (UnsafePointer<xmlChar>) -> Result?) -> Result? {
        Array(utf8CString).withUnsafeBufferPointer { characters in
            characters.withMemoryRebound(to: xmlChar.self) { $0.baseAddress.flatMap(body) }
        }
    }
}

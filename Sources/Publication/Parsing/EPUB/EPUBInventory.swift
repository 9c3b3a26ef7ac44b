import Archives
import FileProviderCore

/// The files that a container lists, found by whatever spelling of an address a book uses.
struct EPUBInventory: Sendable {
    /// How an address relates to the file that it means.
    enum Match: Hashable {
        /// Spelt as the container has it.
        case exact
        /// Not quite: the address that the file really has, and what is different.
        case other(String, Difference)
        case missing
    }

    /// What two spellings of one name differ in.
    enum Difference: Hashable { case normalisation, escapes, letterCase, literal }

    private let hrefs: Set<String>
    /// By decoded path. Swift compares strings by canonical equivalence, so all normal forms of a name are one key.
    private let byPath: [String: String]
    private let byFoldedPath: [String: String]
    /// Names with percent signs in them, by what they would be if those were escapes.
    private let byUnescapedPath: [String: String]

    private let nameEncoding: NameEncoding?

    /// - Parameter archive: What the files come from, if it is an archive: its names may say no encoding.
    /// - Complexity: O(n) in the number of files; looking one up is O(1).
    init(_ links: [Link], in archive: (any Archive)? = nil) {
        nameEncoding = (archive as? ZIPArchive)?.directory.nameEncoding
        hrefs = Set(links.map(\.href))
        let paths = links.map { (HREF.decoded($0.href[...]), $0.href) }
        byPath = Dictionary(paths, uniquingKeysWith: { first, _ in first })
        let escaped = paths.filter { $0.0.utf8.contains(UInt8(ascii: "%")) }
        byUnescapedPath = Dictionary(
            escaped.map { (HREF.decoded($0.0[...]), $0.1) }, uniquingKeysWith: { first, _ in first })
        byFoldedPath = Dictionary(paths.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The file that `href`, as ``HREFBase/resolve(_:)`` gave it, means.
    func match(_ href: String) -> Match {
        let written = HREFBase.resource(of: href)
        if hrefs.contains(written) { return .exact }
        let path = HREF.decoded(written[...])
        if let found = byPath[path] { return .other(found, .normalisation) }
        // A name in the container that looks percent-encoded and is not.
        if let found = byPath[written] { return .other(found, .escapes) }
        return byFoldedPath[path.lowercased()].map { .other($0, .letterCase) } ?? .missing
    }

    /// The file that `path` means, whose percent signs may be part of its name, or escapes of escapes, and whose
    /// backslashes may be slashes in the container; nil if there is none.
    func literal(_ path: String) -> String? {
        var path = path
        for _ in 0..<3 {
            if let found = byPath[path] ?? byUnescapedPath[path] { return found }
            if path.utf8.contains(UInt8(ascii: "\\")), let found = byPath[path.replacing("\\", with: "/")] {
                return found
            }
            let decoded = HREF.decoded(path[...])
            if decoded == path { return inItsEncoding(path) }
            path = decoded
        }
        return nil
    }
}

extension EPUBInventory {
    /// The file whose name has the bytes that `path` has as escapes, in an encoding other than UTF-8.
    private func inItsEncoding(_ path: String) -> String? {
        guard let nameEncoding, path.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return NameDecoder(nameEncoding)?.text(of: PercentEncoding.decoded(Array(path.utf8))).flatMap { byPath[$0] }
    }
}

/// Resolves the references in one document of an EPUB, and notes those that are wrong.
struct EPUBReferences {
    /// The document's own address.
    let document: String
    let folder: HREFBase
    /// Nil where the container was not listed: every address is taken for right then.
    let inventory: EPUBInventory?
    let warnings: WarningLog

    /// The address that `reference` means, spelt as the container has it; nil, with a warning, for one that leaves the
    /// container.
    func resolve(_ reference: String) -> String? {
        let reference = MarkupText.trimmed(reference)
        if reference.hasPrefix("#") {
            return reference.utf8.count > 1 ? document + HREF.encoded(reference, .whole) : nil
        }
        if let href = folder.resolve(reference) { return spelling(of: href, reference) }
        if let found = inventory.flatMap({ literal(reference, $0) }) { return found }
        if !reference.isEmpty {
            warnings.warn(
                "outside-container", severity: .moderate,
                message:
                    "“\(document)” refers to “\(reference.prefix(200))”, which is no place in the book; it was left out."
            )
        }
        return nil
    }

    /// The file whose name `reference` has in it as it is written, with signs that mean something in an address.
    private func literal(_ reference: String, _ inventory: EPUBInventory) -> String? {
        let end = reference.utf8.firstIndex { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "?") } ?? reference.endIndex
        for end in [end, reference.endIndex] {
            guard let path = folder.literal(String(reference[..<end])), let found = inventory.literal(path) else {
                continue
            }
            note(path, as: found, .literal)
            return found + HREF.encoded(String(reference[end...]), .whole)
        }
        return nil
    }

    /// Whether the container lists what `href` means; true where nobody knows.
    func isThere(_ href: String) -> Bool {
        guard let inventory, !HREFBase.isRemote(href) else { return true }
        return inventory.match(href) != .missing
    }

    private func spelling(of href: String, _ reference: String) -> String {
        guard let inventory, !HREFBase.isRemote(href) else { return href }
        switch inventory.match(href) {
        case .exact: return href
        case .missing: return literal(reference, inventory) ?? href
        case .other(let found, let difference):
            let written = HREFBase.resource(of: href)
            note(written, as: found, difference)
            return found + href.dropFirst(written.count)
        }
    }

    private func note(_ written: String, as found: String, _ difference: EPUBInventory.Difference) {
        let (tag, what) =
            switch difference {
            case .normalisation: ("unicode-normalisation", "in another Unicode form")
            case .escapes: ("literal-escapes", "with its percent signs as part of the name")
            case .letterCase: ("wrong-case", "with other capitals")
            case .literal: ("literal-escapes", "with the signs of an address as part of the name")
            }
        warnings.warn(
            tag, severity: .minor,
            message: "“\(written.prefix(200))” is in the book as “\(found.prefix(200))”, \(what); that was taken.")
    }
}

import Archives
import FileProviderCore

/// The files that a container lists, found by any spelling of an address that a book uses.
struct EPUBInventory: Sendable {
    /// How an address relates to the file that it means.
    enum Match: Hashable {
        /// Spelt as the container has it.
        case exact
        /// Spelt differently: the real address of the file, and the difference.
        case other(String, Difference)
        case missing
    }

    /// The difference between two spellings of one name.
    enum Difference: Hashable { case normalisation, escapes, letterCase, literal }

    private let hrefs: Set<String>
    /// By decoded path. Swift compares strings by canonical equivalence, so all normal forms of a name are one key.
    private let byPath: [String: String]
    private let byFoldedPath: [String: String]
    /// Names with percent signs, by the result of treating those as escapes.
    private let byUnescapedPath: [String: String]

    private let nameEncoding: NameEncoding?

    /// - Parameter archive: The archive that the files are from, if any: its names may declare no encoding.
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

    /// Returns the file that `href` means. The address must be one that ``HREFBase/resolve(_:)`` returned.
    func match(_ href: String) -> Match {
        let written = HREFBase.resource(of: href)
        if hrefs.contains(written) { return .exact }
        let path = HREF.decoded(written[...])
        if let found = byPath[path] { return .other(found, .normalisation) }
        // The container's name looks percent-encoded and is not.
        if let found = byPath[written] { return .other(found, .escapes) }
        return byFoldedPath[path.lowercased()].map { .other($0, .letterCase) } ?? .missing
    }

    /// Returns the file that `path` means if its percent signs are part of its name, or escapes of escapes, and its
    /// backslashes are slashes in the container; nil if there is none.
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
    /// Returns the file whose name has the bytes that `path` escapes in an encoding other than UTF-8.
    private func inItsEncoding(_ path: String) -> String? {
        guard let nameEncoding, path.utf8.contains(UInt8(ascii: "%")) else { return nil }
        return NameDecoder(nameEncoding)?.text(of: PercentEncoding.decoded(Array(path.utf8))).flatMap { byPath[$0] }
    }
}

/// Resolves the references in one document of an EPUB, and reports those that are wrong.
struct EPUBReferences {
    /// The document's own address.
    let document: String
    let folder: HREFBase
    /// The files of the container. If nil, they were not listed, and every address is accepted.
    let inventory: EPUBInventory?
    let warnings: WarningLog

    /// Returns the address that `reference` means, spelt as in the container; nil, with a warning, if it leaves the
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
                    "“\(document)” refers to “\(reference.prefix(200))”, which is not in the book; it was left out."
            )
        }
        return nil
    }

    /// Returns the file whose name contains `reference` as written, with characters that are special in an address.
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

    /// Whether the container lists the file that `href` means; true if the files are not known.
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
            case .normalisation: ("unicode-normalisation", "in another Unicode normalisation")
            case .escapes: ("literal-escapes", "with its percent signs as part of the name")
            case .letterCase: ("wrong-case", "with different capitals")
            case .literal: ("literal-escapes", "with special characters of an address as part of the name")
            }
        warnings.warn(
            tag, severity: .minor,
            message: "“\(written.prefix(200))” is in the book as “\(found.prefix(200))”, \(what); that file was used.")
    }
}

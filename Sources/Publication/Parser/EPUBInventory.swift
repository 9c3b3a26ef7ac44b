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
    enum Difference: Hashable { case normalisation, escapes, letterCase }

    private let hrefs: Set<String>
    /// By decoded path. Swift compares strings by canonical equivalence, so all normal forms of a name are one key.
    private let byPath: [String: String]
    private let byFoldedPath: [String: String]

    /// - Complexity: O(n) in the number of files; looking one up is O(1).
    init(_ links: [Link]) {
        hrefs = Set(links.map(\.href))
        let paths = links.map { (EPUBText.decoded($0.href[...]), $0.href) }
        byPath = Dictionary(paths, uniquingKeysWith: { first, _ in first })
        byFoldedPath = Dictionary(paths.map { ($0.0.lowercased(), $0.1) }, uniquingKeysWith: { first, _ in first })
    }

    /// The file that `href`, as ``EPUBPath/resolve(_:)`` gave it, means.
    func match(_ href: String) -> Match {
        let written = EPUBPath.resource(of: href)
        if hrefs.contains(written) { return .exact }
        let path = EPUBText.decoded(written[...])
        if let found = byPath[path] { return .other(found, .normalisation) }
        // A name in the container that looks percent-encoded and is not.
        if let found = byPath[written] { return .other(found, .escapes) }
        return byFoldedPath[path.lowercased()].map { .other($0, .letterCase) } ?? .missing
    }
}

/// Resolves the references in one document of an EPUB, and notes those that are wrong.
struct EPUBReferences {
    /// The document's own address.
    let document: String
    let folder: EPUBPath
    /// Nil where the container was not listed: every address is taken for right then.
    let inventory: EPUBInventory?
    let warnings: WarningLog

    /// The address that `reference` means, spelt as the container has it; nil, with a warning, for one that leaves the container.
    func resolve(_ reference: String) -> String? {
        let reference = EPUBText.trimmed(reference)
        if reference.hasPrefix("#") { return reference.utf8.count > 1 ? document + EPUBText.encoded(reference, .whole) : nil }
        guard let href = folder.resolve(reference) else {
            if !reference.isEmpty {
                warnings.warn(
                    "outside-container", .moderate,
                    "“\(document)” refers to “\(reference.prefix(200))”, which is no place in the book; it was left out.")
            }
            return nil
        }
        return spelling(of: href)
    }

    /// Whether the container lists what `href` means; true where nobody knows.
    func isThere(_ href: String) -> Bool {
        guard let inventory, !EPUBPath.isRemote(href) else { return true }
        return inventory.match(href) != .missing
    }

    private func spelling(of href: String) -> String {
        guard let inventory, !EPUBPath.isRemote(href), case .other(let found, let difference) = inventory.match(href) else { return href }
        let written = EPUBPath.resource(of: href)
        let (tag, what) =
            switch difference {
            case .normalisation: ("unicode-normalisation", "in another Unicode form")
            case .escapes: ("literal-escapes", "with its percent signs as part of the name")
            case .letterCase: ("wrong-case", "with other capitals")
            }
        warnings.warn(tag, .minor, "“\(written)” is in the book as “\(found)”, \(what); that was taken.")
        return found + href.dropFirst(written.count)
    }
}

import Archives
import Foundation
import MediaTypes
import SafeXML

/// The package document (OPF): the contents of an EPUB (EPUB 3.3, section 5; OPF 2.0.1).
///
/// Elements are matched by local name only, because some books omit the namespace. Every look-up is by dictionary; if
/// items share an `id` or address, the first counts.
struct PackageDocument: Sendable {
    /// A resource in the manifest, under an address relative to the root of the container.
    struct Item: Sendable {
        let id: String?
        let href: String
        let mediaType: String?
        let properties: [String]
        let fallback: String?
        let mediaOverlay: String?
    }

    /// A place in the reading order.
    struct SpineItem: Sendable {
        /// The index in ``items``.
        let item: Int
        let isLinear: Bool
        let properties: [String]
        /// The step to the `itemref` in an EPUB CFI, and its id.
        let step: EPUBCFI.Step
    }

    /// A landmark of EPUB 2 (OPF 2.0.1, section 2.6).
    struct GuideReference: Sendable {
        let type: String
        let title: String?
        let href: String
    }

    /// The attribute `version`, as written.
    let version: String
    let isEPUB3: Bool
    let metadata: PackageMetadata
    let items: [Item]
    let spine: [SpineItem]
    /// The step to the spine in an EPUB CFI.
    let spineStep: Int
    let guide: [GuideReference]
    let readingProgression: Metadata.ReadingProgression?
    private let ncxID: String?
    private let indexByID: [String: Int]

    /// - Parameter references: Resolves the references in the document. Items that are not in the container are left
    ///   out, with a warning.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if it has no manifest or no spine.
    init(_ root: XMLElement, references: EPUBReferences) throws {
        let href = references.document
        guard root.name == "package" else { throw CocoaError.unreadable("“\(href)” is not a package document (OPF).") }
        guard let manifest = root.first("manifest") else {
            throw CocoaError.unreadable("The package document “\(href)” has no manifest.")
        }
        guard let spine = root.first("spine") else {
            throw CocoaError.unreadable("The package document “\(href)” has no spine.")
        }
        version = MarkupText.trimmed(root.attribute("version") ?? "")
        isEPUB3 = (Double(version) ?? 2) >= 3
        metadata = PackageMetadata(package: root)
        let locations = spine.children.enumerated().filter { $0.element.matches("itemref") }
            .map { (location: $0.element, step: 2 * ($0.offset + 1)) }
        spineStep = 2 * ((root.children.firstIndex { $0 === spine } ?? 2) + 1)
        let reader = ManifestReader(
            references, spine: Set(locations.compactMap { $0.location.attribute("idref").map(MarkupText.trimmed) }))
        items = manifest.all("item").compactMap(reader.item)
        indexByID = Self.index(items, by: \.id)
        reader.noteRepetitions(items)
        reader.noteMissingTypes(items)
        self.spine = Self.spineItems(locations, indexByID: indexByID, warnings: references.warnings)
        guide = (root.first("guide")?.all("reference") ?? []).compactMap { GuideReference($0, references: references) }
        readingProgression = Self.progression(spine, references.warnings) ?? Self.kindleProgression(metadata)
        ncxID = spine.attribute("toc").map(MarkupText.trimmed)
    }
}

extension PackageDocument {
    func item(id: String) -> Item? { indexByID[id].map { items[$0] } }

    /// The navigation document of EPUB 3 (section 7).
    var navigation: Item? { items.first { $0.properties.contains("nav") && !HREFBase.isRemote($0.href) } }

    /// The table of contents of EPUB 2: the item that the spine names, else one that looks like an NCX.
    var ncx: Item? {
        let candidates = [ncxID.flatMap { item(id: $0) }, items.first { $0.mediaType == MediaType.ncx.string }]
        let found = candidates.compactMap { $0 }.first ?? items.first { $0.href.lowercased().hasSuffix(".ncx") }
        return found.flatMap { HREFBase.isRemote($0.href) ? nil : $0 }
    }

    private static func progression(_ spine: XMLElement, _ warnings: WarningLog) -> Metadata.ReadingProgression? {
        let text = MarkupText.trimmed(spine.attribute("page-progression-direction") ?? "").lowercased()
        let progression = Metadata.ReadingProgression(rawValue: text)
        if progression == nil, !["", "default"].contains(text) {
            warnings.warn(
                "odd-progression", severity: .minor,
                message: "“\(text.prefix(100))” is not a page progression direction; it was ignored.")
        }
        return progression
    }

    /// The direction in books made for Kindle (Amazon Kindle Publishing Guidelines, `primary-writing-mode`):
    /// `horizontal-rl`, `vertical-rl` and their opposites.
    private static func kindleProgression(_ metadata: PackageMetadata) -> Metadata.ReadingProgression? {
        let mode = metadata.legacyValue("primary-writing-mode")?.lowercased() ?? ""
        guard mode.hasPrefix("horizontal-") || mode.hasPrefix("vertical-") else { return nil }
        if mode.hasSuffix("-rl") { return .rtl }
        return mode.hasSuffix("-lr") ? .ltr : nil
    }

    private static func index(_ items: [Item], by key: (Item) -> String?) -> [String: Int] {
        var result: [String: Int] = [:]
        for (index, item) in items.enumerated() {
            if let key = key(item), result[key] == nil { result[key] = index }
        }
        return result
    }

    /// Places that name no item are passed over. One that names an item again is read again, as readers of EPUB 3.3
    /// must do it (EPUB Reading Systems 3.3, section 4.3).
    private static func spineItems(
        _ locations: [(location: XMLElement, step: Int)], indexByID: [String: Int], warnings: WarningLog
    ) -> [SpineItem] {
        var seen: Set<Int> = []
        let byFoldedID = Dictionary(grouping: indexByID.keys) { $0.lowercased() }
        /// Returns the only item whose id differs in case alone.
        func folded(_ id: String) -> Int? {
            guard let found = byFoldedID[id.lowercased()], found.count == 1 else { return nil }
            warnings.warn(
                "wrong-case", severity: .minor,
                message:
                    "The reading order names “\(id.prefix(200))”, which is spelt “\(found[0].prefix(200))”; that was used."
            )
            return indexByID[found[0]]
        }
        return locations.compactMap { location, step in
            guard let id = location.attribute("idref").map(MarkupText.trimmed), let index = indexByID[id] ?? folded(id)
            else {
                let name = location.attribute("idref") ?? ""
                warnings.warn(
                    "spine-without-item", severity: .major,
                    message:
                        "The reading order names “\(name.prefix(200))”, which the book does not have; it was left out.")
                return nil
            }
            if !seen.insert(index).inserted {
                warnings.warn(
                    "repeated-spine-item", severity: .minor,
                    message: "The reading order names “\(id)” more than once; it is read at each place.")
            }
            let isLinear = location.attribute("linear").map { MarkupText.trimmed($0).lowercased() } != "no"
            return SpineItem(
                item: index, isLinear: isLinear, properties: MarkupText.words(location.attribute("properties")),
                step: EPUBCFI.Step(step, id: location.attribute("id")))
        }
    }
}

extension PackageDocument.GuideReference {
    fileprivate init?(_ element: XMLElement, references: EPUBReferences) {
        guard let href = element.attribute("href").flatMap(references.resolve) else { return nil }
        self.href = href
        type = MarkupText.trimmed(element.attribute("type") ?? "")
        title = element.attribute("title").map(MarkupText.collapsed).flatMap { $0.isEmpty ? nil : $0 }
    }
}

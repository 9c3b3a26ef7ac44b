import Foundation
import Publication
import SafeXML

/// Reads what an entry says about a publication (OPDS 1.2, section 5.1).
struct AtomMetadataReader {
    let scope: AtomScope
    let entry: XMLElement

    func metadata() throws -> Metadata {
        var metadata = Metadata(title: LocalizedString(entry.child("title", .atom).map(AtomText.line) ?? ""))
        metadata.subtitle = entry.childText("alternativeHeadline", .schema)
            .map { LocalizedString(AtomText.collapsed($0)) }
        metadata.type = entry.value("additionalType", .schema)
        metadata.description = Self.description(of: entry)
        metadata.languages = texts("language")
        metadata.numberOfPages = texts("extent").lazy.compactMap(Self.pages).first
        metadata.subjects = entry.elements("category", .atom).compactMap(Self.subject)
        readIdentity(into: &metadata)
        try readPeople(into: &metadata)
        readSeries(into: &metadata)
        if let rights = entry.child("rights", .atom).map(AtomText.line) ?? texts("rights").first, !rights.isEmpty {
            metadata.otherMetadata["rights"] = .string(rights)
        }
        return metadata
    }

    /// The content, which is complete, else the summary.
    static func description(of entry: XMLElement) -> String? {
        let content = entry.elements("content", .atom).lazy.filter { $0.value("src") == nil }
            .compactMap(AtomText.prose).first
        return content ?? entry.child("summary", .atom).flatMap(AtomText.prose)
    }

    private func texts(_ name: String) -> [String] {
        entry.elements(name, .dublinCore).compactMap { AtomText.present(AtomText.collapsed($0.text)) }
    }
}

// MARK: Parts

extension AtomMetadataReader {
    private func readIdentity(into metadata: inout Metadata) {
        metadata.identifier = entry.childText("id", .atom)
        var seen: Set<String> = [metadata.identifier ?? ""]
        metadata.alternateIdentifiers = texts("identifier").filter { seen.insert($0).inserted }
            .map { AlternateIdentifier($0) }
        metadata.modified = entry.childText("updated", .atom).flatMap(Date.init(manifestText:))
        // `atom:published` is when the entry came into the catalogue; some send only that.
        let dates = texts("issued") + texts("date") + [entry.childText("published", .atom)].compactMap(\.self)
        metadata.published = dates.lazy.compactMap(Date.init(manifestText:)).first
    }

    private func readPeople(into metadata: inout Metadata) throws {
        let reader = AtomPersonReader(scope: scope)
        metadata.authors = try entry.elements("author", .atom).compactMap { try reader.person($0) }
        for element in entry.elements("contributor", .atom) {
            try reader.readContributor(element, into: &metadata)
        }
        metadata.publishers += texts("publisher").map { Contributor(name: LocalizedString($0)) }
        metadata.imprints += entry.all("publisherImprint").compactMap { AtomText.present(AtomText.collapsed($0.text)) }
            .map { Contributor(name: LocalizedString($0)) }
    }

    private func readSeries(into metadata: inout Metadata) {
        metadata.belongsToSeries = entry.elements("Series", .schema).compactMap(Self.series)
        let notes = CalibreNotes(entry)
        if metadata.belongsToSeries.isEmpty, let series = notes.series { metadata.belongsToSeries = [series] }
        if metadata.subjects.isEmpty { metadata.subjects = notes.tags.map { Subject(name: LocalizedString($0)) } }
    }

    private static func series(_ element: XMLElement) -> ParentCollection? {
        let name = (element.value("name", .schema) ?? element.childText("name", .schema)).map(AtomText.collapsed)
        guard let name else { return nil }
        let position = element.value("position", .schema) ?? element.childText("position", .schema)
        return ParentCollection(name: LocalizedString(name), position: position.flatMap(number))
    }

    private static func subject(_ element: XMLElement) -> Subject? {
        guard let term = element.value("term") ?? element.value("label") else { return nil }
        let label = element.value("label").map(AtomText.collapsed)
        let scheme = element.value("scheme")
        let isCode = label != nil && (scheme != nil || label != term)
        return Subject(name: LocalizedString(label ?? term), code: isCode ? term : nil, scheme: scheme)
    }

    /// `320 pages`.
    private static func pages(_ extent: String) -> Int? {
        let words = extent.split(separator: " ")
        guard words.count == 2, words[1].lowercased().hasPrefix("page") else { return nil }
        return Int(words[0]).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func number(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}

/// The series and the tags in the content that calibre's server sends: lines such as `SERIES: Foundation [2]` and
/// `TAGS: Fiction, Space` at its start.
struct CalibreNotes {
    private(set) var series: ParentCollection?
    private(set) var tags: [String] = []

    init(_ entry: XMLElement) {
        guard let content = entry.child("content", .atom) else { return }
        var line = ""
        lines: for node in AtomText.body(of: content) {
            switch node {
            case .text(let text): line += text
            case .element(let element):
                guard element.name == "br" else { break lines }
                read(line)
                line = ""
            }
        }
        read(line)
    }

    private mutating func read(_ line: String) {
        let line = AtomText.collapsed(line)
        if line.hasPrefix("TAGS: ") {
            tags = line.dropFirst(6).split(separator: ",").compactMap { AtomText.present(String($0)) }
        } else if line.hasPrefix("SERIES: ") {
            let text = line.dropFirst(8)
            guard text.hasSuffix("]"), let bracket = text.lastIndex(of: "["),
                let name = AtomText.present(String(text[..<bracket]))
            else { return }
            let position = Double(text[text.index(after: bracket)...].dropLast())
            series = ParentCollection(
                name: LocalizedString(name), position: position.flatMap { $0.isFinite ? $0 : nil })
        }
    }
}

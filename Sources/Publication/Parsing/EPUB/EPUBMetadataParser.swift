import Archives
import Foundation

/// Converts the metadata of a package document into that of a manifest, by the rules that the Readium architecture
/// lists (`streamer/parser/metadata.md`) over EPUB 3.3, section 5.5, and OPF 2.0.1, section 2.2.
struct EPUBMetadataParser {
    /// The profile of a manifest made from an EPUB.
    static let profile = "https://readium.org/webpub-manifest/profiles/epub"

    let package: PackageDocument
    /// The layout settings for reading systems that are older than EPUB 3.
    var displayOptions = DisplayOptions()
    var warnings = WarningLog()

    private var source: PackageMetadata { package.metadata }

    /// Returns the metadata. A publication without a title gets an empty one.
    func metadata() -> Metadata {
        let main = mainTitle
        var metadata = Metadata(title: main.map(localized) ?? "")
        metadata.conformsTo = [Self.profile]
        metadata.sortAs = main.flatMap(sortAs) ?? source.legacyValue("calibre:title_sort").map { LocalizedString($0) }
        metadata.subtitle = subtitle
        addIdentifiers(to: &metadata)
        addDates(to: &metadata)
        metadata.languages = languages
        metadata.contributorsByRole = contributorsByRole()
        metadata.subjects = subjects
        metadata.description = source.all("description").first?.text
        metadata.belongsTo = belongsTo()
        metadata.readingProgression = package.readingProgression
        metadata.layout = layout
        metadata.duration = source.property("media:duration").first.flatMap { MediaClock.seconds($0.value) }
        metadata.numberOfPages = source.values("schema:numberOfPages").lazy.compactMap { Int($0) }.first { $0 > 0 }
        metadata.accessibility = accessibility
        metadata.tdm = tdm
        metadata.otherMetadata = otherMetadata()
        note(metadata)
        return metadata
    }

    /// Warns of missing required metadata (EPUB 3.3, section 5.5.3).
    private func note(_ metadata: Metadata) {
        noteRendition()
        if metadata.languages.isEmpty {
            warnings.warn(
                "missing-language", severity: .minor,
                message: "The book does not declare its language; none was assumed.")
        }
        if metadata.identifier == nil {
            warnings.warn(
                "missing-identifier", severity: .minor,
                message: "The book has no identifier; it was opened without one.")
        } else if !source.all("identifier").contains(where: { $0.id != nil && $0.id == source.uniqueIdentifier }) {
            warnings.warn(
                "wrong-unique-identifier", severity: .minor,
                message: "The book does not say which identifier is its unique one; the first one was used.")
        }
        if ![2, 3].contains(Double(package.version).map { $0.rounded(.down) }) {
            let edition = package.isEPUB3 ? "EPUB 3" : "EPUB 2"
            warnings.warn(
                "wrong-version", severity: .minor,
                message: "“\(package.version.prefix(40))” is not a version of EPUB; the book was read as \(edition).")
        }
    }

    /// Parses `text` as a date; nil, with a warning, if it is not one.
    private func date(_ text: String) -> Date? {
        let date = Date(manifestText: text)
        if date == nil {
            warnings.warn(
                "unreadable-date", severity: .minor,
                message: "“\(text.prefix(100))” cannot be read as a date; it was left out.")
        }
        return date
    }

    /// The text of an element in its language and, by `alternate-script`, in others (EPUB 3.3, appendix D.3.1).
    func localized(_ entry: PackageMetadata.Entry) -> LocalizedString {
        var translations = [entry.language ?? LocalizedString.undetermined: entry.value]
        for alternate in source.refinements(of: entry.id, "alternate-script") {
            if let language = alternate.language, translations[language] == nil {
                translations[language] = alternate.value
            }
        }
        return LocalizedString(translations) ?? LocalizedString(entry.value)
    }

    /// Returns `entries` in display order (EPUB 3.3, appendix D.3.4): those with a number first, by number, then the
    /// others. Entries of equal rank keep the order of the document.
    func displayed(_ entries: [PackageMetadata.Entry]) -> [PackageMetadata.Entry] {
        let locations = entries.map {
            source.refinement($0, property: "display-seq").flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
                ?? .infinity
        }
        guard locations.contains(where: \.isFinite) else { return entries }
        return entries.indices.sorted { (locations[$0], $0) < (locations[$1], $1) }.map { entries[$0] }
    }

    /// Returns the sort key of an element: a refinement in EPUB 3, an attribute in EPUB 2.
    func sortAs(_ entry: PackageMetadata.Entry) -> LocalizedString? {
        (source.refinement(entry, property: "file-as") ?? entry.attribute("file-as")).map { LocalizedString($0) }
    }
}

// MARK: Titles, identifiers, dates

extension EPUBMetadataParser {
    /// The title marked as the main one, else the one that is displayed first.
    private var mainTitle: PackageMetadata.Entry? {
        let titles = displayed(source.all("title"))
        return titles.first { source.refinement($0, property: "title-type") == "main" } ?? titles.first
    }

    /// The subtitle that is displayed first.
    private var subtitle: LocalizedString? {
        displayed(source.all("title").filter { source.refinement($0, property: "title-type") == "subtitle" }).first.map(
            localized)
    }

    /// The value stays as written, because obfuscated fonts are unlocked with it (EPUB 3.3, section 4.4).
    private func addIdentifiers(to metadata: inout Metadata) {
        let all = source.all("identifier")
        let unique = source.uniqueIdentifier
        guard let main = all.firstIndex(where: { $0.id != nil && $0.id == unique }) ?? all.indices.first else { return }
        metadata.identifier = all[main].value
        let others = all.indices.filter { $0 != main && all[$0].value != all[main].value }
        metadata.alternateIdentifiers = others.map { AlternateIdentifier(all[$0].value) }
    }

    /// EPUB 2 distinguishes dates by `opf:event`; a single date without one is that of publication.
    private func addDates(to metadata: inout Metadata) {
        let dates = source.all("date")
        func date(_ event: String) -> String? { dates.first { $0.attribute("event")?.lowercased() == event }?.value }
        let published = date("publication") ?? dates.first { $0.attribute("event") == nil }?.value
        metadata.published = published.flatMap(self.date)
        let modified = source.property("dcterms:modified").first?.value ?? date("modification")
        metadata.modified = modified.flatMap(self.date)
    }

    private var languages: [String] {
        var seen: Set<String> = []
        return source.all("language").map(\.value).filter { seen.insert($0).inserted }
    }
}

// MARK: Subjects and collections

extension EPUBMetadataParser {
    /// A single subject without refinements may be a list.
    private var subjects: [Subject] {
        let entries = source.all("subject")
        if entries.count == 1, !source.isRefined(entries[0]) {
            let names = entries[0].value.split { $0 == "," || $0 == ";" }.map { MarkupText.trimmed(String($0)) }.filter
            { !$0.isEmpty }
            .prefix(1_000)
            if names.count > 1 { return names.map { subject(entries[0], name: localized(entries[0], as: $0)) } }
        }
        return displayed(entries).map { subject($0, name: localized($0)) }
    }

    private func subject(_ entry: PackageMetadata.Entry, name: LocalizedString) -> Subject {
        Subject(
            name: name, sortAs: sortAs(entry),
            code: source.refinement(entry, property: "term") ?? entry.attribute("term"),
            scheme: source.refinement(entry, property: "authority") ?? entry.attribute("authority"))
    }

    private func localized(_ entry: PackageMetadata.Entry, as text: String) -> LocalizedString {
        LocalizedString([entry.language ?? LocalizedString.undetermined: text]) ?? LocalizedString(text)
    }

    /// By kind. Calibre's series is used only if the publication names none itself.
    private func belongsTo() -> [String: [ParentCollection]] {
        var result: [String: [ParentCollection]] = [:]
        for entry in source.property("belongs-to-collection") {
            let kind = source.refinement(entry, property: "collection-type") == "series" ? "series" : "collection"
            var collection = ParentCollection(
                name: localized(entry),
                position: source.refinement(entry, property: "group-position").flatMap(Self.number),
                identifier: source.refinement(entry, property: "dcterms:identifier"))
            collection.sortAs = sortAs(entry)
            result[kind, default: []].append(collection)
        }
        if result["series"] == nil, let name = source.values("calibre:series").first {
            let position = source.values("calibre:series_index").first.flatMap(Self.number)
            result["series"] = [ParentCollection(name: LocalizedString(name), position: position)]
        }
        return result
    }

    /// A finite number; may be zero, negative or a fraction.
    private static func number(_ text: String) -> Double? {
        Double(text).flatMap { $0.isFinite ? $0 : nil }
    }
}

extension PackageMetadata.Entry {
    func attribute(_ name: String) -> String? { attributes[name].flatMap { $0.isEmpty ? nil : $0 } }
}

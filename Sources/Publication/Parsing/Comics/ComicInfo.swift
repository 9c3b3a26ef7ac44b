import Foundation
import SafeXML

/// The contents of a `ComicInfo.xml` (the schema of ComicRack, 2.0, and its draft 2.1 by the Anansi Project).
struct ComicInfo {
    /// Limits for parsing. Documents of real comics have a few kilobytes.
    static let limits = XMLLimits(bytes: 4 << 20, depth: 32, text: 1 << 20, elements: 50_000)

    /// The prefix in ``Metadata/otherMetadata`` for the names of elements without a counterpart.
    static let prefix = "comicinfo:"

    private let values: [String: String]
    let pages: [Page]

    /// - Parameter root: The root element, whatever its name: some writers use others.
    init(_ root: XMLElement) {
        var values: [String: String] = [:]
        for element in root.children where element.name != "Pages" {
            let text = MarkupText.trimmed(element.text)
            // The schema's default for unknown numbers.
            if !text.isEmpty, text != "-1", values[element.name] == nil { values[element.name] = text }
        }
        self.values = values
        pages = root.first("Pages")?.all("Page").compactMap { Page($0) } ?? []
    }

    /// - Parameter titleOfLastResort: The title if the document has neither title nor series.
    func metadata(titleOfLastResort: String) -> Metadata {
        var metadata = Metadata(title: LocalizedString(values["Title"] ?? issue ?? titleOfLastResort))
        metadata.identifier = identifier
        metadata.description = values["Summary"]
        metadata.published = published
        metadata.languages = [values["LanguageISO"]].compactMap(\.self)
        metadata.subjects = names("Genre").map { Subject(name: LocalizedString($0)) }
        if values["Manga"]?.lowercased() == "yesandrighttoleft" { metadata.readingProgression = .rtl }
        for (key, role) in Self.roles { metadata[role] = names(key).map { Contributor(name: LocalizedString($0)) } }
        // Not split at commas: names of companies contain them.
        metadata.publishers = [values["Publisher"]].compactMap(\.self).map { Contributor(name: LocalizedString($0)) }
        metadata.imprints = [values["Imprint"]].compactMap(\.self).map { Contributor(name: LocalizedString($0)) }
        metadata.contributors = names("CoverArtist").map { Contributor(name: LocalizedString($0), roles: ["cov"]) }
        metadata.belongsToSeries =
            [series("Series", "Number", "Count", volume: "Volume")].compactMap(\.self)
            + [series("AlternateSeries", "AlternateNumber", "AlternateCount", volume: nil)].compactMap(\.self)
        for (key, value) in values where !Self.keys.contains(key) {
            metadata.otherMetadata[Self.prefix + key] = .string(value)
        }
        return metadata
    }

    private static let roles: [(String, ContributorRole)] = [
        ("Writer", .author), ("Penciller", .penciler), ("Inker", .inker), ("Colorist", .colorist),
        ("Letterer", .letterer),
        ("Editor", .editor), ("Translator", .translator),
    ]

    /// The elements that have a counterpart. The number of pages is counted.
    private static let keys = Set(roles.map(\.0)).union([
        "Title", "Series", "Number", "Count", "Volume", "AlternateSeries", "AlternateNumber", "AlternateCount",
        "Summary", "Year",
        "Month", "Day", "LanguageISO", "GTIN", "Genre", "Publisher", "Imprint", "CoverArtist", "Manga", "PageCount",
    ])

    /// Names in a list that is separated by commas.
    private func names(_ key: String) -> [String] {
        (values[key] ?? "").split(separator: ",").map { MarkupText.trimmed(String($0)) }.filter { !$0.isEmpty }
    }

    /// The series with the number in it.
    private var issue: String? {
        values["Series"].map { series in values["Number"].map { "\(series) #\($0)" } ?? series }
    }

    /// An ISBN as its URN (RFC 8254), other numbers as they are.
    private var identifier: String? {
        guard let number = values["GTIN"] else { return nil }
        let digits = number.filter { $0 != "-" && $0 != " " }
        let isISBN =
            digits.utf8.count == 13 && (digits.hasPrefix("978") || digits.hasPrefix("979")) && Int(digits) != nil
        return isISBN ? "urn:isbn:\(digits)" : number
    }

    /// The year is enough for a date; a day without its month is ignored.
    private var published: Date? {
        func part(_ key: String, _ range: ClosedRange<Int>) -> Int? {
            values[key].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        guard let year = part("Year", 1...9999) else { return nil }
        let month = part("Month", 1...12)
        let day = month == nil ? nil : part("Day", 1...31)
        let parts =
            [String(year + 10_000).dropFirst()] + [month, day].compactMap(\.self).map { String($0 + 100).dropFirst() }
        return Date(manifestText: parts.joined(separator: "-"))
            ?? Date(manifestText: parts.prefix(2).joined(separator: "-"))
    }

    /// A number that cannot be parsed, such as `1½`, stays as text.
    private func series(_ name: String, _ number: String, _ count: String, volume: String?) -> ParentCollection? {
        guard let name = values[name] else { return nil }
        let position = values[number].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        var series = ParentCollection(name: LocalizedString(name), position: position)
        if position == nil, let text = values[number] { series.otherProperties[Self.prefix + number] = .string(text) }
        series.otherProperties["numberOfItems"] = values[count].flatMap { Int64($0) }.map(JSONValue.integer)
        series.otherProperties["volume"] = volume.flatMap { values[$0] }.flatMap { Int64($0) }.map(JSONValue.integer)
        return series
    }
}

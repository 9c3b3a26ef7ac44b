import FileProviderCore
import Foundation
import MediaTypes
import Publication
import SQLiteStorage

/// What the tables keep of a book: its metadata, and keys and words made of it.
struct BookRow {
    struct Name {
        var kind: NameKind
        var key: String
        var name: String
        var sortKey: String
    }

    /// The most bytes of a book's metadata as JSON. Longer metadata loses its less important parts.
    static let maxMetadataLength = 256 << 10
    /// The most bytes of a description that can be searched.
    private static let maxSearchedLength = 16 << 10
    /// The most names of one kind.
    private static let maxNames = 100
    /// Comes after every name: books without an author or a series are the last ones.
    private static let last = "\u{10FFFF}"

    let titleKey: String
    let authorKey: String
    let seriesKey: String
    let seriesPosition: Double
    let mediaType: String
    let positions: Int?
    let isNamedAfterFile: Bool
    let metadata: String
    let names: [Name]
    /// In the order of ``ShelfSchema/searchColumns``.
    let searchTexts: [String]

    init(_ record: BookRecord, path: ProviderPath, folding: inout FoldedKey) {
        let metadata = record.metadata
        let title = BookText.nonEmpty(metadata.title.string) ?? path.name
        let authors = metadata.authors.isEmpty ? metadata.artists : metadata.authors
        let names = Self.names(of: record, authors: authors, folding: &folding)
        let series = metadata.belongsToSeries.first { BookText.nonEmpty($0.name?.string) != nil }
        titleKey = Self.short(folding.sortingKey(BookText.nonEmpty(metadata.sortAs?.string) ?? title))
        authorKey =
            authors.first.flatMap { BookText.nonEmpty(($0.sortAs ?? $0.name).string) }
            .map { Self.short(folding.sortingKey($0)) } ?? Self.last
        seriesKey =
            series.flatMap { BookText.nonEmpty(($0.sortAs ?? $0.name)?.string) }
            .map { Self.short(folding.sortingKey($0)) } ?? Self.last
        seriesPosition = series?.position.flatMap { $0.isFinite ? $0 : nil } ?? 0
        mediaType = record.mediaType.string
        positions = record.positions
        let stem = path.fileExtension.map { String(path.name.dropLast($0.count + 1)) } ?? path.name
        isNamedAfterFile = folding.key(title) == folding.key(stem) || folding.key(title) == folding.key(path.name)
        self.metadata = Self.json(metadata)
        self.names = names
        searchTexts = Self.texts(of: metadata, title: title, names: names).map { SearchText.indexed($0, &folding) }
    }

    /// Returns a key that is short enough for an index.
    private static func short(_ key: String) -> String { BookText.prefix(key, bytes: 400) }
}

// MARK: Names

extension BookRow {
    private static func names(of record: BookRecord, authors: [Contributor], folding: inout FoldedKey) -> [Name] {
        let metadata = record.metadata
        let texts: [(NameKind, [(String?, String?)])] = [
            (.author, authors.map { ($0.name.string, $0.sortAs?.string) }),
            (.series, metadata.belongsToSeries.map { ($0.name?.string, $0.sortAs?.string) }),
            (.language, metadata.languages.map { ($0, nil) }),
            (.subject, metadata.subjects.map { ($0.name.string, $0.sortAs?.string) }),
            (.collection, metadata.belongsToCollections.map { ($0.name?.string, $0.sortAs?.string) }),
        ]
        var names: [Name] = []
        for (kind, list) in texts {
            for (text, sortAs) in list.prefix(maxNames) {
                guard let name = BookText.nonEmpty(text).map({ BookText.prefix($0, bytes: 1000) }) else { continue }
                let folded = folding.key(name)
                // A name of nothing but marks has no other key.
                let key = folded.isEmpty ? name : folded
                let sortKey = short(folding.sortingKey(BookText.nonEmpty(sortAs) ?? name))
                names.append(Name(kind: kind, key: key, name: name, sortKey: sortKey))
            }
        }
        let type = record.mediaType
        let typeName = type.name ?? type.string
        names.append(
            Name(kind: .mediaType, key: type.string, name: typeName, sortKey: folding.sortingKey(typeName)))
        return names
    }
}

// MARK: Metadata and words

extension BookRow {
    private static func json(_ metadata: Metadata) -> String {
        let text = metadata.json.jsonString
        if text.utf8.count <= maxMetadataLength { return text }
        var short = metadata
        short.description = metadata.description.map { BookText.prefix($0, bytes: maxSearchedLength) }
        short.otherMetadata = [:]
        let shorter = short.json.jsonString
        if shorter.utf8.count <= maxMetadataLength { return shorter }
        // No honest book comes here.
        var least = Metadata(title: LocalizedString(BookText.prefix(metadata.title.string, bytes: 1000)))
        least.authors = metadata.authors.prefix(maxNames).map { author in
            Contributor(name: LocalizedString(BookText.prefix(author.name.string, bytes: 1000)))
        }
        return least.json.jsonString
    }

    private static func texts(of metadata: Metadata, title: String, names: [Name]) -> [String] {
        func list(_ kind: NameKind) -> String {
            names.filter { $0.kind == kind }.map(\.name).joined(separator: " \n")
        }
        let people = metadata.contributorsByRole.filter { ![ContributorRole.publisher, .imprint].contains($0.key) }
            .flatMap { $0.value.prefix(maxNames) }.map(\.name.string)
        let titles = [title] + metadata.title.translations.values.filter { $0 != title }
        let subtitles = metadata.subtitle.map { Array($0.translations.values) } ?? []
        return [
            titles, subtitles, [list(.author)] + people, [list(.series), list(.collection)], [list(.subject)],
            [SearchText.withoutTags(BookText.prefix(metadata.description ?? "", bytes: 2 * maxSearchedLength))],
        ].map { BookText.prefix($0.joined(separator: " \n"), bytes: maxSearchedLength) }
    }
}

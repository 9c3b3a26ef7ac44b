import Foundation
import MediaTypes
import Publication
import Shelf

/// The metadata of a book as a list of terms, and its names as links to other books with them.
struct BookFacts {
    /// The most names in a row.
    private static let maxNames = 40

    private let shown: ShownBook
    private let metadata: Metadata
    private let addresses: PageAddresses
    private var keys = NameKeys()

    init(_ shown: ShownBook, _ addresses: PageAddresses) {
        self.shown = shown
        metadata = shown.book.metadata
        self.addresses = addresses
    }

    /// The rows of an element `dl`.
    mutating func rows() -> [HTML] {
        var rows = people
        rows.append(("Published", Self.html(metadata.published.flatMap { PageText.publication($0) })))
        rows.append(("Languages", list(metadata.languages, .languages)))
        rows.append(("Subjects", list(metadata.subjects.map { text($0.name) }, .subjects)))
        rows.append(("Collections", list(metadata.belongsToCollections.map { $0.name.map { text($0) } }, .collections)))
        rows.append(("Length", Self.html(length)))
        rows.append(("Format", format))
        rows.append(("Identifier", Self.html(metadata.identifier, limit: 300)))
        rows.append(("Accessibility", Self.html(metadata.accessibility?.summary, limit: 2_000)))
        rows.append(("On the shelf since", Self.time(shown.book.added)))
        return rows.compactMap { row in
            row.value.map { value -> HTML in "<dt>\(row.term)</dt><dd>\(value)</dd>" }
        }
    }

    /// The authors, each with a link; nil for none.
    mutating func authors() -> HTML? {
        let links = shown.authors.prefix(Self.maxNames).compactMap { link($0, .authors) }
        if links.isEmpty { return nil }
        return "<p class=\"authors\">\(Self.joined(links))</p>"
    }

    /// The series and the places in them; nil for none.
    mutating func series() -> HTML? {
        let parts = metadata.belongsToSeries.prefix(5).compactMap { series -> HTML? in
            guard let name = link(series.name.map { text($0) }, .series) else { return nil }
            guard let place = series.position.flatMap({ PageText.number($0) }) else { return name }
            return "\(name), \(place)"
        }
        if parts.isEmpty { return nil }
        return "<p class=\"part\">\(Self.joined(parts, separator: " · "))</p>"
    }

    // MARK: Values

    private var people: [(term: String, value: HTML?)] {
        var rows: [(term: String, value: HTML?)] = []
        for (role, term) in Self.roles {
            // Those who drew a comic without authors are named in their place.
            if role == .artist, metadata.authors.isEmpty { continue }
            let names = metadata[role].prefix(Self.maxNames).map { text($0.name) }
            if !names.isEmpty { rows.append((term, Self.html(names.joined(separator: ", "), limit: 2_000))) }
        }
        return rows
    }

    private mutating func list(_ names: [String?], _ division: ShelfDivision) -> HTML? {
        let links = names.prefix(Self.maxNames).compactMap { link($0, division) }
        if links.isEmpty { return nil }
        let items = links.map { link -> HTML in "<li>\(link)</li>" }
        return "<ul>\(items)</ul>"
    }

    private mutating func link(_ name: String?, _ division: ShelfDivision) -> HTML? {
        guard let (name, key) = keys.keyed(name) else { return nil }
        let shown = division.name(of: FacetValue(key: key, name: name, count: 0))
        return "<a href=\"\(addresses.books(of: key, division))\" dir=\"auto\">\(shown)</a>"
    }

    private var length: String? {
        if let duration = metadata.duration.flatMap({ PageText.duration($0) }) { return duration }
        let pages = BookAddress.pages(of: shown.book)?.count ?? metadata.numberOfPages
        return pages.flatMap { $0 > 0 ? PageText.count($0, "page") : nil }
    }

    private var format: HTML {
        let key = shown.book.mediaType.string
        let size = shown.book.fileSize.map { ", " + PageText.size($0) } ?? ""
        return "<a href=\"\(addresses.books(of: key, .formats))\">\(shown.format)</a>\(size)"
    }

    /// The beginning of a text.
    private static func html(_ text: String?, limit: Int = 200) -> HTML? {
        text.map { text -> HTML in "\(String(text.prefix(limit)))" }
    }

    private static func time(_ date: Date) -> HTML {
        "<time datetime=\"\(PageText.isoDay(date))\">\(PageText.day(date))</time>"
    }

    private func text(_ name: LocalizedString) -> String { name.string(for: metadata.languages) }

    private static func joined(_ parts: [HTML], separator: String = ", ") -> HTML {
        HTML(markup: parts.map(\.text).joined(separator: separator))
    }

    private static let roles: [(ContributorRole, String)] = [
        (.translator, "Translated by"), (.editor, "Edited by"), (.artist, "Drawn by"), (.illustrator, "Illustrated by"),
        (.penciler, "Pencils by"), (.inker, "Inks by"), (.colorist, "Colours by"), (.letterer, "Letters by"),
        (.narrator, "Read by"), (.contributor, "With"), (.publisher, "Published by"), (.imprint, "Imprint"),
    ]
}

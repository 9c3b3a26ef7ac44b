import Carrel
import Foundation
import OPDSClient

extension Verb {
    /// Prints the first `count` of `pages`: a line for each feed and each book, or one OPDS 2 feed with all of them.
    func show(_ pages: CatalogPages, _ count: Int, _ session: Session) async throws {
        var whole: Feed?
        var read = 0
        for try await page in pages {
            read += 1
            if common.json {
                whole = whole?.followed(by: page) ?? page
            } else {
                if read == 1 { try page.showFacets(session.output) }
                try page.show(session.output)
            }
            if read >= count { break }
        }
        if let whole { try session.output.json(whole.json) }
    }
}

extension Feed {
    /// Writes a line for each choice of a facet, with the name of the facet.
    fileprivate func showFacets(_ output: Output) throws {
        for facet in facets {
            for link in facet.links { try link.show(output, facet: facet.metadata.title.string) }
        }
    }

    /// Writes a line for each feed and each book.
    fileprivate func show(_ output: Output) throws {
        for link in navigation { try link.show(output) }
        for group in groups {
            for link in group.navigation { try link.show(output) }
            for book in group.publications { try book.show(output) }
        }
        for book in publications { try book.show(output) }
    }

    /// This feed and `page`, the next one, as one.
    fileprivate func followed(by page: Feed) -> Feed {
        var feed = self
        feed.navigation += page.navigation
        feed.groups += page.groups
        feed.publications += page.publications
        feed.links.removeAll { $0.rels.contains(CatalogRelation.next) }
        feed.links += page.links.filter { $0.rels.contains(CatalogRelation.next) }
        return feed
    }
}

extension Link {
    /// Writes a line of a link to a feed.
    ///
    /// - Parameter facet: The name of the facet that the link belongs to; nil if it belongs to none.
    fileprivate func show(_ output: Output, facet: String? = nil) throws {
        let name = [facet, title].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ": ")
        let count = properties.numberOfItems.map { "\($0) item\($0 == 1 ? "" : "s")" }
        let notes = [facet != nil && rels.contains("self") ? "active" : nil, count].compactMap(\.self)
        let end = notes.isEmpty ? [] : [notes.joined(separator: ", ")]
        try output.fields([name, "", facet == nil ? "feed" : "facet", href] + end)
    }
}

extension FeedPublication {
    fileprivate func show(_ output: Output) throws {
        let authors = metadata.authors.map(\.name.string).joined(separator: ", ")
        let link = preferredAcquisition() ?? acquisitions.first ?? links.first
        let terms = shownTerms
        try output.fields(
            [metadata.title.string, authors, shownFormats, link?.href ?? ""] + (terms.isEmpty ? [] : [terms]))
    }

    /// The formats in which the book is offered, by extension where there is one; not those of samples.
    var shownFormats: String {
        acquisitions.filter { $0.acquisitionRelation != .sample }.flatMap(\.shownFormats).withoutRepetitions
            .joined(separator: ", ")
    }

    /// The terms of each offer in short form, such as “buy 9.99 EUR; sample epub”; empty if there are none to show.
    private var shownTerms: String {
        acquisitions.map(\.shownTerms).filter { !$0.isEmpty }.withoutRepetitions.joined(separator: "; ")
    }
}

extension Link {
    /// The formats that the link leads to, by extension where there is one.
    fileprivate var shownFormats: [String] {
        let final = properties.indirectAcquisitions.flatMap(\.finalTypes)
        return (final.isEmpty ? [type].compactMap(\.self) : final).map { type in
            let known = MediaType(type)?.canonicalized
            return known?.fileExtension ?? known?.string ?? type
        }
    }

    /// Whether the link is a sale, loan, subscription or sample, then the price, the availability, holds and copies; empty
    /// if the link has none of them.
    fileprivate var shownTerms: String {
        let price = properties.price.map { "\($0.value) \($0.currency)" }
        let offer = [shownOffer, price].compactMap(\.self).joined(separator: " ")
        let stock = [properties.availability?.shown, properties.holds?.shown, properties.copies?.shown]
        return ([offer] + stock.compactMap(\.self)).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private var shownOffer: String? {
        switch acquisitionRelation {
        case .buy: "buy"
        case .borrow: "borrow"
        case .subscribe: "subscribe"
        case .sample: (["sample"] + shownFormats.withoutRepetitions).joined(separator: " ")
        case .acquisition, .openAccess, nil: nil
        }
    }
}

extension Availability {
    /// The state with its times, in UTC.
    fileprivate var shown: String {
        func text(_ word: String, _ date: Date?) -> String? {
            date.map { "\(word) \($0.formatted(Date.ISO8601FormatStyle()))" }
        }
        return [state.rawValue, text("since", since), text("until", until)].compactMap(\.self).joined(separator: " ")
    }
}

extension Holds {
    /// The number of holds, and the user's place among them if there is one.
    fileprivate var shown: String {
        let total = self.total.map { "\($0) hold\($0 == 1 ? "" : "s")" }
        guard let position, position > 0 else { return total ?? "" }
        return "place \(position)" + (total.map { " of \($0)" } ?? "")
    }
}

extension Copies {
    fileprivate var shown: String {
        func copies(_ count: Int) -> String { "\(count) cop\(count == 1 ? "y" : "ies")" }
        return switch (available, total) {
        case (let available?, let total?): "\(available) of \(copies(total))"
        case (let available?, nil): "\(copies(available)) available"
        case (nil, let total?): copies(total)
        case (nil, nil): ""
        }
    }
}

extension Array where Element == String {
    /// The elements in order, each once.
    fileprivate var withoutRepetitions: [String] {
        var seen: Set<String> = []
        return filter { seen.insert($0).inserted }
    }
}

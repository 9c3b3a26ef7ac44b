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
                try page.show(session.output)
            }
            if read >= count { break }
        }
        if let whole { try session.output.json(whole.json) }
    }
}

extension Feed {
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
    fileprivate func show(_ output: Output) throws { try output.fields([title ?? "", "", "feed", href]) }
}

extension FeedPublication {
    fileprivate func show(_ output: Output) throws {
        let authors = metadata.authors.map(\.name.string).joined(separator: ", ")
        let link = preferredAcquisition() ?? acquisitions.first ?? links.first
        try output.fields([metadata.title.string, authors, shownFormats, link?.href ?? ""])
    }

    /// The formats in which the book is offered, by extension where there is one.
    var shownFormats: String {
        var shown: [String] = []
        for link in acquisitions {
            let final = link.properties.indirectAcquisitions.flatMap(\.finalTypes)
            for type in final.isEmpty ? [link.type].compactMap(\.self) : final {
                let known = MediaType(type)?.canonicalized
                let name = known?.fileExtension ?? known?.string ?? type
                if !shown.contains(name) { shown.append(name) }
            }
        }
        return shown.joined(separator: ", ")
    }
}

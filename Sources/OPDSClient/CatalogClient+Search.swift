import FileProviderCore
import Foundation
public import OPDS

extension CatalogClient {
    /// Searches the catalogue that `feed` belongs to.
    ///
    /// Uses the feed's own search, else that of the feed it names as the `start`: a URI template, or an OpenSearch
    /// description, which is read first. A catalogue without fields for a title or an author gets their words as part of
    /// the text.
    ///
    /// - Parameter terms: Words to find anywhere, in a title, or in an author's name.
    /// - Returns: The first page of the result.
    /// - Throws: As ``feed(at:)``; `CocoaError(.featureUnsupported)` if the catalogue has no search.
    /// - Complexity: One request; one more for a description, and one for the start.
    public func search(_ terms: SearchTerms, in feed: Feed) async throws -> Feed {
        var links = feed.links(withRel: CatalogRelation.search)
        if links.isEmpty, let start = feed.address(rel: CatalogRelation.start) {
            links = try await self.feed(at: start).links(withRel: CatalogRelation.search)
        }
        // A user that appears only in the expanded template would replace the login there.
        for link in links where link.isSearchTemplate {
            if let url = Self.address(link, for: terms) { return try await self.feed(at: url.withoutUser) }
        }
        for link in links where !link.isSearchTemplate {
            guard let url = URL(string: link.href), case .openSearch(let description) = try await document(at: url),
                let result = description.url(for: terms)
            else { continue }
            return try await self.feed(at: result.withoutUser)
        }
        let title = feed.metadata.title.string
        throw FileError.make(
            .featureUnsupported, path: feed.address(rel: "self")?.shownPath ?? .root,
            sentence: "The catalogue\(title.isEmpty ? "" : " “\(title)”") has no search that can be used here.")
    }

    private static func address(_ link: Link, for terms: SearchTerms) -> URL? {
        guard !link.isOpenSearchTemplate else {
            // Results of any format are read.
            let template = OpenSearchDescription.Template(type: "application/atom+xml", template: link.href)
            return OpenSearchDescription(shortName: "", templates: [template]).url(for: terms)
        }
        var template = link
        template.templated = true
        let folded = terms.folding(fields: Set(template.templateParameters))
        let values = [
            "query": folded.text, "q": folded.text, "title": folded.title ?? "", "author": folded.author ?? "",
        ].filter { !$0.value.isEmpty }
        guard let href = try? template.expandTemplate(values).href else { return nil }
        return URL(string: href)
    }
}

extension SearchTerms {
    /// The terms for a template with the parameters `names`: words that none of them is for are searched for anywhere.
    fileprivate func folding(fields names: Set<String>) -> SearchTerms {
        var terms = self
        var words = [text]
        if let title, !names.contains("title") {
            words.append(title)
            terms.title = nil
        }
        if let author, !names.contains("author") {
            words.append(author)
            terms.author = nil
        }
        terms.text = words.filter { !$0.isEmpty }.joined(separator: " ")
        return terms
    }
}

extension Link {
    /// Whether the link is a template: OPDS 1.2 catalogues don't mark them.
    fileprivate var isSearchTemplate: Bool { templated || href.contains("{") }

    /// Whether the template has the parameters of OpenSearch, which are not those of RFC 6570.
    fileprivate var isOpenSearchTemplate: Bool { href.contains("{searchTerms") || href.contains("?}") }
}

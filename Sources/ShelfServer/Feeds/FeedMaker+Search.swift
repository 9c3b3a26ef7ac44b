import MediaTypes
import OPDS
import WebServer

extension FeedMaker {
    /// How to search the shelf (OpenSearch 1.1).
    func searchDescription() -> ServerResponse {
        let description = OpenSearchDescription(
            // At most 16 and 1,024 characters.
            shortName: String(context.title.prefix(16)),
            description: String("Searches the books of \(context.title).".prefix(1_024)),
            templates: [
                OpenSearchDescription.Template(
                    type: version.type(.books),
                    template: addresses.root + "books?query={searchTerms}&page={startPage?}")
            ])
        return MadeAnswer.make(
            description.xml, type: OpenSearchDescription.mediaType.string, fields: ContentPolicy.service(),
            for: request)
    }
}

import MediaTypes
import OPDS
import Publication
import WebServer

/// How readers log in to the catalogue (Authentication for OPDS 1.0).
enum LoginDocument {
    /// The document, which is also the body of each answer 401 below `opds/`.
    static func document(_ context: ShelfContext) -> AuthenticationDocument {
        let addresses = FeedAddresses(context, .json)
        let basic = AuthenticationDocument.Flow(
            type: AuthenticationDocument.Flow.basic,
            labels: AuthenticationDocument.Labels(login: "Name", password: "Password"))
        let links = FeedVersion.allCases.map { version in
            Link(
                href: FeedAddresses(context, version).root, type: version.type(.navigation),
                rels: [CatalogRelation.start])
        }
        return AuthenticationDocument(
            id: addresses.authentication, title: context.title, authentication: [basic],
            description: "Log in with the name and the password of your account on this shelf.", links: links)
    }

    static func answer(for request: ServerRequest, _ context: ShelfContext) -> ServerResponse {
        MadeAnswer.make(
            document(context).json.data, type: AuthenticationDocument.mediaType.string,
            fields: ContentPolicy.service(), for: request)
    }
}

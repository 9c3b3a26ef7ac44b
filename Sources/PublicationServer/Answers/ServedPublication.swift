import Logging
import Publication

/// A publication that a server answers for.
struct ServedPublication: Sendable {
    let publication: Publication
    /// What names the publication for good; entity tags depend on it.
    let identity: String
    /// Its links by the paths that clients ask for.
    let links: ServedLinks
    /// Whether its fetcher has nothing but the publication, so that files outside the manifest are its own. An archive is
    /// the publication; beside a manifest in a folder there may be anything.
    let ownsAllFiles: Bool

    init(publication: Publication, identity: String) {
        self.publication = publication
        self.identity = identity
        links = ServedLinks(publication.manifest)
        ownsAllFiles = publication.fetcher(of: ArchiveFetcher.self) != nil
    }
}

/// What an answer depends on besides the request.
struct AnswerContext: Sendable {
    let served: ServedPublication
    /// Scheme, host and port as the client named them.
    let origin: String
    /// The path of the publication; begins and ends with a slash.
    let base: String
    /// Whether scripts of the publication run.
    let allowsScripts: Bool
    /// Origins that may read manifests, services and resources.
    let allowedOrigins: [String]
    let logger: Logger?
    /// Where the reader's place is kept; nil if the browser alone keeps it.
    var places: (any ReadingPlaces)?
    /// Where the page's link back leads; nil for no link.
    var home: (title: String, address: String)?

    var publication: Publication { served.publication }

    /// The publication's address, which ends with a slash.
    var address: String { origin + base }
}

package import Logging
package import Publication
package import WebServer

/// One open publication at a path of any server.
package struct MountedPublication: Sendable {
    /// The largest body of a request below the publication: that of a place.
    package static let largestBody = PlaceAnswer.largest

    private let served: ServedPublication
    private let base: String
    private let allowsScripts: Bool
    private let allowedOrigins: [String]
    private let logger: Logger?
    private let places: (any ReadingPlaces)?
    private let home: (title: String, address: String)?

    /// The publication stays the caller's: close it when no answer is being sent any more.
    ///
    /// - Parameters:
    ///   - identity: What names the publication for good; entity tags depend on it.
    ///   - base: The path of its reading page, which begins and ends with a slash.
    ///   - allowsScripts: Whether scripts of the publication run, in a sandbox.
    ///   - allowedOrigins: Origins whose scripts may read manifest, services and resources (CORS).
    ///   - places: Keeps the reader's place; nil leaves it to the browser alone.
    ///   - home: The text and the address of a link on the page that leads back to the server's list of books.
    package init(
        publication: Publication, identity: String, base: String, allowsScripts: Bool, allowedOrigins: [String] = [],
        logger: Logger?, places: (any ReadingPlaces)? = nil, home: (title: String, address: String)? = nil
    ) {
        served = ServedPublication(publication: publication, identity: identity)
        self.base = base
        self.allowsScripts = allowsScripts
        self.allowedOrigins = allowedOrigins
        self.logger = logger
        self.places = places
        self.home = home
    }

    /// Answers one request; the answer to `HEAD` has no body.
    ///
    /// The answer's body may read from the publication's storage while it is sent.
    ///
    /// - Parameters:
    ///   - rest: The path behind the base, percent-encoded as it was sent, without the query.
    ///   - origin: Scheme, host and port as the client named them.
    package func respond(to request: ServerRequest, rest: String, origin: String) async -> ServerResponse {
        let context = AnswerContext(
            served: served, origin: origin, base: base, allowsScripts: allowsScripts, allowedOrigins: allowedOrigins,
            logger: logger, places: places, home: home)
        return await PublicationAnswer.respond(to: request, rest: rest, context)
    }
}

import FileProviderCore
import Foundation
import Logging
import Publication
import WebServer

/// Answers for the reader's place: `GET` returns it, `PUT` keeps another one. Both are for pages of this server alone.
enum PlaceAnswer {
    /// Below the publication's address.
    static let path = "~carrel/place"
    /// The most bytes of a place.
    static let largest = 16 << 10
    /// A field that no form of another site can send, and a script of another site only after a question that the server
    /// refuses (Fetch, section 3.3, "CORS protocol").
    private static let mark = (name: "X-Carrel", value: "1")

    static func make(
        for request: ServerRequest, _ places: any ReadingPlaces, _ context: AnswerContext
    ) async -> ServerResponse {
        guard ["GET", "HEAD", "PUT"].contains(request.method) else {
            return RefusalAnswer.wrongMethod(allowed: ["GET", "HEAD", "PUT"])
        }
        guard isSameOrigin(request, context) else {
            return RefusalAnswer.make(403, sentence: "Only the reading page may ask for the place.")
        }
        do {
            return request.method == "PUT" ? try await keep(request, places) : try await found(places)
        } catch {
            context.logger?.log(
                level: error.isCancellation ? .debug : .warning, "The place of a reader could not be read or kept.",
                metadata: ["error": "\(LogText.shown(error.sentence))"])
            return RefusalAnswer.make(500, sentence: "The place could not be read or kept.")
        }
    }

    private static func found(_ places: any ReadingPlaces) async throws -> ServerResponse {
        guard let place = try await places.place() else { return empty() }
        var answer = ServerResponse(status: 200, headers: ContentPolicy.service(), body: .data(place))
        answer.set("Content-Type", "application/json")
        answer.set("Cache-Control", "no-store")
        return answer
    }

    private static func keep(_ request: ServerRequest, _ places: any ReadingPlaces) async throws -> ServerResponse {
        guard request.header(mark.name) == mark.value else {
            return RefusalAnswer.make(403, sentence: "A place is kept only with \(mark.name): \(mark.value).")
        }
        guard request.body.count <= largest else { return RefusalAnswer.tooLarge }
        guard let json = try? JSONValue(data: request.body, maximumSize: largest), (try? Locator(json: json)) != nil
        else { return RefusalAnswer.make(400, sentence: "The place has to be a locator in JSON.") }
        try await places.keep(request.body)
        return empty()
    }

    private static func empty() -> ServerResponse {
        var answer = ServerResponse(status: 204, headers: ContentPolicy.service())
        answer.set("Cache-Control", "no-store")
        return answer
    }

    // MARK: Origins

    /// Whether nothing says that another origin sent the request. Browsers send `Origin` with each `PUT`, and
    /// `Sec-Fetch-Site` where a page is trustworthy: over TLS, and on this machine (Fetch Metadata).
    private static func isSameOrigin(_ request: ServerRequest, _ context: AnswerContext) -> Bool {
        if let site = request.header("Sec-Fetch-Site"), site != "same-origin", site != "none" { return false }
        guard let origin = request.header("Origin") else { return true }
        return normalized(origin) == normalized(context.origin)
    }

    /// In lower case, and without the port that the scheme has anyway, as browsers write origins.
    private static func normalized(_ origin: String) -> String {
        let text = origin.lowercased()
        for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
        where text.hasPrefix(scheme) && text.hasSuffix(port) {
            return String(text.dropLast(port.count))
        }
        return text
    }
}

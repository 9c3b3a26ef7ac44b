import FileProviderCore
import Foundation
import Logging
import Publication
import WebServer

/// Answers requests below the address of one publication.
enum PublicationAnswer {
    /// The first names of paths that are the server's and the services', whatever files a publication has there.
    private static let ownName = "~carrel"
    private static let serviceName = "~readium"
    /// Asks for a chapter with the page's script in it.
    private static let frame = "~frame"

    /// - Parameter rest: The path behind ``AnswerContext/base``, percent-encoded as it was sent.
    static func respond(
        to request: ServerRequest, rest: String, _ context: AnswerContext
    ) async -> ServerResponse {
        if let places = context.places, RequestedPath(rest)?.href == PlaceAnswer.path {
            let answer = await PlaceAnswer.make(for: request, places, context)
            return request.method == "HEAD" ? answer.withoutBody : answer
        }
        guard request.method == "GET" || request.method == "HEAD" else {
            return CrossOrigin.permission(for: request, context)
                ?? RefusalAnswer.wrongMethod(allowed: ["GET", "HEAD"])
        }
        let answer: ServerResponse
        do {
            answer = try await find(rest, request, context)
        } catch {
            answer = RefusalAnswer.make(for: error)
            let metadata = [
                "href": "\(LogText.shown(rest))", "status": "\(answer.status)",
                "error": "\(LogText.shown(error.sentence))",
            ]
            log(metadata, isExpected: answer.status < 500 || error.isCancellation, context)
        }
        return request.method == "HEAD" ? answer.withoutBody : answer
    }

    private static func find(
        _ rest: String, _ request: ServerRequest, _ context: AnswerContext
    ) async throws -> ServerResponse {
        if rest.isEmpty { return await PageAnswer.make(for: request, context) }
        guard let path = RequestedPath(rest) else { return RefusalAnswer.notFound }
        if path.begins(with: ownName) {
            return try await own(path, request, context) ?? RefusalAnswer.notFound
        }
        if path.href == ManifestAnswer.name { return await ManifestAnswer.make(for: request, context) }
        let query = RequestQuery(request.query)
        let known = context.served.links.link(at: path, query: query.without(frame))
        if path.begins(with: serviceName) {
            if let answer = try await ServiceAnswer.make(for: request, path: path, context) { return answer }
            // Documents that a parser makes have addresses there too; the manifest lists them.
            if known == nil { return RefusalAnswer.notFound }
        }
        guard known != nil || context.served.ownsAllFiles else { return RefusalAnswer.notFound }
        // A query belongs to a resource only if the manifest says so.
        return try await ResourceAnswer(
            request: request, link: known ?? Link(href: path.href), context: context, isFrame: query.has(frame)
        ).make()
    }

    /// Files of the page, and resources on the web.
    private static func own(
        _ path: RequestedPath, _ request: ServerRequest, _ context: AnswerContext
    ) async throws -> ServerResponse? {
        if path.names.count == 2 {
            return AssetAnswer.make(for: request, name: String(decoding: path.names[1], as: UTF8.self))
        }
        guard path.names.count == 3, path.href.hasPrefix(ServedLinks.remotePrefix),
            let link = context.served.links.remoteLink(named: path.names[2])
        else { return nil }
        let isFrame = RequestQuery(request.query).has(frame)
        return try await ResourceAnswer(request: request, link: link, context: context, isFrame: isFrame).make()
    }

    private static func log(_ metadata: [String: String], isExpected: Bool, _ context: AnswerContext) {
        context.logger?.log(
            level: isExpected ? .debug : .warning, "A file of a publication could not be sent.",
            metadata: metadata.mapValues { "\($0)" })
    }
}

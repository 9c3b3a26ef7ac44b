import FileProviderCore
import Foundation
import MediaTypes
import Publication
import WebServer

/// Answers with what a service of the publication says, such as its positions or the hits of a search.
enum ServiceAnswer {
    /// The most bytes of an answer: what a resource holds in memory.
    private static let limit = 256 << 20
    /// Below it, a question without `peek=true` would use a right.
    private static let rights = "~readium/rights/"

    /// Returns the answer; nil if the publication has no service at `path`, whatever file it may have there.
    ///
    /// `HEAD` asks no service: neither a search nor a use of a right comes of it.
    ///
    /// - Throws: Errors of the service and the storage.
    static func make(
        for request: ServerRequest, path: RequestedPath, _ context: AnswerContext
    ) async throws -> ServerResponse? {
        let publication = context.publication
        let services = publication.serviceLinks
        guard let link = services.first(where: { RequestedPath(ofLink: fixedPart(of: $0)) == path }) else { return nil }
        if isFromChapter(request, context) {
            return RefusalAnswer.make(403, sentence: "The publication's services don't answer its chapters.")
        }
        if path.href.hasPrefix(rights), ServiceHREF.query("?" + (request.query ?? ""))["peek"] != "true" {
            return RefusalAnswer.make(403, sentence: "Rights are asked for with peek=true; only the app uses them.")
        }
        let query = request.query.map { "?" + $0 } ?? ""
        let asked = Link(href: String(fixedPart(of: link)) + query, type: link.type)
        guard let resource = publication.answer(asked, parameters: ServiceHREF.query(asked.href)) else { return nil }
        let lease = ResourceLease(resource)
        var answer: ServerResponse
        if request.method == "HEAD" {
            let type = resource.link.type ?? link.type
            answer = ServerResponse(status: 200, headers: ContentPolicy.service())
            answer.set("Content-Type", ServedType(type.flatMap { MediaType($0) } ?? .json).field)
            answer.set("Cache-Control", "private, no-cache")
            await lease.close()
        } else {
            let sink = DataSink(limit: limit)
            try await lease.closing { try await $0.stream(nil, into: sink) }
            let type = servedType(of: sink.data, declared: resource.link.type ?? link.type)
            answer = MadeAnswer.make(sink.data, type: type.field, fields: policy(type, context), for: request)
        }
        CrossOrigin.open(&answer, for: request, context)
        return answer
    }

    /// A request that a chapter's sandbox sent, such as for a picture: chapters have no use for services, which read the
    /// whole publication. Browsers say so where a page is trustworthy: over TLS, and on this machine (Fetch Metadata).
    private static func isFromChapter(_ request: ServerRequest, _ context: AnswerContext) -> Bool {
        guard let site = request.header("Sec-Fetch-Site"), site == "cross-site" || site == "same-site" else {
            return false
        }
        return !(request.header("Origin").map { context.allowedOrigins.contains($0) } ?? false)
    }

    /// The address without the part that parameters fill in.
    private static func fixedPart(of link: Link) -> Substring { link.href.prefix { !"{?#".contains($0) } }

    /// A cover that was found by a search has no declared type.
    private static func servedType(of data: Data, declared: String?) -> ServedType {
        let type = declared ?? CoverImage.mediaType(of: data.prefix(CoverImage.start), claimed: nil)
        return ServedType(type.flatMap { MediaType($0) } ?? .binary)
    }

    /// A service may answer with a file of the publication, such as a cover that is an SVG document.
    private static func policy(_ type: ServedType, _ context: AnswerContext) -> ContentPolicy.Fields {
        if type.mediaType.isJSON { return ContentPolicy.service() }
        return type.isActive
            ? ContentPolicy.chapter(context.address)
            : ContentPolicy.resource(context.address, type: type.mediaType)
    }
}

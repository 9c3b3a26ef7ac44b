import FileProviderCore
import Foundation
import Publication
import WebServer

/// Answers with a chapter for the reading page's frame: with the page's script in it, always whole.
struct FrameAnswer {
    let request: ServerRequest
    let link: Link
    let context: AnswerContext
    let type: ServedType

    /// - Throws: Errors of the storage.
    func make(_ lease: ResourceLease) async throws -> ServerResponse {
        let version = try await ResourceVersion(lease.resource, in: context.publication)
        let tag = version.validator.map {
            EntityTag(
                publication: context.served.identity, href: link.href, validator: $0,
                form: "frame " + FrameScript.hash)
        }
        let fields = ContentPolicy.frame(
            context.address, scriptHash: FrameScript.hash, allowsScripts: context.allowsScripts)
        var answer = ServerResponse(status: 200, headers: fields)
        answer.set("Cache-Control", "private, no-cache")
        if let tag { answer.set("ETag", tag.value) }
        switch Preconditions(request).evaluate(tag.map { [$0] } ?? []) {
        case .failed: return RefusalAnswer.failedCondition
        case .notModified:
            answer.status = 304
            return answer
        case .proceed: break
        }
        answer.set("Content-Type", type.field)
        // How long it becomes shows when it is read.
        guard request.method != "HEAD" else { return answer }
        let injection = FrameInjection(isXML: type.isXHTML)
        if version.length <= ResourceAnswer.heldLength {
            let sink = DataSink(limit: Int(version.length) + 2 * FrameScript.xhtml.utf8.count)
            try await Self.send(lease.resource, injection, into: sink)
            answer.body = .data(sink.data)
        } else {
            answer.body = .stream(
                count: nil, send: { sink in try await lease.closing { try await Self.send($0, injection, into: sink) } }
            )
        }
        return answer
    }

    private static func send(
        _ resource: any Resource, _ injection: FrameInjection, into sink: any ByteSink
    ) async throws {
        try sink.begin(FileExtent(offset: 0, count: -1, size: -1))
        let injecting = FrameInjectionSink(sink, injection)
        try await resource.stream(nil, into: injecting)
        try await injecting.finish()
    }
}

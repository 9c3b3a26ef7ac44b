package import Foundation

/// Answers with bytes that the server made itself.
package enum MadeAnswer {
    /// Returns 200 with `data`, or 304 to a client that has it. Ranges are answered whole.
    ///
    /// - Parameters:
    ///   - type: The value of `Content-Type`.
    ///   - fields: Further header fields.
    package static func make(
        _ data: Data, type: String, fields: [(name: String, value: String)], for request: ServerRequest
    ) -> ServerResponse {
        let tag = EntityTag(of: data)
        var answer = ServerResponse(status: 200, headers: fields)
        answer.set("Cache-Control", "private, no-cache")
        answer.set("ETag", tag.value)
        switch Preconditions(request).evaluate([tag]) {
        case .failed: return RefusalAnswer.failedCondition
        case .notModified: answer.status = 304
        case .proceed:
            answer.set("Content-Type", type)
            answer.body = .data(data)
        }
        return answer
    }
}

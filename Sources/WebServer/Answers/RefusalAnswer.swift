import Foundation

/// Answers without what was asked for.
package enum RefusalAnswer {
    /// - Parameter sentence: Tells a person what is wrong.
    package static func make(_ status: Int, sentence: String) -> ServerResponse {
        var answer = ServerResponse(
            status: status, headers: ContentPolicy.service(), body: .data(Data((sentence + "\n").utf8)))
        answer.set("Content-Type", "text/plain; charset=utf-8")
        answer.set("Cache-Control", "no-store")
        return answer
    }

    /// The answer at an address at which there is nothing.
    package static var nothingHere: ServerResponse { make(404, sentence: "There is nothing at this address.") }

    /// The answer to another method than `methods` (RFC 9110, section 15.5.6).
    package static func wrongMethod(allowed methods: [String]) -> ServerResponse {
        let names = methods.dropLast().joined(separator: ", ")
        var answer = make(405, sentence: "This address answers \(names) and \(methods.last ?? "").")
        answer.set("Allow", methods.joined(separator: ", "))
        return answer
    }

    /// The answer to a range that has no byte of the resource (RFC 9110, section 15.5.17).
    package static func unsatisfiableRange(length: Int64) -> ServerResponse {
        var answer = make(416, sentence: "The resource has \(length) bytes, and none of them was asked for.")
        answer.set("Content-Range", "bytes */\(length)")
        return answer
    }

    /// The answer to a request whose condition is not met (RFC 9110, section 15.5.13).
    package static var failedCondition: ServerResponse {
        make(412, sentence: "This is another version than the one that was asked for.")
    }

    /// The answer to a request that is too large (RFC 9110, section 15.5.14).
    package static var tooLarge: ServerResponse { make(413, sentence: "The request is too large.") }
}

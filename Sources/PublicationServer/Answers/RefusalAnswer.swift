import FileProviderCore
import Foundation
import Publication

/// Answers without what was asked for. They name neither the storage nor a path in it.
enum RefusalAnswer {
    /// - Parameter sentence: Tells a person what is wrong.
    static func make(_ status: Int, sentence: String) -> ServerResponse {
        var answer = ServerResponse(
            status: status, headers: ContentPolicy.service(), body: .data(Data((sentence + "\n").utf8)))
        answer.set("Content-Type", "text/plain; charset=utf-8")
        answer.set("Cache-Control", "no-store")
        return answer
    }

    /// The answer for a read that failed.
    static func make(for error: any Error) -> ServerResponse {
        switch (error, error.resourceFailure) {
        case (_, .notFound): notFound
        case (_, .badRequest): make(400, sentence: "The request lacks a parameter, or has a wrong one.")
        case (let error as CocoaError, _) where error.code == .formatting:
            make(400, sentence: "There is nothing to look for in this request.")
        case (_, .forbidden): make(403, sentence: "This may not be read: it is protected, or the storage refuses it.")
        case (let error as URLError, _) where error.code == .timedOut:
            make(504, sentence: "The storage of this publication did not answer in time. Try again later.")
        case (_, .unavailable):
            make(502, sentence: "The storage of this publication cannot be reached at present. Try again later.")
        case (let error as CocoaError, _) where error.code == .fileReadCorruptFile:
            make(500, sentence: "This file of the publication is damaged.")
        case (let error as CocoaError, _) where error.code == .fileReadTooLarge:
            make(500, sentence: "This file of the publication is larger than what is read.")
        default: make(500, sentence: "This file of the publication could not be read.")
        }
    }

    /// The answer where nothing is.
    static var notFound: ServerResponse { make(404, sentence: "There is no such file in this publication.") }

    /// The answer to a range that has no byte of the resource (RFC 9110, section 15.5.17).
    static func unsatisfiableRange(length: Int64) -> ServerResponse {
        var answer = make(416, sentence: "The resource has \(length) bytes, and none of them was asked for.")
        answer.set("Content-Range", "bytes */\(length)")
        return answer
    }

    /// The answer to a request whose condition is not met (RFC 9110, section 15.5.13).
    static var failedCondition: ServerResponse {
        make(412, sentence: "This is another version than the one that was asked for.")
    }
}

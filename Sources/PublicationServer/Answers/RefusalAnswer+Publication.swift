import Foundation
import Publication
import WebServer

/// They name neither the storage nor a path in it.
extension RefusalAnswer {
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

    /// The answer where the publication has nothing.
    static var notFound: ServerResponse { make(404, sentence: "There is no such file in this publication.") }
}

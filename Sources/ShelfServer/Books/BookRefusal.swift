import FileProviderCore
import Foundation
import Publication
import WebServer

/// Answers without the book that was asked for. They name neither the storage nor a path in it.
enum BookRefusal {
    /// The answer for a read that failed.
    static func make(for error: any Error) -> ServerResponse {
        switch (error, error.resourceFailure) {
        case (is OpenBooks.AllInUse, _):
            var answer = RefusalAnswer.make(503, sentence: "Too many books are being read. Try again in a minute.")
            answer.set("Retry-After", "60")
            return answer
        case (_, .notFound):
            return RefusalAnswer.make(404, sentence: "The file of this book is no longer there.")
        case (_, .badRequest):
            return RefusalAnswer.make(400, sentence: "The request lacks a parameter, or has a wrong one.")
        case (_, .forbidden):
            return RefusalAnswer.make(
                403, sentence: "This book may not be read: it is protected, or its storage refuses it.")
        case (let error as URLError, _) where error.code == .timedOut:
            return RefusalAnswer.make(
                504, sentence: "The storage of this book did not answer in time. Try again later.")
        case (_, .unavailable):
            return RefusalAnswer.make(
                502, sentence: "The storage of this book cannot be reached at present. Try again later.")
        case (let error as CocoaError, _) where error.code == .fileReadCorruptFile:
            return RefusalAnswer.make(500, sentence: "This book is damaged.")
        default: return RefusalAnswer.make(500, sentence: "This could not be read.")
        }
    }
}

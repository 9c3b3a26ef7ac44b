import FileProviderCore
import Foundation
import Publication

/// An error of the shelf's own folder, kept apart from errors of a storage: no later attempt would fix it.
struct OwnFailure: Error {
    let cause: any Error
}

extension ShelfDatabase {
    /// Runs `work` on the database.
    ///
    /// - Throws: ``OwnFailure``; `CancellationError`.
    func own<Value: Sendable>(_ work: @Sendable (ShelfDatabase) async throws -> Value) async throws -> Value {
        do { return try await work(self) } catch let error where !error.isCancellation {
            throw OwnFailure(cause: error)
        }
    }
}

extension Error {
    /// Whether the next attempt to open a file would meet this error again as long as the file doesn't change.
    var isOfTheFile: Bool {
        if let error = self as? any ContentProtectionError {
            return [.forbidden, .incorrectCredentials, .parsingFailed, .unsupportedFormat].contains(
                error.openingFailure)
        }
        guard let error = self as? CocoaError, !error.isTransient else { return false }
        // A file that is locked with a password says so without an error of the storage below it.
        if error.code == .fileReadNoPermission { return error.underlying == nil || error.underlying is CocoaError }
        return [.fileReadCorruptFile, .featureUnsupported, .fileReadTooLarge, .fileReadInapplicableStringEncoding]
            .contains(error.code)
    }

    /// Whether reading a cover in an open book would meet this error again as long as the book doesn't change.
    ///
    /// A book may name a picture that it doesn't have.
    var isOfTheCover: Bool { isOfTheFile || isNoSuchFile }

    /// The sentence on one line, shortened.
    var shownSentence: String { LogText.shown(sentence, limit: 1_000) }
}

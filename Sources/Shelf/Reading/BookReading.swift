import FileProviderCore
import Foundation
import MediaTypes
import Publication

/// Reads by ranges what a catalogue shows of a file.
struct BookReading: Sendable {
    /// Files that are often beside books and never are one; they are refused unread.
    private static let companions: Set<String> = ["db", "ini", "log", "nfo", "opf"]

    let provider: any FileProviderReadWrite
    let options: OpeningOptions

    /// Returns the book in the file at `path`, or the reason why it isn't one.
    ///
    /// - Throws: Errors of the storage, which a later attempt may not meet.
    /// - Complexity: Two or three requests for most formats; none for a picture.
    func outcome(of path: ProviderPath) async throws -> ReadFile.Outcome {
        if let sentence = Self.refusal(byNameOf: path) { return .refused(sentence) }
        let book: Publication
        do { book = try await Publication.open(path: path, of: provider, options: options) } catch let error
            where error.isOfTheFile
        {
            return .refused(error.shownSentence)
        }
        do {
            let outcome = try await Self.outcome(of: book, at: path)
            await book.close()
            return outcome
        } catch {
            await book.close()
            throw error
        }
    }

    private static func refusal(byNameOf path: ProviderPath) -> String? {
        guard let name = path.fileExtension else { return nil }
        if companions.contains(name) {
            return LogText.shown("“\(path)” is not a book but a file that belongs to others.", limit: 1_000)
        }
        guard let type = MediaType.known(fileExtension: name), type.isBitmap else { return nil }
        return singleFile(path, type)
    }

    private static func outcome(of book: Publication, at path: ProviderPath) async throws -> ReadFile.Outcome {
        let type = book.mediaType ?? .binary
        // A single recording is a book only if its name says so.
        if type.isBitmap || (type.isAudio && path.fileExtension != "m4b") { return .refused(singleFile(path, type)) }
        let positions = try await book.positionCount()
        return .book(
            BookRecord(metadata: book.metadata, mediaType: type, positions: positions > 0 ? positions : nil))
    }

    private static func singleFile(_ path: ProviderPath, _ type: MediaType) -> String {
        LogText.shown("“\(path)” is a single file of type \(type.essence), not a book.", limit: 1_000)
    }
}

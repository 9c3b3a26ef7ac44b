import FileProviderCore
import Foundation
import LocalFileProvider
import ReaderLink
import Synchronization

/// The reason for refusing a document: a problem of this book alone.
struct BookRefusal: LocalizedError {
    /// A sentence for the user.
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    /// The sentence.
    var errorDescription: String? { sentence }
}

/// Copies a staged document into a library's folder, complete and flushed to the disk, or not at all.
struct IncomingCopy {
    let folder: LibraryFolder
    let document: StagedDocument
    /// The most bytes that are accepted.
    let limit: Int64

    private var name: String { StagedName.shown(document.path.name) }

    /// Copies the document to `target`.
    /// - Throws: ``BookRefusal``, also for permanent errors of the document's storage; temporary errors of that
    ///   storage; errors of the library's own disk.
    func run(to target: ProviderPath) async throws {
        if document.size > limit { throw tooLarge }
        if document.size <= 0 { throw BookRefusal("“\(name)” is empty.") }
        var copy = FileCopy(document.path, of: document.provider, tap: AnnouncedSize(document.size, refusal: changed))
        // Errors of the local disk concern all books; errors of the document's storage may concern only this one.
        copy.sourceError = refused
        try await copy.write(to: target, of: folder.files, options: WriteOptions())
    }

    /// Returns a refusal for a permanent error of the document's storage, which concerns only this document. Returns a
    /// temporary error unchanged: the book is not at fault and is tried again.
    private func refused(_ error: any Error) -> any Error {
        if error is BookRefusal || error.isCancellation || error.isTransient { return error }
        if error.isNoSuchFile { return BookRefusal("“\(name)” is not in the document staging folder.") }
        if isChange(error) { return changed }
        return BookRefusal("“\(name)” could not be read: \(error.sentence)")
    }

    /// Whether the document was replaced between two looks at it.
    private func isChange(_ error: any Error) -> Bool {
        guard let error = error as? CocoaError else { return false }
        return error.code == .fileReadCorruptFile || (error.underlying as? POSIXError)?.code == .ESTALE
    }

    private var tooLarge: BookRefusal {
        BookRefusal("“\(name)” is larger than \(limit) bytes, the limit for books.")
    }
    private var changed: BookRefusal { BookRefusal("“\(name)” changed while it was being read; send it again.") }
}

/// Refuses a file whose size differs from the announced one.
private final class AnnouncedSize: CopyTap {
    private let size: Int64
    private let refusal: BookRefusal
    private let count = Mutex<Int64>(0)

    init(_ size: Int64, refusal: BookRefusal) {
        self.size = size
        self.refusal = refusal
    }

    func begin(_ extent: FileExtent) throws {
        if extent.size >= 0, extent.size != size { throw refusal }
    }

    func pass(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let isTooMuch = count.withLock { count in
            count += Int64(bytes.count)
            return count > size
        }
        if isTooMuch { throw refusal }
        return .ready
    }

    func finish() throws {
        if count.withLock({ $0 }) != size { throw refusal }
    }
}

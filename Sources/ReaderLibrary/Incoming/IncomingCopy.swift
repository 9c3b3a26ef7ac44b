import FileProviderCore
import Foundation
import LocalFileProvider
import ReaderLink
import Synchronization

/// Why a document is not taken: a fault of this book alone.
struct BookRefusal: LocalizedError {
    /// A sentence for the user.
    let sentence: String

    init(_ sentence: String) { self.sentence = sentence }

    /// The sentence.
    var errorDescription: String? { sentence }
}

/// Brings a staged document into a library's folder, whole and on the disk, or not at all.
struct IncomingCopy {
    let folder: LibraryFolder
    let document: StagedDocument
    /// The most bytes that are taken.
    let limit: Int64

    private var name: String { StagedName.shown(document.path.name) }

    /// Copies it to `target`.
    /// - Throws: ``BookRefusal``, also for what the document's storage says for good; what passes there; errors of the
    ///   library's own disk.
    func run(to target: ProviderPath) async throws {
        if document.size > limit { throw tooLarge }
        if document.size <= 0 { throw BookRefusal("“\(name)” is empty.") }
        var copy = FileCopy(document.path, of: document.provider, tap: AnnouncedSize(document.size, refusal: changed))
        // What the disk here said counts for all books, what the document's storage said perhaps for this one alone.
        copy.sourceError = refused
        try await copy.write(to: target, of: folder.files, options: WriteOptions())
    }

    /// A refusal for what the document's storage says for good: that is about this document, and the other books of the
    /// command are to be taken. What may pass is the error itself: a storage that fails for a while is no fault of the
    /// book, which is tried again.
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
        BookRefusal("“\(name)” is larger than \(limit) bytes, the most that is taken.")
    }
    private var changed: BookRefusal { BookRefusal("“\(name)” changed while it was being read; send it again.") }
}

/// Lets no file pass that is not as long as it was announced.
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

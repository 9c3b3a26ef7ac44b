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
    /// - Throws: ``BookRefusal``, also for what the document's storage says for good; what passes there; errors of the library's own disk.
    func run(to target: ProviderPath) async throws {
        if document.size > limit { throw tooLarge }
        if document.size <= 0 { throw BookRefusal("“\(name)” is empty.") }
        let reader = try await reading { try await document.provider.open(path: document.path) }
        do {
            try await copy(reader, to: target)
            await reader.close()
        } catch {
            await reader.close()
            throw error
        }
    }

    private func copy(_ reader: any FileReader, to target: ProviderPath) async throws {
        let (size, refusal) = (document.size, changed)
        try await folder.files.writeContents(path: target, options: WriteOptions()) { sink in
            let bounded = BoundedSink(sink, size: size, refusal: refusal)
            do {
                let extent = try await reader.stream(.whole, into: bounded)
                guard bounded.count == size else { throw refusal }
                return extent
            } catch {
                // What the disk here said counts for all books, what the document's storage said perhaps for this one alone.
                if let own = bounded.failure { throw own }
                throw refused(error)
            }
        }
    }

    private func reading<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw refused(error) }
    }

    /// A refusal for what the document's storage says for good: that is about this document, and the other books of the command are to be
    /// taken. What may pass is the error itself: a storage that fails for a while is no fault of the book, which is tried again.
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

    private var tooLarge: BookRefusal { BookRefusal("“\(name)” is larger than \(limit) bytes, the most that is taken.") }
    private var changed: BookRefusal { BookRefusal("“\(name)” changed while it was being read; send it again.") }
}

/// Passes on no more than the bytes that were announced.
private final class BoundedSink: ByteSink {
    private struct State {
        var count: Int64 = 0
        var failure: (any Error)?
    }

    private let base: any ByteSink
    private let size: Int64
    private let refusal: BookRefusal
    private let state = Mutex(State())

    init(_ base: any ByteSink, size: Int64, refusal: BookRefusal) {
        self.base = base
        self.size = size
        self.refusal = refusal
    }

    /// Bytes so far.
    var count: Int64 { state.withLock { $0.count } }
    /// What the sink below threw.
    var failure: (any Error)? { state.withLock { $0.failure } }

    func begin(_ extent: FileExtent) throws {
        if extent.size >= 0, extent.size != size { throw refusal }
        try noting { try base.begin(extent) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let isTooMuch = state.withLock { state in
            state.count += Int64(bytes.count)
            return state.count > size
        }
        if isTooMuch { throw refusal }
        return try noting { try base.write(bytes) }
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }

    private func noting<Value>(_ body: () throws -> Value) throws -> Value {
        do { return try body() } catch {
            state.withLock { $0.failure = error }
            throw error
        }
    }
}

import FileProviderCore
import Foundation
import Synchronization

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// A library in memory for tests of what stands above libraries: any bytes are a book, whose title is its file's name.
final class ShelfLibrary: BookLibrary {
    struct State {
        var books: [String: Data] = [:]
        var collections: [String: [String]] = [:]
        var journal: [CommandIdentity: [Int: StepResult]] = [:]
        var log: [String] = []
        /// What the next step throws.
        var failure: (any Error)?
        /// What the next notes throw, so many times.
        var noteFailure: (error: any Error, times: Int) = (CocoaError(.fileWriteUnknown), 0)
        /// Whether nothing can be begun.
        var isClosed = false
    }

    let state = Mutex(State())
    /// Runs before each step that takes a book.
    let beforeAdding: @Sendable (String) async throws -> Void

    init(beforeAdding: @escaping @Sendable (String) async throws -> Void = { _ in }) {
        self.beforeAdding = beforeAdding
    }

    var books: [String: Data] { state.withLock { $0.books } }
    var log: [String] { state.withLock { $0.log } }
    var unfinishedCommands: Int { state.withLock { $0.journal.count } }

    func begin(_ command: CommandIdentity) async throws -> [Int: StepResult] {
        try state.withLock { state in
            if state.isClosed { throw CocoaError(.fileReadUnknown) }
            let known = state.journal[command] ?? [:]
            state.journal[command] = known
            return known
        }
    }

    func add(_ book: UploadedBook, from document: StagedDocument, overwrite: Bool, step: CommandStep) async throws
        -> StepResult
    {
        try await beforeAdding(book.filename)
        let data = try await document.provider.contents(path: document.path)
        return try commit(step, entry: "add \(book.filename)") { state in
            if state.books[book.filename] != nil, !overwrite { return .rejected("It is already in the library.") }
            state.books[book.filename] = data
            state.collections[book.filename] = book.collections
            return .applied()
        }
    }

    func delete(_ book: BookReference, step: CommandStep) async throws -> StepResult {
        try commit(step, entry: "delete \(book.filename)") { state in
            state.books.removeValue(forKey: book.filename) == nil ? .applied(["It is not in the library."]) : .applied()
        }
    }

    func update(_ book: UpdatedBook, step: CommandStep) async throws -> StepResult {
        try commit(step, entry: "update \(book.reference.filename)") { state in
            state.books[book.reference.filename] == nil ? .rejected("It is not in the library.") : .applied()
        }
    }

    func setCollections(_ book: CollectedBook, step: CommandStep) async throws -> StepResult {
        try commit(step, entry: "collect \(book.reference.filename)") { state in
            state.collections[book.reference.filename] = book.collections
            return .applied()
        }
    }

    func cleanUpCollections(step: CommandStep) async throws -> StepResult {
        try commit(step, entry: "clean up") { _ in .applied() }
    }

    func perform(_ action: ReaderAction, step: CommandStep) async throws -> StepResult {
        try commit(step, entry: "perform \(action.type)") { _ in .rejected("The action is not known.") }
    }

    func note(_ result: StepResult, step: CommandStep) async throws {
        try state.withLock { state in
            if state.noteFailure.times > 0 {
                state.noteFailure.times -= 1
                throw state.noteFailure.error
            }
            state.journal[step.command, default: [:]][step.number] = result
        }
    }

    func unfinished() async throws -> [CommandIdentity] { state.withLock { Array($0.journal.keys) } }

    func end(_ command: CommandIdentity) async throws { state.withLock { $0.journal[command] = nil } }

    func book(_ reference: BookReference) async throws -> LibraryBook? {
        books[reference.filename].map {
            LibraryBook(
                filename: reference.filename, title: reference.filename, size: Int64($0.count),
                added: Date(timeIntervalSince1970: 0))
        }
    }

    func open(_ book: LibraryBook) async throws -> any FileReader {
        guard let data = books[book.filename] else { throw CocoaError(.fileReadNoSuchFile) }
        return DataReader(data, path: try ProviderPath(book.filename))
    }

    func snapshot() async throws -> URL {
        let file = FileManager.default.temporaryDirectory.appending(path: "carrel-shelf-\(UUID().uuidString)")
        try Data(books.keys.sorted().joined(separator: "\n").utf8).write(to: file)
        return file
    }

    private func commit(_ step: CommandStep, entry: String, _ body: (inout State) -> StepResult) throws -> StepResult {
        try state.withLock { state in
            if let failure = state.failure.take() { throw failure }
            if let known = state.journal[step.command]?[step.number] { return known }
            let result = body(&state)
            state.journal[step.command, default: [:]][step.number] = result
            state.log.append(entry)
            return result
        }
    }
}

import FileProviderCore
import Foundation

/// Reads the pending files of a source, several at once, and stores the results in batches.
struct PendingReading: Sendable {
    /// Results of one transaction.
    private static let batch = 100
    /// How long a result waits for others.
    private static let patience = Duration.seconds(1)

    let source: Int64
    let database: ShelfDatabase
    let reading: BookReading
    /// Admits the readers of files, several at once.
    let turns: Turns

    /// The result of one file. Not a tuple, for the reason that `BoundedRun` gives.
    private struct Finished: Sendable {
        var file: PendingFile
        var result: Result<ReadFile.Outcome, any Error>

        var error: (any Error)? { if case .failure(let error) = result { error } else { nil } }
    }

    /// Results that wait to be stored.
    private struct Batch {
        var files: [ReadFile] = []
        var stored = ContinuousClock.now

        var isDue: Bool {
            files.count >= PendingReading.batch || ContinuousClock.now - stored >= PendingReading.patience
        }
    }

    /// The pending files, page by page.
    private struct Feed {
        private var page: ArraySlice<PendingFile> = []
        private var last: ProviderPath?
        private var isOver = false

        mutating func next(_ database: ShelfDatabase, source: Int64) async throws -> PendingFile? {
            if page.isEmpty, !isOver {
                let last = last
                let files = try await database.own { try await $0.pending(source: source, after: last, limit: 500) }
                page = files[...]
                isOver = files.isEmpty
                self.last = files.last?.path
            }
            return page.popFirst()
        }
    }

    /// Reads what is pending. What was read before a failure or a cancellation is stored.
    ///
    /// - Parameter stored: Called with the changes of each batch.
    /// - Returns: The number of files that were read.
    /// - Throws: The storage's error after so many files in a row failed with errors that every file would meet;
    ///   ``OwnFailure``; `CancellationError`.
    /// - Complexity: Memory for one batch, and for the files that are read at once.
    func run(_ stored: @Sendable ([StoredChange]) async -> Void) async throws -> Int {
        var (batch, count) = (Batch(), 0)
        do {
            try await readAll { finished in
                batch.files.append(Self.readFile(finished))
                count += 1
                if batch.isDue {
                    await stored(try await store(batch.files))
                    batch = Batch()
                }
            }
        } catch {
            if !(error is OwnFailure), !batch.files.isEmpty {
                let files = batch.files
                await stored(try await withCancellationShield { try await store(files) })
            }
            throw error
        }
        if !batch.files.isEmpty { await stored(try await store(batch.files)) }
        return count
    }

    private func store(_ files: [ReadFile]) async throws -> [StoredChange] {
        try await database.own { try await $0.store(files) }
    }

    private func readAll(_ finish: (Finished) async throws -> Void) async throws {
        var (feed, running, failures) = (Feed(), 0, 0)
        try await withThrowingTaskGroup(of: Finished.self) { group in
            while true {
                while running < turns.count, let file = try await feed.next(database, source: source) {
                    running += 1
                    group.addTask { await readOne(file) }
                }
                guard let finished = try await group.next() else { return }
                running -= 1
                let error = finished.error
                if let error, error.isCancellation { throw error }
                try await finish(finished)
                // One file may break every connection; if several do in a row, the storage is away.
                failures = error.map { $0.concernsEveryItem || $0.isTransient } == true ? failures + 1 : 0
                if let error, failures >= 3 * turns.count { throw error }
            }
        }
    }

    private func readOne(_ file: PendingFile) async -> Finished {
        do {
            let outcome = try await turns.take { try await reading.outcome(of: file.path) }
            return Finished(file: file, result: .success(outcome))
        } catch {
            return Finished(file: file, result: .failure(error))
        }
    }

    private static func readFile(_ finished: Finished) -> ReadFile {
        let outcome: ReadFile.Outcome =
            switch finished.result {
            case .success(let outcome): outcome
            case .failure(let error): .postponed(error.shownSentence)
            }
        return ReadFile(file: finished.file.id, version: finished.file.version, outcome: outcome)
    }
}

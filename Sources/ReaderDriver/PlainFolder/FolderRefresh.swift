import FileProviderCore
import Foundation
import ReaderMessages
import Synchronization

/// Updates the cache from a listing of the folder. Known files cost nothing; new and changed files are opened.
struct FolderRefresh: Sendable {
    /// The result of a refresh.
    struct Outcome: Sendable {
        /// The changes to the cache.
        var changes: [FolderChange] = []
        /// All existing books, including those that could not be read now.
        var entries: [FolderCacheEntry] = []
        var warnings: [String] = []
        /// The error that ended the refresh early; the changes up to then are valid.
        var error: (any Error)?
        /// The sizes of new files whose ends could not be read; `nil` for an unknown size.
        var unread: [Int64?] = []
    }

    /// A file that must be opened, and the previous entry of its path.
    private struct UnknownFile: Sendable {
        var file: FoundFile
        var previous: FolderCacheEntry?
        var digest = ""
        var size: Int64 = 0
        /// The entry of the file that was moved here.
        var moved: FolderCacheEntry?
    }

    let provider: any FileProvider
    let options: PlainFolderOptions
    let now: Date

    func run(
        _ scan: FolderScan, remembered: [String: FolderCacheEntry], progress: @escaping DriverProgress
    ) async throws -> Outcome {
        var outcome = Outcome(warnings: scan.warnings)
        var unknown: [UnknownFile] = []
        for file in scan.files {
            let previous = remembered[file.key]
            if let previous, previous.matches(file) {
                outcome.entries.append(previous)
            } else {
                unknown.append(UnknownFile(file: file, previous: previous))
            }
        }
        let found = Set(scan.files.map(\.key))
        let gone = remembered.values.filter { !found.contains($0.path) && !scan.isUnknown($0.path) }.sorted {
            $0.path < $1.path
        }
        let atOnce = unknown.isEmpty ? 1 : try await booksAtOnce()
        let failures = FailureCount()
        var known = await digests(unknown, atOnce, failures, &outcome) { progress($0 * 0.3) }
        Self.findMoved(&known, among: gone)
        failures.beginAnew()
        let covers = CoverSpace(options, besides: outcome.entries)
        let extraction = BookExtraction(provider: provider, options: options, covers: covers)
        await extract(known, with: extraction, atOnce, failures, &outcome) { progress(0.3 + $0 * 0.7) }
        outcome.error = failures.end
        // Also removes entries of files that moved. Keeps an entry if an unreadable new file of the same size may be
        // that file.
        let unread = outcome.unread
        if outcome.error == nil, !unread.contains(nil) {
            outcome.changes += gone.filter { !unread.contains($0.size) }.map { .gone($0) }
        }
        for entry in outcome.entries {
            guard let problem = entry.problem else { continue }
            outcome.warnings.append("“\(StagedName.shown(entry.path))” is listed by its file name: \(problem)")
        }
        return outcome
    }

    private func booksAtOnce() async throws -> Int {
        let transfers = try await provider.capabilities().concurrentTransfers ?? options.booksAtOnce
        return max(1, min(options.booksAtOnce, transfers))
    }

    /// Reads the ends of all unknown files.
    private func digests(
        _ unknown: [UnknownFile], _ atOnce: Int, _ failures: FailureCount, _ outcome: inout Outcome,
        progress: @escaping DriverProgress
    ) async -> [UnknownFile] {
        let results = await unknown.concurrently(atOnce, progress) { file in
            await failures.attempt {
                var file = file
                (file.digest, file.size) = try await FileEnds.digest(of: file.file.path, on: provider)
                return file
            }
        }
        return zip(unknown, results).compactMap { file, result in settle(result, of: file, &outcome) }
    }

    /// Finds moved files: exactly one file is gone and exactly one is new, of the same size and with the same ends.
    private static func findMoved(_ files: inout [UnknownFile], among gone: [FolderCacheEntry]) {
        func identity(_ size: Int64, _ digest: String) -> String { "\(size) \(digest)" }
        let previous = Dictionary(grouping: gone.filter { $0.digest != nil }) { identity($0.size, $0.digest ?? "") }
        let new = Dictionary(grouping: files.indices.filter { files[$0].previous == nil }) {
            identity(files[$0].size, files[$0].digest)
        }
        for (identity, positions) in new {
            guard positions.count == 1, let position = positions.first, let entries = previous[identity],
                entries.count == 1
            else { continue }
            files[position].moved = entries.first
        }
    }

    /// Opens the files that are still unknown.
    private func extract(
        _ files: [UnknownFile], with extraction: BookExtraction, _ atOnce: Int, _ failures: FailureCount,
        _ outcome: inout Outcome,
        progress: @escaping DriverProgress
    ) async {
        let results = await files.concurrently(atOnce, progress) { file in
            await failures.attempt { try await entry(for: file, with: extraction) }
        }
        for (file, result) in zip(files, results) {
            guard let entry = settle(result, of: file, &outcome) else { continue }
            outcome.entries.append(entry)
            outcome.changes.append(.found(entry))
        }
    }

    private func entry(for unknown: UnknownFile, with extraction: BookExtraction) async throws -> FolderCacheEntry {
        let before = unknown.moved ?? unknown.previous
        // Without a time, only the file's ends show whether it changed.
        let isUndated = unknown.file.modified == nil && unknown.file.entryTag == nil
        let isSame =
            before?.digest == unknown.digest && before?.size == unknown.size && before?.format == unknown.file.format
        if var entry = before, entry.problem == nil, unknown.moved != nil || (isUndated && isSame), isSame {
            entry.take(unknown.file, size: unknown.size, digest: unknown.digest)
            return entry
        }
        var entry = try await extraction.entry(
            for: unknown.file, size: unknown.size, digest: unknown.digest, added: before?.added ?? now)
        if let before { entry.keepEdits(of: before) }
        return entry
    }

    /// Returns the result for a file, or `nil` if the file could not be read, which its entry says, or is gone.
    private func settle<Value>(_ result: Result<Value, any Error>, of unknown: UnknownFile, _ outcome: inout Outcome)
        -> Value?
    {
        switch result {
        case .success(let value): return value
        case .failure(let error):
            if error.isNoSuchFile || error.isCancellation { return nil }
            let file = unknown.file
            var entry = FolderCacheEntry(
                path: file.key, size: file.size ?? 0, format: file.format, title: file.title,
                added: unknown.previous?.added ?? now)
            if let previous = unknown.previous { entry.keepEdits(of: previous) }
            entry.problem = error.sentence
            outcome.entries.append(entry)
            if unknown.previous == nil, unknown.digest.isEmpty { outcome.unread.append(file.size) }
            return nil
        }
    }
}

/// Distinguishes a failing storage from unreadable files by consecutive failures, and ends the work if nothing else
/// occurs.
private final class FailureCount: Sendable {
    private struct State: Sendable {
        var lost = 0
        var refused = 0
        var error: (any Error)?
        /// Whether some files were not tried.
        var isCutShort = false
    }

    /// The most consecutive files without an answer.
    private static let maxLost = 3
    /// The most consecutive files for which the server answered with a failure: some may be damaged there.
    private static let maxRefused = 50

    private let state = Mutex(State())

    /// The error of the whole work, or `nil` if everything was tried.
    var end: (any Error)? { state.withLock { $0.isCutShort || $0.error?.isCancellation == true ? $0.error : nil } }

    /// Resets the counters: failures at the end of one pass say nothing about the next.
    func beginAnew() {
        state.withLock { state in
            if !state.isCutShort { (state.lost, state.refused) = (0, 0) }
        }
    }

    func attempt<Value: Sendable>(_ body: () async throws -> Value) async -> Result<Value, any Error> {
        let end: (any Error)? = state.withLock { state in
            guard let error = state.error,
                error.isCancellation || state.lost >= Self.maxLost || state.refused >= Self.maxRefused
            else {
                return nil
            }
            state.isCutShort = true
            return error
        }
        if let end { return .failure(end) }
        do {
            try Task.checkCancellation()
            let value = try await body()
            state.withLock { ($0.lost, $0.refused) = (0, 0) }
            return .success(value)
        } catch {
            note(error)
            return .failure(error)
        }
    }

    private func note(_ error: any Error) {
        state.withLock { state in
            if error.isCancellation {
                state.error = error
            } else if Self.isLoss(error) {
                state.lost += 1
                if state.error?.isCancellation != true { state.error = error }
            } else if error.isTransient {
                state.refused += 1
                if state.error?.isCancellation != true { state.error = error }
            }
        }
    }

    /// Whether there was no answer, unlike an answer that reports a failure.
    private static func isLoss(_ error: any Error) -> Bool {
        switch error {
        case let error as CocoaError: error.underlying.map(isLoss) ?? false
        case is any FileProviderHTTPError, is any FileProviderFTPError: false
        default: error is URLError || error.isTransient
        }
    }
}

extension Array where Element: Sendable {
    /// Returns the results of `body` for each element, in order, with up to `atOnce` at once.
    fileprivate func concurrently<Value: Sendable>(
        _ atOnce: Int, _ progress: DriverProgress, _ body: @escaping @Sendable (Element) async -> Value
    ) async -> [Value] {
        await withTaskGroup(of: (Int, Value).self) { group in
            var values = [Value?](repeating: nil, count: count)
            var next = 0
            var done = 0
            func startOne() {
                guard next < count else { return }
                let (index, element) = (next, self[next])
                next += 1
                group.addTask { (index, await body(element)) }
            }
            for _ in 0..<Swift.min(atOnce, count) { startOne() }
            while let (index, value) = await group.next() {
                values[index] = value
                done += 1
                progress(Double(done) / Double(count))
                startOne()
            }
            return values.compactMap(\.self)
        }
    }
}

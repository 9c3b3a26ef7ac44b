import FileProviderCore
import Foundation
import Logging
import Shelf
import WebServer

#if Serving
    public import ServiceLifecycle

    extension ShelfServer: Service {
        /// Listens and answers, follows the changes of the shelf's storages, and makes missing covers, until the task is
        /// cancelled, or its service group shuts down gracefully: then what is being sent goes on to its end.
        ///
        /// While the shelf's folder can't be written, as on a full disk, the books are served as the catalogue has them.
        /// The failure is logged, and changes are followed again after pauses of up to 15 minutes.
        ///
        /// - Throws: `URLError(.cannotConnectToHost)` if the address cannot be had, over `POSIXError`.
        public func run() async throws { try await runAll() }
    }
#else
    extension ShelfServer {
        /// Listens and answers; needs the package trait `Serving`.
        ///
        /// - Throws: ``/FileProviderCore/MissingTrait``, always: this build lacks the trait.
        public func run() async throws { try await runAll() }
    }
#endif

extension ShelfServer {
    private func runAll() async throws {
        let result: Result<Void, any Error>
        do {
            try await runParts()
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await books.closeAll()
        try result.get()
    }

    private func runParts() async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.listener.run { await self.respond(to: $0) }
                return true
            }
            // Returns at once for a shelf without storages, which is served as it is.
            group.addTask {
                try await self.follow()
                return false
            }
            group.addTask {
                try await self.makeCovers()
                return false
            }
            group.addTask {
                try await self.closeIdleBooks()
                return false
            }
            while let isServer = try await group.next() {
                if isServer { break }
            }
            group.cancelAll()
        }
    }

    /// Follows the changes of the shelf's storages, again after each failure of the shelf's folder.
    ///
    /// - Throws: An error once the task is cancelled.
    func follow(pauses: RetryPolicy = RetryPolicy(firstPause: 60, longestPause: 900)) async throws {
        var failures = 0
        while true {
            let began = ContinuousClock.now
            do { return try await shelf.follow() } catch {
                if Task.isCancelled { throw error }
                logger?.error(
                    "The shelf can't be kept in step with its storages; it is tried again.",
                    metadata: ["error": "\(LogText.shown(error.sentence))"])
                failures = ContinuousClock.now - began > .seconds(pauses.longestPause) ? 1 : failures + 1
                try await Task.sleep(for: .seconds(pauses.pause(before: failures, after: error)))
            }
        }
    }

    /// Makes the covers that are missing, whenever the shelf has changed, and those that could not be read, after pauses;
    /// those of each source beside the others.
    private func makeCovers() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.removeStrayCovers() }
            for source in shelf.sourceNumbers { group.addTask { try await self.makeCovers(of: source) } }
            try await group.waitForAll()
        }
    }

    /// Removes the covers of books that left the shelf, at the start and at most once an hour after changes.
    private func removeStrayCovers() async throws {
        var (seen, isFirst): (Date?, Bool) = (nil, true)
        while true {
            do {
                let changed = try await shelf.changed()
                if isFirst || changed != seen {
                    try await shelf.removeStrayCovers()
                    (seen, isFirst) = (changed, false)
                }
            } catch {
                if Task.isCancelled { throw error }
                logger?.info(
                    "Old covers could not be removed.", metadata: ["error": "\(LogText.shown(error.sentence))"])
            }
            try await Task.sleep(for: .seconds(3_600))
        }
    }

    private func makeCovers(of source: Int64) async throws {
        var seen: Date?
        var lookedAtAll: ContinuousClock.Instant?
        while true {
            try await Task.sleep(for: .seconds(10))
            do {
                let (changed, now) = (try await shelf.changed(), ContinuousClock.now)
                // Changes are enough as a rule. The clock may have been set back, so all books follow once an hour.
                let isAll = lookedAtAll.map { now - $0 > .seconds(3_600) } ?? true
                if !isAll, changed == seen, await !shelf.hasDueCovers(source: source) { continue }
                // A change that waits for another one is stored after it with an earlier time.
                let since = isAll ? nil : seen?.addingTimeInterval(-600)
                try await shelf.makeCovers(source: source, changedSince: since)
                seen = changed
                if isAll { lookedAtAll = now }
            } catch {
                // A storage's cancelled request ends no server.
                if Task.isCancelled { throw error }
                logger?.info(
                    "Covers could not be made; they are tried again.",
                    metadata: ["error": "\(LogText.shown(error.sentence))"])
                try await Task.sleep(for: .seconds(120))
            }
        }
    }

    private func closeIdleBooks() async throws {
        while true {
            try await Task.sleep(for: .seconds(60))
            await books.closeIdle()
        }
    }
}

import FileProviderCore
import Foundation
import Publication
import Synchronization

/// A proxy to a resource behind a cache.
final class CachedResource: Resource {
    let link: Link
    private let entry: CachedEntry
    private let isFetcherClosed: @Sendable () -> Bool
    private let isClosed = Atomic(false)

    /// - Parameter link: The link as it was asked for.
    init(_ link: Link, entry: CachedEntry, isFetcherClosed: @escaping @Sendable () -> Bool) {
        var known = entry.resource.link
        known.href = link.href
        self.link = known
        self.entry = entry
        self.isFetcherClosed = isFetcherClosed
        entry.join()
    }

    deinit {
        if !isClosed.load(ordering: .relaxed) { entry.leave() }
    }

    func length() async throws -> Int64 { try await withEntry { try await $0.length() } }

    func validator() async throws -> ResourceValidator? { try await withEntry { try await $0.resource.validator() } }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await withEntry { try await $0.stream(range, into: sink) }
    }

    /// Loads all missing bytes, and waits until they are on disk.
    func preload(into sink: any ByteSink) async throws {
        try await withEntry { entry in
            try await entry.stream(nil, into: sink, mustStore: true)
            try await entry.synchronize()
        }
    }

    func close() async {
        if !isClosed.exchange(true, ordering: .relaxed) { await entry.leave()?.close() }
    }

    private func withEntry<Value: Sendable>(_ body: (CachedEntry) async throws -> Value) async throws -> Value {
        if isFetcherClosed() { throw FileError.closedPublication(link.href) }
        do {
            return try await body(entry)
        } catch {
            let error = (error as? StorageFailure)?.cause ?? error
            throw isFetcherClosed() ? FileError.closedPublication(link.href, during: error) : error
        }
    }
}

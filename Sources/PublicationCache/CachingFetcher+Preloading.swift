public import FileProviderCore
public import Foundation
import Publication
import Synchronization

extension CachingFetcher {
    /// How many resources are loaded at once.
    private static let lanes = 4
    /// The most bytes that are expected, whatever links claim together: sums with what resources say later stay
    /// numbers.
    private static let maxExpected: Int64 = 1 << 60

    /// Loads all of what `links` lead to into the cache, and pins the publication so that it stays there.
    ///
    /// What is there already is compared with its checksums and not loaded again: a preload that was stopped goes on
    /// where it was. When it returns, the disk has it all. One that cannot be loaded does not keep the others from
    /// coming.
    ///
    /// - Parameters:
    ///   - links: The same resource twice counts once; templates are left out.
    ///   - progress: Hears bytes. What links say of their size counts until the resources themselves do.
    /// - Throws: `CocoaError` of one that failed, or of several (``/FileProviderCore/FileError/several(_:in:url:)``),
    ///   after the rest; `CocoaError(.fileWriteOutOfSpace)` where the cache has no room; `CancellationError`.
    /// - Complexity: For each resource that is not there, a request, and another one if it has more than 256 KiB; up to
    ///   four at once.
    public func preload(_ links: [Link], progress: ProgressReporter = ProgressReporter()) async throws {
        try await preload(links, sizes: [:], progress: progress)
    }

    /// - Parameter sizes: What is known of resources whose links say nothing of their size, by ``name(of:)``.
    private func preload(_ links: [Link], sizes: [String: Int64], progress: ProgressReporter) async throws {
        func claimedSize(_ link: Link) -> Int64 {
            min(max(0, link.size ?? sizes[Self.name(of: link.href)] ?? 0), CacheHeader.maxLength)
        }
        var seen: Set<String> = []
        let wanted = links.filter {
            !($0.templated && $0.href.contains("{")) && seen.insert(Self.name(of: $0.href)).inserted
        }
        try await cache.pin(scope: scope)
        progress.expectMore(wanted.reduce(0) { min($0 + claimedSize($1), Self.maxExpected) })
        let errors = CollectedValues<any Error>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, link) in wanted.enumerated() {
                if index >= Self.lanes { try await group.next() }
                let claimed = claimedSize(link)
                group.addTask {
                    do {
                        try await self.preload(link, claimed: claimed, progress: progress)
                    } catch {
                        try Task.checkCancellation()
                        errors.append(error)
                    }
                }
            }
            try await group.waitForAll()
        }
        let failed = errors.values
        if failed.count == 1 { throw failed[0] }
        if !failed.isEmpty { throw FileError.several(failed, in: .root) }
    }

    /// Loads what a publication consists of, its reading order and its resources with their alternates, and keeps its
    /// list of links. Sizes that the list tells, as an archive's does, are expected from the start.
    ///
    /// - Throws: As ``preload(_:progress:)-([Link],_)``.
    public func preload(_ publication: Publication, progress: ProgressReporter = ProgressReporter()) async throws {
        var sizes: [String: Int64] = [:]
        do {
            for link in try await links() { sizes[Self.name(of: link.href)] = link.size }
        } catch {
            if error.isCancellation { throw CancellationError() }
            // A list that cannot be had is no reason not to load the resources, which will tell if something is wrong.
        }
        try await preload(publication.preloadable, sizes: sizes, progress: progress)
    }

    /// Starts ``preload(_:progress:)-([Link],_)`` and returns what tells how far it is, in bytes.
    ///
    /// Cancelling the `Progress` stops the preload; what came stays.
    ///
    /// - Parameter completionHandler: Called once, on a private serial queue; with `CocoaError(.userCancelled)` when it
    ///   was cancelled.
    @discardableResult
    public func preload(_ links: [Link], completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void)
        -> Progress
    {
        start(completionHandler) { try await self.preload(links, progress: $0) }
    }

    /// Starts ``preload(_:progress:)-(Publication,_)`` and returns what tells how far it is, in bytes.
    ///
    /// Cancelling the `Progress` stops the preload; what came stays.
    ///
    /// - Parameter completionHandler: As of ``preload(_:completionHandler:)-([Link],_)``.
    @discardableResult
    public func preload(
        _ publication: Publication, completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void
    ) -> Progress {
        start(completionHandler) { try await self.preload(publication, progress: $0) }
    }

    private func start(
        _ completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void,
        _ body: @escaping @Sendable (ProgressReporter) async throws -> Void
    ) -> Progress {
        LayeredOperation.start(.fetch(path: "/"), kind: .downloading, body: body, completion: completionHandler)
    }

    /// Lets the publication go when the cache needs room; what was preloaded stays until then.
    public func unpin() async throws { try await cache.unpin(scope: scope) }

    private func preload(_ link: Link, claimed: Int64, progress: ProgressReporter) async throws {
        guard let resource = get(link) as? CachedResource else { return }
        do {
            try await resource.preload(into: ProgressSink(progress, claimed: claimed))
        } catch {
            await resource.close()
            throw error
        }
        await resource.close()
    }
}

extension Publication {
    /// All that a reader may ask for.
    fileprivate var preloadable: [Link] {
        var links = readingOrder + resources
        var next = 0
        while next < links.count {
            links += links[next].alternates
            next += 1
        }
        return links
    }
}

/// Counts bytes, and nothing else.
private final class ProgressSink: ByteSink {
    private let progress: ProgressReporter
    private let claimed: Int64

    init(_ progress: ProgressReporter, claimed: Int64) {
        self.progress = progress
        self.claimed = claimed
    }

    func begin(_ extent: FileExtent) throws {
        progress.expectMore(min(max(0, extent.count), CacheHeader.maxLength) - claimed)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        progress.advance(by: Int64(bytes.count))
        return .ready
    }
}

public import FileProviderCore
public import Foundation
import Publication
import Synchronization

extension CachingFetcher {
    /// How many resources are loaded at the same time.
    private static let lanes = 4
    /// The largest total that is expected, whatever the links claim, so that sums don't overflow.
    private static let maxExpected: Int64 = 1 << 60

    /// Loads the resources at `links` into the cache, and pins the publication so that they stay there.
    ///
    /// Blocks that are stored already are verified and not loaded again: an interrupted preload continues where it
    /// stopped. On return, all bytes are on disk, without those of resources that must not be stored. If one resource
    /// fails, the others are loaded all the same.
    ///
    /// - Parameters:
    ///   - links: Repeated links count once; templates are left out.
    ///   - progress: Counts bytes. Sizes from links are used until the resources report their own.
    /// - Throws: `CocoaError` of one resource that failed, or of several
    ///   (``/FileProviderCore/FileError/several(_:in:url:)``), after the rest; `CocoaError(.fileWriteOutOfSpace)` if
    ///   the cache has no room; `CancellationError`.
    /// - Complexity: One request for each missing resource, and another one if it has more than 256 KiB; up to
    ///   four at once.
    public func preload(_ links: [Link], progress: ProgressReporter = ProgressReporter()) async throws {
        try await preload(links, sizes: [:], progress: progress)
    }

    /// - Parameter sizes: Known sizes of resources whose links have none, by ``name(of:)``.
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

    /// Loads the publication's reading order and resources with their alternates, and stores its list of links. Sizes
    /// in the list, such as those from an archive, are expected from the start.
    ///
    /// - Throws: As ``preload(_:progress:)-([Link],_)``.
    public func preload(_ publication: Publication, progress: ProgressReporter = ProgressReporter()) async throws {
        var sizes: [String: Int64] = [:]
        do {
            for link in try await links() { sizes[Self.name(of: link.href)] = link.size }
        } catch {
            if error.isCancellation { throw CancellationError() }
            // A missing list is no reason to skip the resources; they fail themselves if something is wrong.
        }
        try await preload(publication.preloadable, sizes: sizes, progress: progress)
    }

    /// Starts ``preload(_:progress:)-([Link],_)`` and returns its progress in bytes.
    ///
    /// Cancelling the `Progress` stops the preload; the blocks that arrived stay.
    ///
    /// - Parameter completionHandler: Called once, on a private serial queue; with `CocoaError(.userCancelled)` if the
    ///   preload was cancelled.
    @discardableResult
    public func preload(_ links: [Link], completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void)
        -> Progress
    {
        start(completionHandler) { try await self.preload(links, progress: $0) }
    }

    /// Starts ``preload(_:progress:)-(Publication,_)`` and returns its progress in bytes.
    ///
    /// Cancelling the `Progress` stops the preload; the blocks that arrived stay.
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

    /// Unpins the publication: the cache may evict it when it needs room.
    public func unpin() async throws { try await cache.unpin(scope: scope) }

    private func preload(_ link: Link, claimed: Int64, progress: ProgressReporter) async throws {
        guard let resource = cached(link) else { return progress.expectMore(-claimed) }
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
    /// The links to preload.
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

/// Counts bytes and drops them.
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

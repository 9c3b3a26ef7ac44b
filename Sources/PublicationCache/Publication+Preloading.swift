import FileProviderCore
import Foundation
public import Publication

extension Publication {
    /// The progress of a preload, in bytes.
    public struct PreloadProgress: Sendable, Hashable {
        /// The bytes in the cache.
        public let completed: Int64
        /// The total bytes, as far as known. Sizes from an archive or links are used until the resources report their
        /// own; without them the total may grow.
        public let total: Int64

        /// 0 to 1; 0 while the total is unknown.
        public var fractionCompleted: Double { total > 0 ? min(1, max(0, Double(completed) / Double(total))) : 0 }
    }

    /// The cache that the publication was opened with; nil without one.
    public var cachingFetcher: CachingFetcher? { fetcher(of: CachingFetcher.self) }

    /// Loads the whole publication into its cache, and pins it there, so that it can be read without a connection.
    ///
    /// An interrupted preload continues where it stopped. ``CachingFetcher/unpin()`` of ``cachingFetcher`` unpins it.
    ///
    /// - Parameter progress: Called in order, from any thread, after each thousandth; it must not block.
    /// - Throws: `CocoaError(.featureUnsupported)` for a publication that was opened without a ``CachingFetcher``; as
    ///   ``CachingFetcher/preload(_:progress:)-(Publication,_)``.
    /// - Complexity: As ``CachingFetcher/preload(_:progress:)-([Link],_)``.
    public func preload(_ progress: @escaping @Sendable (_ progress: PreloadProgress) -> Void = { _ in }) async throws {
        guard let cachingFetcher else {
            throw FileError.make(
                .featureUnsupported, path: "",
                sentence:
                    "“\(metadata.title)” was opened without a cache; add a CachingFetcher in OpeningOptions.transform.")
        }
        let seen = LockedValue(-1)
        try await cachingFetcher.preload(
            self,
            progress: ProgressReporter { completed, total in
                let now = PreloadProgress(completed: completed, total: total ?? 0)
                let part = Int(now.fractionCompleted * 1000)
                let isNews = seen.update { last in
                    defer { last = part }
                    return last != part
                }
                if isNews { progress(now) }
            })
    }
}

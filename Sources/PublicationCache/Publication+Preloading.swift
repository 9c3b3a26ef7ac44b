import FileProviderCore
import Foundation
public import Publication

extension Publication {
    /// How far a preload is, in bytes.
    public struct PreloadProgress: Sendable, Hashable {
        /// Bytes that are in the cache.
        public let completed: Int64
        /// Bytes in all, as far as is known: what an archive or a link says of sizes counts until the resources
        /// themselves do. It may grow where nobody says them.
        public let total: Int64

        /// 0 to 1; 0 while the total is unknown.
        public var fractionCompleted: Double { total > 0 ? min(1, max(0, Double(completed) / Double(total))) : 0 }
    }

    /// The cache that the publication was opened with; nil without one.
    public var cachingFetcher: CachingFetcher? { fetcher(of: CachingFetcher.self) }

    /// Loads all that the publication consists of into its cache, and pins it there: reading it takes no connection
    /// from then on.
    ///
    /// A preload that was stopped goes on where it was. ``CachingFetcher/unpin()`` of ``cachingFetcher`` lets it go.
    ///
    /// - Parameter progress: Called in order, from any thread, each time a thousandth has come; it must not wait.
    /// - Throws: `CocoaError(.featureUnsupported)` for a publication that was opened without a ``CachingFetcher``; as
    ///   ``CachingFetcher/preload(_:progress:)-(Publication,_)``.
    /// - Complexity: As ``CachingFetcher/preload(_:progress:)-([Link],_)``.
    public func preload(_ progress: @escaping @Sendable (_ progress: PreloadProgress) -> Void = { _ in }) async throws {
        guard let cachingFetcher else {
            throw FileError.make(
                .featureUnsupported, path: "",
                sentence: "“\(metadata.title)” was opened without a cache; OpeningOptions.transform puts one in front.")
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

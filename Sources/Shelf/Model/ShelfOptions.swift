public import FileProviderCore
public import Foundation
public import Logging
public import Publication

/// The options of a shelf.
public struct ShelfOptions: Sendable {
    /// The number of books of a source that are read at once, by a scan and for covers together; `nil` takes what the
    /// storage can bear, at most 8.
    public var concurrentReads: Int?
    /// The largest cover that is read, in bytes; 5 MiB.
    public var maxCoverSize: Int64 = 5 << 20
    /// The sizes in which covers are kept: the longer side in pixels, in ascending order.
    public var coverDimensions = [240, 800]
    /// How books are opened. By default, no book makes this machine send a request to another server, and archives are
    /// held to the limits for sniffing.
    public var opening: OpeningOptions
    /// Whether to show files and folders whose names begin with a dot.
    public var isHiddenIncluded = false
    /// How the sources are watched.
    public var watch = WatchOptions()
    /// When books leave the shelf whose files a listing lacks.
    public var removal = RemovalPolicy.cautious
    /// Called with every event, one after the other.
    public var report: @Sendable (ShelfEvent) -> Void = { _ in }
    /// Receives what the shelf does, without secrets; `nil` for none.
    public var logger: Logger?
    /// Returns the time now, for the dates in the catalogue.
    public var now: @Sendable () -> Date = { Date() }

    /// Creates the default options.
    public init() {
        opening = OpeningOptions()
        opening.remote = { EmptyFetcher() }
        opening.archiveLimits = .sniffing
    }
}

/// When books leave a shelf whose files a listing lacks.
public enum RemovalPolicy: Hashable, Sendable {
    /// At once, unless the listing lacks more than half of the source's books, as that of an empty mount point or an
    /// unfinished copy does. Those stay until a second scan lacks them, too, or the removal is confirmed.
    case cautious
    /// At once.
    case immediate
}

import FileProviderCore
import Foundation

/// The last fetched list of books, and the version of the application's file that it came from.
struct SnapshotCache: Sendable {
    /// The version of a file according to its storage.
    struct Version: Hashable, Sendable {
        let size: Int64?
        let modified: Date?
        let tag: String?

        init(_ file: FileObject) {
            (size, modified, tag) = (file.size, file.modifiedDate, file.entryTag)
        }

        /// Whether it can distinguish versions at all.
        var isKnown: Bool { tag != nil || (size != nil && modified != nil) }
    }

    /// Seconds for which a file without a tag must be unchanged before its size and time identify its version: some
    /// storages report only minutes.
    private static let settling = 120.0

    private(set) var list: BookList?
    private var version: Version?
    /// When the version was first seen and last fetched, by our own clock.
    private var seen = 0.0
    private var fetched = 0.0

    /// Whether the list is certainly of this version.
    func holds(_ other: Version) -> Bool {
        guard list != nil, other.isKnown, version == other else { return false }
        return other.tag != nil || fetched - seen >= Self.settling
    }

    /// Marks the list as possibly outdated.
    mutating func outdate() { version = nil }

    /// - Parameters:
    ///   - version: The version before the list was fetched.
    ///   - now: The time of that look, in seconds of a monotonic clock.
    mutating func put(_ list: BookList, version: Version, now: Double) {
        if self.version != version { seen = now }
        fetched = now
        self.list = list
        self.version = version
    }
}

/// The effort to get the newest list of books.
public enum RefreshPolicy: Hashable, Sendable {
    /// Looks once whether the application published another list, and fetches it then.
    case ifChanged
    /// Always fetches the list.
    case always
    /// Uses the last fetched list if there is one.
    case never
}

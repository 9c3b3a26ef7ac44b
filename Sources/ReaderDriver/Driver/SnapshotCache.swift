import FileProviderCore
import Foundation

/// The list of books that was fetched last, and which version of the application's file it is.
struct SnapshotCache: Sendable {
    /// Which version a file is, as its storage tells.
    struct Version: Hashable, Sendable {
        let size: Int64?
        let modified: Date?
        let tag: String?

        init(_ file: FileObject) {
            (size, modified, tag) = (file.size, file.modifiedDate, file.entryTag)
        }

        /// Whether it tells versions apart at all.
        var isKnown: Bool { tag != nil || (size != nil && modified != nil) }
    }

    /// Seconds for which a file without a tag has to stay as it is before its size and time tell it from the next one:
    /// some storages tell minutes only.
    private static let settling = 120.0

    private(set) var list: BookList?
    private var version: Version?
    /// When the version was seen first, and when it was fetched last, by our own clock.
    private var seen = 0.0
    private var fetched = 0.0

    /// Whether the list is certainly of that version.
    func holds(_ other: Version) -> Bool {
        guard list != nil, other.isKnown, version == other else { return false }
        return other.tag != nil || fetched - seen >= Self.settling
    }

    /// Notes that the list may be another by now.
    mutating func outdate() { version = nil }

    /// - Parameters:
    ///   - version: As it was before the list was fetched.
    ///   - now: The time of that look, in seconds of a clock that never goes back.
    mutating func put(_ list: BookList, version: Version, now: Double) {
        if self.version != version { seen = now }
        fetched = now
        self.list = list
        self.version = version
    }
}

/// How much is done to have the newest list of books.
public enum RefreshPolicy: Hashable, Sendable {
    /// One look whether the application published another; it is fetched then.
    case ifChanged
    /// It is fetched in any case.
    case always
    /// The list that was fetched last is taken where there is one.
    case never
}

import FileProviderCore
import Foundation
import MediaTypes
import Publication

/// What a listing says about the content of a file. Equal versions have the same content if they prove it.
struct ListedVersion: Hashable, Sendable {
    /// Bytes.
    var size: Int64?
    /// Seconds since the start of 1970.
    var modified: Double?
    /// The entry tag without the mark of weakness, which servers drop a moment after a change.
    var tag: String?

    init(size: Int64? = nil, modified: Double? = nil, tag: String? = nil) {
        self.size = size
        self.modified = modified
        self.tag = tag
    }

    init(_ file: FileObject) {
        size = file.size
        modified = file.modifiedDate?.timeIntervalSince1970
        tag = file.entryTag.map { $0.hasPrefix("W/") ? String($0.dropFirst(2)) : $0 }
    }

    /// The version of the file that `book` was read from.
    init(_ book: ShelfBook) {
        self.init(size: book.fileSize, modified: book.fileModified?.timeIntervalSince1970, tag: book.fileTag)
    }
}

/// A file in a listing.
struct ListedFile: Hashable, Sendable {
    var path: ProviderPath
    var version: ListedVersion
    /// What identifies the file in its storage under any name, as in ``/FileProviderCore/FileObject/identity``.
    var identity: String?

    init(path: ProviderPath, version: ListedVersion, identity: String? = nil) {
        self.path = path
        self.version = version
        self.identity = identity
    }

    init(_ file: FileObject) {
        self.init(path: file.path, version: ListedVersion(file), identity: file.identity)
    }
}

/// A file that has to be read.
struct PendingFile: Hashable, Sendable {
    /// The number of the file in the database.
    var id: Int64
    var path: ProviderPath
    /// The version in the last listing.
    var version: ListedVersion
    /// Why the last attempt failed, or `nil` before the first one.
    var sentence: String?
}

/// A book as it was read from its file.
struct BookRecord: Hashable, Sendable {
    var metadata: Metadata
    var mediaType: MediaType
    /// The number of positions, if it is known.
    var positions: Int?
}

/// The result of reading a pending file.
struct ReadFile: Sendable {
    enum Outcome: Sendable {
        case book(BookRecord)
        /// The file can't be shown as a book, as long as it doesn't change, and a sentence saying why.
        case refused(String)
        /// The storage failed, and a sentence saying how. The file stays pending.
        case postponed(String)
    }

    /// The number of the file, from ``PendingFile/id``.
    var file: Int64
    /// The version that was read, from ``PendingFile/version``. If a later listing has another version, the result is
    /// dropped, and the file stays pending.
    var version: ListedVersion
    var outcome: Outcome
}

/// What storing a result changed.
enum StoredChange: Hashable, Sendable {
    case added(ShelfBook)
    case changed(ShelfBook)
    /// `book` is the number of the book that left the shelf with that, if there was one.
    case refused(RefusedFile, book: Int64?)
    /// `isNews` is false if the last attempt failed with the same sentence.
    case postponed(path: ProviderPath, sentence: String, isNews: Bool)
    /// The file has another version by now, or is gone. Nothing was stored.
    case outdated(file: Int64)
}

/// The result of comparing a listing with the catalogue.
struct Comparison: Hashable, Sendable {
    struct MovedBook: Hashable, Sendable {
        var id: Int64
        var from: ProviderPath
        var path: ProviderPath
    }

    struct RemovedBook: Hashable, Sendable {
        var id: Int64
        var path: ProviderPath
    }

    /// The most entries of ``moved`` and ``removed``. The counts have no limit.
    static let maxEntries = 10_000

    /// Files in the listing.
    var listed = 0
    /// Files in the listing with their known version, those that moved included.
    var unchanged = 0
    /// Files of the whole source that have to be read.
    var pending = 0
    /// Books whose files have another path now.
    var moved: [MovedBook] = []
    var movedCount = 0
    /// Books that left the shelf.
    var removed: [RemovedBook] = []
    var removedCount = 0
    /// Books of the whole source that the listings lack, and that stay for now.
    var withheld = 0
}

/// The part of a source that a listing covers.
enum ComparisonScope: Hashable, Sendable {
    /// The whole source.
    case all
    /// The items at these paths, and everything below them. Moves are found between them, so both ends of a move belong
    /// into one comparison.
    case below([ProviderPath])
}

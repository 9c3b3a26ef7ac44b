import Foundation
import ReaderMessages

extension FolderCacheEntry {
    /// Whether this entry was certainly read from `file`.
    func matches(_ file: FoundFile) -> Bool {
        // Without a time or a tag, files of the same length can't be distinguished.
        guard file.size == size, file.modified != nil || file.entryTag != nil, file.format == format else {
            return false
        }
        return entryTag == file.entryTag && Self.isSame(modified, file.modified)
    }

    /// Whether both entries were read from the same version of the same file.
    func hasSameFile(as other: FolderCacheEntry) -> Bool {
        path == other.path && size == other.size && entryTag == other.entryTag && Self.isSame(modified, other.modified)
            && digest == other.digest
    }

    /// Whether both times are equal to the millisecond, the precision of a cache.
    private static func isSame(_ one: Date?, _ other: Date?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?): abs(one.timeIntervalSince(other)) < 0.001
        default: false
        }
    }

    /// Adopts the location and version of a file.
    mutating func take(_ file: FoundFile, size: Int64, digest: String?) {
        path = file.key
        self.size = size
        modified = file.modified
        entryTag = file.entryTag
        format = file.format
        self.digest = digest
    }

    /// Adopts the user's edits from `other`; own edits stay if `other` has none for the field.
    mutating func keepEdits(of other: FolderCacheEntry) {
        // An unedited sort text follows its field.
        if other.edited.contains(.title) { title = other.title }
        if !other.edited.isDisjoint(with: [.title, .titleSort]) { titleSort = other.titleSort }
        if other.edited.contains(.authors) { authors = other.authors }
        if !other.edited.isDisjoint(with: [.authors, .authorSort]) { authorSort = other.authorSort }
        if other.edited.contains(.uuid) { uuid = other.uuid }
        edited.formUnion(other.edited)
    }

    /// Applies the user's edits; an empty title is ignored.
    mutating func apply(_ edit: PlainFolderEdit) {
        if let title = edit.title.map({ BookExtraction.line($0) }), !title.isEmpty {
            self.title = title
            if !edited.contains(.titleSort) { titleSort = title }
            edited.insert(.title)
        }
        if let titleSort = edit.titleSort.map({ BookExtraction.line($0) }) {
            self.titleSort = titleSort
            edited.insert(.titleSort)
        }
        if let authors = edit.authors?.prefix(50).map({ BookExtraction.line($0) }).filter({ !$0.isEmpty }) {
            self.authors = authors
            if !edited.contains(.authorSort) { authorSort = authors.joined(separator: " & ") }
            edited.insert(.authors)
        }
        if let authorSort = edit.authorSort.map({ BookExtraction.line($0) }) {
            self.authorSort = authorSort
            edited.insert(.authorSort)
        }
    }

    /// The entry as a listed book.
    var book: LibraryBook {
        var book = LibraryBook(filename: path, title: title, uuid: uuid, size: size, added: added)
        book.titleSort = titleSort
        book.authors = authors
        book.authorSort = authorSort
        book.modified = modified ?? added
        return book
    }
}

/// A change to the cache that can be reapplied after another driver's write.
enum FolderChange: Sendable {
    /// A file was read. Edits by others take precedence.
    case found(FolderCacheEntry)
    /// The user is about to edit a book without an entry.
    case known(FolderCacheEntry)
    /// A file was uploaded with complete metadata.
    case placed(FolderCacheEntry)
    /// The user edited a book.
    case edited(PlainFolderEdit)
    /// The file of this entry is gone.
    case gone(FolderCacheEntry)

    func apply(to entries: inout [String: FolderCacheEntry]) {
        switch self {
        case .found(var entry):
            if let other = entries[entry.path] { entry.keepEdits(of: other) }
            entries[entry.path] = entry
        case .known(let entry): entries[entry.path] = entries[entry.path] ?? entry
        case .placed(let entry): entries[entry.path] = entry
        case .edited(let edit): entries[edit.filename]?.apply(edit)
        case .gone(let entry):
            // Another driver may have put a new file there.
            if entries[entry.path]?.hasSameFile(as: entry) == true { entries[entry.path] = nil }
        }
    }
}

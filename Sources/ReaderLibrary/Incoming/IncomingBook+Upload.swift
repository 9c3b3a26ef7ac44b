import FileProviderCore
import Foundation
import ReaderLink
import SQLiteStorage

extension IncomingBook {
    /// Adds the values from the command.
    mutating func complete(_ upload: UploadedBook, _ options: LibraryOptions) {
        book.coverHash = BookText.nonEmpty(upload.coverHash)
        book.isLocked = upload.isLocked ?? false
        isLockGiven = upload.isLocked != nil
        book.wordCount = upload.wordCount.flatMap { $0 >= 0 ? $0 : nil }
        book.setCollections(upload.collections, mapsFlags: options.mapsFlags)
        guard let encoded = upload.cover else { return }
        do {
            cover = try CoverPicture(encoded, limit: options.maxCoverSize)
            book.coverHash = BookText.nonEmpty(encoded.hash) ?? book.coverHash
        } catch {
            warnings.append("The cover was not added: \(error.sentence)")
        }
    }

    /// Adopts the values of the replaced book that belong to the user and not to the file.
    ///
    /// - Parameter readingState: Whether to adopt the reading state, too: flags, lock and rating.
    mutating func keep(from previous: LibraryBook, readingState: Bool) {
        if readingState {
            book.isNew = book.isNew || previous.isNew
            book.isRead = book.isRead || previous.isRead
            book.isOnReadingList = book.isOnReadingList || previous.isOnReadingList
            if !isLockGiven { book.isLocked = previous.isLocked }
            book.rating = previous.rating
        }
        book.added = previous.added
        book.wordCount = book.wordCount ?? previous.wordCount
        if book.collections.isEmpty { book.collections = previous.collections }
        if uuids.isEmpty { book.uuid = previous.uuid }
    }
}

extension LibraryBook {
    /// Sets the book's collections. With `mapsFlags`, calibre's names for flags set the flags instead.
    mutating func setCollections(_ names: [String], mapsFlags: Bool) {
        collections = BookText.list(names)
        guard mapsFlags else { return }
        isNew = collections.contains("NEW")
        isRead = collections.contains("READ")
        isOnReadingList = collections.contains("READING LIST")
        collections.removeAll { ["NEW", "READ", "READING LIST"].contains($0) }
    }
}

extension CoverPicture {
    /// Decodes the picture in a message.
    /// - Throws: ``/ReaderLink/MessageFailure``, and `BookRefusal` for an unknown picture format.
    init(_ encoded: EncodedCover, limit: Int) throws {
        guard let picture = CoverPicture(try encoded.decoded(limit: limit)) else {
            throw BookRefusal("it is not a JPEG, PNG, GIF or WebP picture.")
        }
        self = picture
    }
}

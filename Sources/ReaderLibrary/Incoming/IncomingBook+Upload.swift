import FileProviderCore
import Foundation
import ReaderLink

extension IncomingBook {
    /// Adds what the command says of the book.
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
            warnings.append("The cover was not taken: \(error.sentence)")
        }
    }

    /// Takes over from the book that this one replaces what belongs to the user and not to the file.
    ///
    /// - Parameter readingState: Whether that is more than where it stands in the library.
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
    /// Puts the book into these collections and no others; with `mapsFlags`, calibre's words for flags set those
    /// instead.
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
    /// The picture in a message.
    /// - Throws: ``/ReaderLink/MessageFailure``, and `BookRefusal` for what is no picture of a known kind.
    init(_ encoded: EncodedCover, limit: Int) throws {
        guard let picture = CoverPicture(try encoded.decoded(limit: limit)) else {
            throw BookRefusal("it is neither a JPEG, PNG, GIF nor WebP picture.")
        }
        self = picture
    }
}

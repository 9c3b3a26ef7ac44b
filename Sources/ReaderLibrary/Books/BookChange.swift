import Foundation
import ReaderLink
import SQLiteStorage

/// A book with the changes of a command. Invalid values are ignored, with a warning.
struct BookChange {
    private(set) var book: LibraryBook
    private(set) var warnings: [String] = []

    init(_ book: LibraryBook) { self.book = book }

    /// Applies everything but the cover and a new uuid.
    mutating func apply(_ update: UpdatedBook, mapsFlags: Bool, at time: Date) {
        applyTitle(update)
        applyAuthors(update)
        applySeries(update)
        if let day = update.pubDate { applyDay(day) }
        if let publisher = update.publisher { book.publisher = BookText.nonEmpty(publisher) }
        if let description = update.description { applyDescription(description) }
        if let subjects = update.subjects { book.subjects = BookText.list(subjects) }
        if let collections = update.collections { book.setCollections(collections, mapsFlags: mapsFlags) }
        if let rating = update.rating { applyRating(rating) }
        if let isLocked = update.isLocked { book.isLocked = isLocked }
        if let count = update.wordCount { applyWordCount(count) }
        book.modified = time
    }

    /// Sets a new uuid, which no other book may have.
    mutating func setUUID(_ text: String, isTaken: Bool) {
        guard BookValues.isUUID(BookUUID.canonical(text)) else {
            return warn("“\(StagedName.shown(text))” is not a uuid; the book keeps its old one.")
        }
        if isTaken { return warn("Another book has the uuid “\(StagedName.shown(text))”; this one keeps its old one.") }
        book.uuid = BookText.clean(text)
    }

    /// Sets the hash of a new cover.
    mutating func setCoverHash(_ hash: String?) { book.coverHash = BookText.nonEmpty(hash) }

    /// Adds a warning for the user.
    mutating func warn(_ sentence: String) { warnings.append(sentence) }

    private mutating func applyTitle(_ update: UpdatedBook) {
        if update.hasTitle {
            let title = BookText.clean(update.reference.title)
            if title.isEmpty {
                warn("A book must have a title; it keeps the old one.")
            } else if title != book.title {
                book.title = title
                book.titleSort = title
            }
        }
        if let sort = update.titleSort { book.titleSort = BookText.nonEmpty(sort) ?? book.title }
    }

    private mutating func applyAuthors(_ update: UpdatedBook) {
        let previous = book.authors
        if let authors = update.authors {
            book.authors = BookText.list(authors)
        } else if update.hasAuthor, !AuthorNames.isList(update.reference.author, of: previous) {
            book.authors = AuthorNames.split(update.reference.author, sort: update.authorSort)
        }
        if let sort = update.authorSort {
            book.authorSort = BookText.clean(sort)
        } else if book.authors != previous {
            book.authorSort = BookText.clean(book.authors.joined(separator: " & "))
        }
    }

    private mutating func applySeries(_ update: UpdatedBook) {
        if let series = update.series {
            book.series = BookText.nonEmpty(series)
            // A book without a series has no position in it.
            if book.series == nil { book.seriesIndex = nil }
        }
        guard let text = update.seriesIndex, book.series != nil else { return }
        if BookText.clean(text).isEmpty {
            book.seriesIndex = nil
        } else if let index = BookValues.decimal(text) {
            book.seriesIndex = index
        } else {
            warn("“\(StagedName.shown(text))” is not a position in a series; the old one stays.")
        }
    }

    private mutating func applyDay(_ text: String) {
        if BookText.clean(text).isEmpty {
            book.pubDate = nil
        } else if let day = BookValues.day(text) {
            book.pubDate = BookValues.isUnknown(day) ? nil : day
        } else {
            warn("“\(StagedName.shown(text))” is not a date; the old one stays.")
        }
    }

    private mutating func applyDescription(_ text: String) {
        let (description, isTooLong) = BookText.description(text)
        if isTooLong {
            return warn("The description is longer than \(BookText.maxDescriptionLength) bytes; the old one stays.")
        }
        book.description = description
    }

    private mutating func applyRating(_ text: String) {
        if BookText.clean(text).isEmpty {
            book.rating = nil
        } else if let rating = BookValues.decimal(text), (0...5).contains(rating) {
            // calibre treats zero stars and no rating as the same.
            book.rating = rating == 0 ? nil : rating
        } else {
            warn("“\(StagedName.shown(text))” is not a rating from 0 to 5; the old one stays.")
        }
    }

    private mutating func applyWordCount(_ count: Int) {
        if count < 0 { return warn("\(count) is not a number of words; the old one stays.") }
        book.wordCount = count
    }
}

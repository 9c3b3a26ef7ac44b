public import Foundation
import ReaderMessages

extension BookMetadata {
    /// What a list says of a book.
    public init(_ book: LibraryBook) {
        self.init(title: book.title, authors: book.authors, uuid: book.uuid)
        titleSort = book.titleSort
        authorSort = book.authorSort
        series = book.series
        seriesIndex = book.seriesIndex
        publisher = book.publisher
        pubDate = book.pubDate
        description = book.description
        subjects = book.subjects
        collections = book.collections
        rating = book.rating
        coverHash = book.coverHash
    }

    /// The same as an application keeps what an update says, to tell whether one is needed: without collections and
    /// cover, which go another way, without the uuid, which says which book is meant and is changed by no update, and
    /// with one form for each of the values that have several.
    var compared: BookMetadata {
        var copy = self
        copy.collections = []
        copy.coverHash = nil
        copy.uuid = ""
        copy.subjects.sort()
        copy.series = Self.nonEmpty(series)
        copy.seriesIndex = copy.series == nil ? nil : seriesIndex
        copy.publisher = Self.nonEmpty(publisher)
        copy.description = Self.nonEmpty(description)
        copy.pubDate = Self.nonEmpty(pubDate.flatMap(MessageValue.day))
        copy.rating = rating == 0 ? nil : rating
        return copy
    }

    private static func nonEmpty(_ text: String?) -> String? { text.flatMap { $0.isEmpty ? nil : $0 } }

    /// `book` with this in place of what it says.
    func applied(to book: LibraryBook) -> LibraryBook {
        var book = book
        if !uuid.isEmpty { book.uuid = uuid }
        book.title = title
        book.titleSort = titleSort ?? title
        book.authors = authors
        book.authorSort = authorSort ?? authors.joined(separator: ", ")
        book.series = series
        book.seriesIndex = seriesIndex
        book.publisher = publisher
        book.pubDate = pubDate
        book.description = description
        book.subjects = subjects
        book.collections = collections
        book.rating = rating
        if let coverHash { book.coverHash = coverHash }
        return book
    }
}

extension UpdatedBook {
    /// Gives the book `old` of a device all that `metadata` says; what it leaves empty is cleared.
    ///
    /// - Parameter cover: A new picture; nil leaves the old one.
    public init(_ metadata: BookMetadata, of previous: LibraryBook, cover: Data? = nil) {
        self.init(
            BookReference(
                author: metadata.authors.joined(separator: ", "), filename: previous.filename, title: metadata.title,
                uuid: previous.uuid.isEmpty ? metadata.uuid : previous.uuid))
        authors = metadata.authors
        authorSort = metadata.authorSort ?? ""
        titleSort = metadata.titleSort ?? metadata.title
        // An unknown day is left out: applications have no word for it.
        pubDate = metadata.pubDate
        publisher = metadata.publisher ?? ""
        series = metadata.series ?? ""
        seriesIndex = metadata.series == nil ? "" : metadata.seriesIndex.map(Self.shortest) ?? ""
        description = metadata.description ?? ""
        collections = metadata.collections
        subjects = metadata.subjects
        self.cover = cover.map { EncodedCover(picture: $0, hash: metadata.coverHash) }
        rating = metadata.rating.map(Self.shortest) ?? ""
    }

    /// Whether it says of some values nothing, so that only what changes is in it.
    var isPartial: Bool {
        let texts = [authorSort, titleSort, publisher, series, seriesIndex, description, rating]
        return !hasTitle || !hasAuthor || collections == nil || subjects == nil || texts.contains { $0 == nil }
    }

    /// The same with what it does not say filled in from `known`, all that is known of the book: applications are used
    /// to updates that say all.
    func completed(from known: UpdatedBook) -> UpdatedBook {
        let previous = known.reference
        var update = self
        update.reference = BookReference(
            author: hasAuthor ? reference.author : previous.author, filename: previous.filename,
            title: hasTitle ? reference.title : previous.title,
            uuid: previous.uuid.isEmpty ? reference.uuid : previous.uuid)
        if !hasAuthor { update.authors = known.authors }
        (update.hasTitle, update.hasAuthor) = (true, true)
        update.authorSort = authorSort ?? known.authorSort
        update.titleSort = titleSort ?? known.titleSort
        update.pubDate = pubDate ?? known.pubDate
        update.publisher = publisher ?? known.publisher
        update.series = series ?? known.series
        update.seriesIndex = seriesIndex ?? known.seriesIndex
        update.description = description ?? known.description
        update.collections = collections ?? known.collections
        update.subjects = subjects ?? known.subjects
        update.cover = cover ?? known.cover
        update.rating = rating ?? known.rating
        update.isLocked = isLocked ?? known.isLocked
        update.wordCount = wordCount ?? known.wordCount
        update.newUUID = newUUID ?? known.newUUID
        return update
    }

    /// A decimal number without a fraction that says nothing: `0`, `2`, `2.5`.
    static func shortest(_ value: Double) -> String {
        let text = MessageNumber.text(value.isFinite ? value : 0)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

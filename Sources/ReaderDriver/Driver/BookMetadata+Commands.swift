public import Foundation
import ReaderMessages

extension BookMetadata {
    /// Creates metadata from a listed book.
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

    /// The metadata as an application would store it after an update, to find out whether an update is needed: without
    /// collections and cover, which are sent separately, without the uuid, which identifies the book and never changes,
    /// and with one form for values that have several.
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

    /// Returns `book` with this metadata.
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
    /// Creates an update that gives the book `previous` all of `metadata`; empty values are cleared.
    ///
    /// - Parameter cover: A new picture; `nil` keeps the old one.
    public init(_ metadata: BookMetadata, of previous: LibraryBook, cover: Data? = nil) {
        self.init(
            BookReference(
                author: metadata.authors.joined(separator: ", "), filename: previous.filename, title: metadata.title,
                uuid: previous.uuid.isEmpty ? metadata.uuid : previous.uuid))
        authors = metadata.authors
        authorSort = metadata.authorSort ?? ""
        titleSort = metadata.titleSort ?? metadata.title
        // An unknown day is left out: applications can't represent it.
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

    /// Whether some values are missing, so that the update contains only changes.
    var isPartial: Bool {
        let texts = [authorSort, titleSort, publisher, series, seriesIndex, description, rating]
        return !hasTitle || !hasAuthor || collections == nil || subjects == nil || texts.contains { $0 == nil }
    }

    /// Returns the update with missing values filled in from `known`, the complete values: applications expect complete
    /// updates.
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

    /// Returns a decimal number without a trailing `.0`: `0`, `2`, `2.5`.
    static func shortest(_ value: Double) -> String {
        let text = MessageNumber.text(value.isFinite ? value : 0)
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

import FileProviderCore
import Foundation
import MediaTypes
import Publication
import SQLiteStorage
import Shelf

/// What a page shows of a book.
struct ShownBook: Sendable {
    let book: ShelfBook

    init(_ book: ShelfBook) { self.book = book }

    /// The title; of a book without one, the name of its file.
    var title: String {
        BookText.nonEmpty(book.metadata.title.string(for: book.metadata.languages)) ?? book.path.name
    }

    /// The subtitle; nil for none.
    var subtitle: String? { BookText.nonEmpty(book.metadata.subtitle?.string(for: book.metadata.languages)) }

    /// The names of the authors. A comic without authors has those who drew it.
    var authors: [String] {
        let people = book.metadata.authors.isEmpty ? book.metadata[.artist] : book.metadata.authors
        return BookText.list(people.map { $0.name.string(for: book.metadata.languages) })
    }

    /// The first authors on one line; empty for none.
    var byline: String {
        let authors = authors
        return authors.prefix(3).joined(separator: ", ") + (authors.count > 3 ? " and others" : "")
    }

    /// The language of the title and the description, for an attribute `lang`; empty if it is not known.
    var language: String { book.metadata.languages.first ?? "" }

    /// The name of the format: `EPUB`.
    var format: String {
        let name = book.mediaType.name ?? book.mediaType.string
        return ShelfDivision.formats.name(of: FacetValue(key: book.mediaType.string, name: name, count: 0))
    }

    /// Whether it is a recording.
    var isAudio: Bool {
        // The length says nothing: text that is read aloud has one, too.
        book.mediaType.type == "audio"
            || book.mediaType.matchesAny(.readiumAudiobook, .readiumAudiobookManifest, .zab, .lcpProtectedAudiobook)
    }
}

import Cryptography
import FileInformation
import FileProviderCore
import Foundation
import MediaTypes
import Publication
import SQLiteStorage

/// The cover of a book in the sizes in which a shelf keeps it.
struct CoverPictures: Sendable {
    /// A word made of the bytes of the cover in the book.
    var tag: String
    /// The pictures by the longest side that was asked for. A picture that cannot be scaled is there once, under the
    /// largest.
    var pictures: [Int: Data] = [:]

    /// Returns the picture for `dimension`, or the next larger one.
    func picture(_ dimension: Int) -> Data? {
        pictures.filter { $0.key >= dimension }.min { $0.key < $1.key }?.value
    }
}

/// Reads the covers of books, and scales them.
struct CoverMaking: Sendable {
    let provider: any FileProviderReadWrite
    let options: OpeningOptions
    /// Bytes of the largest cover that is read.
    let maxSize: Int64
    /// The sizes of the pictures.
    let dimensions: [Int]

    /// Returns the cover of `book`; `nil` if it has none that can be shown: none at all, a damaged one, one over a
    /// limit, a drawing.
    ///
    /// - Throws: Errors of opening the book, and of its storage: also if the file vanished, or its storage failed, while a
    ///   cover was looked for.
    /// - Complexity: As opening the book, and one more request for most formats.
    func pictures(of book: ShelfBook) async throws -> CoverPictures? {
        var options = options
        options.mediaTypes.insert(book.mediaType.string, at: 0)
        let storage = NotingStorage(provider, path: book.path)
        let publication = try await Publication.open(path: book.path, of: storage, options: options)
        do {
            let pictures = try await pictures(of: publication)
            await publication.close()
            if let pictures { return pictures }
        } catch {
            await publication.close()
            if !error.isOfTheCover { throw error }
        }
        if let failure = storage.failure { throw failure }
        return nil
    }

    private func pictures(of publication: Publication) async throws -> CoverPictures? {
        guard let largest = dimensions.max(), try await !isTooLarge(publication),
            let cover = try await publication.cover(dimension: largest, limit: Int(maxSize))
        else { return nil }
        var result = CoverPictures(tag: String(Digest(.sha256, of: cover.data).hexadecimal.prefix(16)))
        var image = cover.data
        for dimension in dimensions.sorted(by: >) {
            do { image = try await Thumbnail.scaleDown(image: image, toSize: dimension).data } catch let error
                as CocoaError where error.code == .featureUnsupported
            {
                // A format without a decoder here, such as GIF; without the trait `Formats`, all of them.
                guard let picture = CoverPicture(cover.data) else { return nil }
                result.pictures = [largest: picture.data]
                return result
            }
            result.pictures[dimension] = image
        }
        return result
    }

    /// Whether the cover is known to be too large before it is read.
    private func isTooLarge(_ publication: Publication) async throws -> Bool {
        guard let link = try await publication.findCover() else { return false }
        let resource = publication.get(link)
        // An archive's directory has the size without a request. A manifest may claim any, so that one is verified.
        guard let size = resource.link.size, size > maxSize else { return false }
        do {
            let length = try await resource.length()
            await resource.close()
            return length > maxSize
        } catch {
            await resource.close()
            throw error
        }
    }
}

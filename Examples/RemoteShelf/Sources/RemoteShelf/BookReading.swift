import Carrel
import Foundation

/// A picture in a format that any list can show.
struct Cover: Sendable {
    var data: Data
    var fileExtension: String

    /// Nil for what does not begin as a picture does.
    init?(_ data: Data) {
        let starts: [(String, [UInt8])] = [
            ("jpeg", [0xFF, 0xD8, 0xFF]), ("png", [0x89, 0x50, 0x4E, 0x47]), ("gif", Array("GIF8".utf8)),
        ]
        let isWebP = data.starts(with: Array("RIFF".utf8)) && data.dropFirst(8).starts(with: Array("WEBP".utf8))
        guard let name = starts.first(where: { data.starts(with: $0.1) })?.0 ?? (isWebP ? "webp" : nil) else {
            return nil
        }
        self.data = data
        fileExtension = name
    }
}

/// Makes catalogue entries of files, reading ranges only.
struct BookReading: Sendable {
    /// 5 MiB; a larger cover is left out.
    private static let maxCoverSize: Int64 = 5 << 20
    let provider: any FileProviderReadWrite

    private static let options = {
        var options = OpeningOptions()
        // A book must not have this machine ask servers of its choice, nor read all of it to list what is in it.
        options.remote = { EmptyFetcher() }
        options.archiveLimits = .sniffing
        return options
    }()

    /// The entry of `file`; of a damaged file, or one that is no book, an entry that says so.
    ///
    /// - Throws: What keeps the storage from reading it at the moment.
    func entry(of file: FileObject) async throws -> (entry: CatalogueEntry, cover: Cover?) {
        var entry = CatalogueEntry(file)
        let book: Publication
        do { book = try await Publication.open(path: file.path, of: provider, options: Self.options) } catch
            where error.isOfTheFile
        {
            entry.refusal = error.sentence.plain
            return (entry, nil)
        }
        do {
            describe(book, in: &entry)
            let cover = entry.refusal == nil ? try await cover(of: book) : nil
            await book.close()
            return (entry, cover)
        } catch {
            await book.close()
            throw error
        }
    }

    private func describe(_ book: Publication, in entry: inout CatalogueEntry) {
        if let type = book.mediaType, type.isBitmap || type.isAudio {
            entry.refusal = "“\(entry.path)” is a single file of type \(type.essence), not a book.".plain
            return
        }
        let metadata = book.metadata
        entry.title = metadata.title.string.asTitle
        entry.authors = metadata.authors.prefix(50).map { $0.name.string.asTitle }
        entry.languages = metadata.languages.prefix(50).map(\.asTitle)
        entry.identifier = metadata.identifier?.asTitle
        entry.mediaType = book.mediaType?.string.plain
    }

    /// A book whose cover is damaged is as good without it; one that could not be reached is to be tried again.
    private func cover(of book: Publication) async throws -> Cover? {
        guard let link = try await book.findCover() else { return nil }
        do {
            let resource = book.get(link)
            // An archive tells the size without a request; what a manifest claims is asked for. Neither has to be true.
            if let size = resource.link.size, size > Self.maxCoverSize, try await resource.length() > Self.maxCoverSize
            {
                return nil
            }
            let data = try await resource.read(0..<Self.maxCoverSize + 1)
            return data.count > Self.maxCoverSize ? nil : Cover(data)
        } catch {
            if error is URLError || error.isTransient || error.isCancellation { throw error }
            return nil
        }
    }
}

extension Error {
    /// Whether the next attempt would meet this error again as long as the file is what it is.
    fileprivate var isOfTheFile: Bool {
        guard let error = self as? CocoaError, !error.isTransient else { return false }
        // What is locked with a password says so without an error of the storage's below it.
        if error.code == .fileReadNoPermission { return error.underlying == nil || error.underlying is CocoaError }
        return [.fileReadCorruptFile, .featureUnsupported, .fileReadTooLarge, .fileReadInapplicableStringEncoding]
            .contains(error.code)
    }
}

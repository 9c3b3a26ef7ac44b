import FileProviderCore
import Foundation
import Publication
import ReaderMessages
import Synchronization

/// Reads the metadata of a book from its file.
struct BookExtraction: Sendable {
    private let provider: any FileProvider
    private let options: PlainFolderOptions
    private let opening: OpeningOptions
    private let covers: CoverSpace

    init(provider: any FileProvider, options: PlainFolderOptions, covers: CoverSpace) {
        self.provider = provider
        self.options = options
        self.covers = covers
        var opening = OpeningOptions()
        // A book must not make this machine contact servers of its choice, nor read the whole file to list its content.
        opening.remote = { EmptyFetcher() }
        opening.archiveLimits = .sniffing
        self.opening = opening
    }

    /// Reads title, authors, identifier and cover of the book in `file` over ranges.
    ///
    /// - Returns: The entry. For a damaged file, or one that is not a book, an entry named after the file, with the
    ///   reason.
    /// - Throws: Errors of the storage, which say nothing about the book.
    func entry(for file: FoundFile, size: Int64, digest: String, added: Date) async throws -> FolderCacheEntry {
        var entry = FolderCacheEntry(path: file.key, size: size, format: file.format, title: file.title, added: added)
        entry.take(file, size: size, digest: digest)
        do {
            let publication = try await Publication.open(path: file.path, of: provider, options: opening)
            describe(publication.metadata, in: &entry)
            entry.thumbnail = await cover(of: publication)
            await publication.close()
        } catch let error where Self.isOfTheBook(error) {
            entry.problem = String(error.sentence.prefix(500))
        }
        return entry
    }

    /// Whether the error is permanent as long as the file is unchanged.
    private static func isOfTheBook(_ error: any Error) -> Bool {
        if error.isTransient { return false }
        guard let error = error as? CocoaError else { return false }
        // A protected book has its own error; an unreadable file comes with the storage's reason.
        let cause = error.underlying
        if error.code == .fileReadNoPermission {
            return cause == nil || (cause as? CocoaError)?.code == .fileReadCorruptFile
        }
        return [.fileReadCorruptFile, .featureUnsupported, .fileReadTooLarge, .fileReadInapplicableStringEncoding]
            .contains(error.code)
    }

    private func describe(_ metadata: Metadata, in entry: inout FolderCacheEntry) {
        let title = Self.line(metadata.title.string)
        if !title.isEmpty { entry.title = title }
        let sort = Self.line(metadata.sortAs?.string ?? "")
        entry.titleSort = sort.isEmpty ? entry.title : sort
        let authors = metadata.authors.prefix(50).map {
            (name: Self.line($0.name.string), sort: Self.line($0.sortAs?.string ?? ""))
        }
        .filter { !$0.name.isEmpty }
        entry.authors = authors.map(\.name)
        entry.authorSort = authors.map { $0.sort.isEmpty ? $0.name : $0.sort }.joined(separator: " & ")
        let identifiers =
            [metadata.identifier].compactMap(\.self) + metadata.alternateIdentifiers.prefix(50).map(\.value)
        entry.uuid = identifiers.lazy.map { BookUUID.canonical($0) }.first { UUID(uuidString: $0) != nil } ?? ""
    }

    /// Returns one line of text of limited length, whatever a book or a user provides.
    static func line(_ text: String) -> String {
        let words = String(text.unicodeScalars.prefix(1000)).split { $0.isWhitespace || $0.isNewline }
        return String(words.joined(separator: " ").unicodeScalars.filter { $0.properties.generalCategory != .control })
    }

    /// Returns the unchanged cover if it is a small picture in a supported format, else `nil`.
    private func cover(of publication: Publication) async -> Data? {
        // An unreadable cover is left out: the book itself is fine.
        (try? await publication.coverImage(limit: options.maxCoverSize)).flatMap { kept($0.data) }
    }

    /// Returns the cover if it is a small picture in a supported format, else `nil`.
    func kept(_ cover: Data) -> Data? {
        let fits = cover.count <= max(0, options.maxCoverSize) && Self.isPicture(cover)
        return fits && covers.take(cover.count) ? cover : nil
    }

    private static func isPicture(_ data: Data) -> Bool {
        let starts: [[UInt8]] = [
            [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], Array("GIF8".utf8),
        ]
        if starts.contains(where: { data.starts(with: $0) }) { return true }
        return data.starts(with: Array("RIFF".utf8)) && data.dropFirst(8).starts(with: Array("WEBP".utf8))
    }
}

/// Limits the bytes of all kept covers: they are held in memory, and transferred with the cache.
final class CoverSpace: Sendable {
    private let left: Mutex<Int>

    /// Creates the space that `entries` leave.
    init(_ options: PlainFolderOptions, besides entries: some Sequence<FolderCacheEntry>) {
        left = Mutex(entries.reduce(options.maxCoverBytes) { $0 - ($1.thumbnail?.count ?? 0) })
    }

    /// Reserves `bytes`.
    /// - Returns: False if there is not enough space left.
    func take(_ bytes: Int) -> Bool {
        left.withLock { left in
            if bytes > left { return false }
            left -= bytes
            return true
        }
    }
}

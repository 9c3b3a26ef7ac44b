import Archives
import FileProviderCore
import Foundation
import MediaTags

/// Reads the tags of sound files.
struct AudioTracks: Sendable {
    /// The most files of a book that are looked into; 1,000.
    static let maxCount = 1_000
    /// The most chapters of a book; 20,000.
    private static let maxChapters = 20_000
    /// Files that are read at once.
    private static let atOnce = 8
    /// How much of a packed file is read: reaching a place in it means unpacking all that precedes it.
    private static let reachWhenPacked: Int64 = 256 << 10

    let fetcher: any Fetcher

    /// Returns a reader of `file` for range reads.
    func reader(of file: ListedFile) -> any FileReader {
        (fetcher as? FileFetcher)?.reader ?? ResourceReader(fetcher.get(file.link))
    }

    /// Returns the tags of the files in their order, as far as each file can be read.
    ///
    /// - Throws: Errors of the storage that are not about one file.
    /// - Complexity: ``MediaDescription/read(_:reach:)`` for each file, eight at once; nothing for archives in which
    ///   reaching one entry means unpacking others.
    func read(_ files: [ListedFile], _ warnings: WarningLog) async throws -> [AudioTrack] {
        var tracks = files.map { AudioTrack(file: $0) }
        guard isReadable else { return tracks }
        if files.count > Self.maxCount {
            let sentence =
                "The book has \(files.count) tracks; only the tags of the first \(Self.maxCount) were read."
            warnings.warn("many-tracks", severity: .minor, message: sentence)
        }
        var unread = CountedNames()
        var (chapters, next) = (0, 0)
        try await withThrowingTaskGroup(of: (Int, MediaDescription?).self) { group in
            func startOne() {
                guard next < min(files.count, Self.maxCount) else { return }
                let index = next
                next += 1
                group.addTask { (index, try await self.description(of: files[index])) }
            }
            for _ in 0..<Self.atOnce { startOne() }
            while let (index, found) = try await group.next() {
                startOne()
                guard var found else {
                    unread.add(files[index].path)
                    continue
                }
                chapters += found.chapters.count
                if chapters > Self.maxChapters { found = found.withoutChapters }
                // One cover is enough, that of the first track which has one, and others may be in memory.
                if tracks[..<index].contains(where: { $0.description.cover != nil }) { found = found.withoutPictures }
                if found.cover != nil {
                    for later in tracks.indices.dropFirst(index + 1) where tracks[later].description.cover != nil {
                        tracks[later].description = tracks[later].description.withoutPictures
                    }
                }
                tracks[index].description = found
            }
        }
        warnings.warn(Self.warning(unread))
        return tracks
    }

    /// Whether a file costs no more than a few ranges.
    private var isReadable: Bool {
        guard let archive = (fetcher as? ArchiveFetcher)?.archive else { return true }
        return archive is ZIPArchive || archive is FolderArchive
    }

    private func description(of file: ListedFile) async throws -> MediaDescription? {
        let reader = reader(of: file)
        let reach = file.link.properties.archive?.isEntryCompressed == true ? Self.reachWhenPacked : .max
        do {
            let description = try await Self.description(reader, reach: reach)
            await reader.close()
            return description
        } catch {
            await reader.close()
            throw error
        }
    }

    /// Returns a file's description; nil if it cannot be read, or not by ranges.
    ///
    /// - Throws: `CancellationError`; the reader's error if the next file would meet it as well, such as a lost
    ///   connection.
    static func description(_ reader: any FileReader, reach: Int64 = .max) async throws -> MediaDescription? {
        do { return try await MediaDescription.read(reader, reach: reach) } catch {
            if error.concernsEveryItem || error.isTransient { throw error }
            return nil
        }
    }

    /// Returns a warning about the files in `unread`; nil if there are none.
    static func warning(_ unread: CountedNames) -> ContentWarning? {
        unread.warning(
            "unread-track", severity: .moderate, one: "cannot be read; its length and chapters are unknown.",
            many: "cannot be read; their length and chapters are unknown.")
    }
}

public import FileProviderCore
import Foundation

/// A folder with an unpacked ("exploded") publication.
public final class FolderArchive: Archive {
    /// The most files that are kept open for further reads; 16.
    public static let maxOpenFiles = 16

    /// The folder.
    public let path: ProviderPath
    /// The files below the folder, sorted by path, including those that begin with a dot.
    public let entries: [ArchiveEntry]
    /// Warnings about items that were left out.
    public let warnings: [ContentWarning]
    private let listed: [ListedFile]
    private let index: EntryIndex
    private let provider: any FileProviderReadWrite
    private let readers = ReaderPool(capacity: FolderArchive.maxOpenFiles)

    /// A file as the listing described it.
    private struct ListedFile: Sendable {
        let path: ProviderPath
        let size: Int64?
        let entryTag: String?
    }

    private init(
        _ files: [FileObject], below path: ProviderPath, of provider: any FileProviderReadWrite, special: CountedNames
    ) {
        var entries: [ArchiveEntry] = []
        var listed: [ListedFile] = []
        var index = EntryIndex()
        for file in files {
            guard let inside = file.path.relative(to: path), !inside.isRoot else { continue }
            let name = String(Substring(inside.string.utf8.dropFirst()))
            guard index.add(name, at: entries.count) else { continue }
            entries.append(
                ArchiveEntry(
                    path: name, length: file.size ?? 0, packedLength: file.size, version: Self.version(of: file),
                    index: entries.count))
            listed.append(ListedFile(path: file.path, size: file.size, entryTag: file.entryTag))
        }
        warnings = LeftOutEntries(special: special).warnings
        (self.path, self.provider) = (path, provider)
        (self.entries, self.listed, self.index) = (entries, listed, index)
    }

    /// Returns the entity tag, else the modification date, as seconds because a formatted date depends on the locale.
    private static func version(of file: FileObject) -> String? {
        file.entryTag ?? file.modifiedDate.map { "modified \($0.timeIntervalSince1970)" }
    }

    /// Lists the files below `path`; symbolic links are left out, because they may lead out of the folder.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` over the limit of entries, or deeper than a walk goes; the provider's
    ///   errors.
    /// - Complexity: One listing for each folder.
    public static func open(
        _ provider: any FileProviderReadWrite, path: ProviderPath, limits: ArchiveLimits = .standard
    ) async throws -> FolderArchive {
        let found = CollectedValues<FileObject>()
        let seen = ProgressReporter()
        let special = LockedValue(CountedNames())
        try await provider.walk(path: path) { item in
            guard item.isRegularFile else {
                if !item.isDirectory { special.update { $0.add(item.path.string) } }
                return
            }
            seen.advance(by: 1)
            guard seen.completed <= limits.entries else {
                let sentence = "“\(path)” contains more than \(limits.entries) files, which is the limit."
                throw FileError.make(.fileReadTooLarge, path: path, sentence: sentence)
            }
            found.append(item)
        }
        return FolderArchive(
            found.values.sorted { $0.path < $1.path }, below: path, of: provider, special: special.value)
    }

    /// Returns the entry as ``Archive/entry(at:)`` does.
    public func entry(at path: String) -> ArchiveEntry? { index.index(of: path).map { entries[$0] } }

    /// Reads the part of the file, which is opened at the first read and kept open for further ones.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` for a file that was removed since the listing,
    ///   `CocoaError(.fileReadUnknown)` for one whose size or entity tag has changed since then; the provider's errors.
    public func stream(_ entry: ArchiveEntry, range: Range<Int64>?, into sink: any ByteSink) async throws {
        guard !isClosed, listed.indices.contains(entry.index) else { throw closed(entry) }
        let path = listed[entry.index].path
        let part = range.map { FilePart.range(max(0, $0.lowerBound)..<max(0, $0.upperBound)) } ?? .whole
        try await readers.withReader(
            entry.index, open: { [provider] in try await provider.open(path: path) }, closed: { self.closed(entry) }
        ) { reader in
            _ = try await reader.stream(part, into: sink)
            try await check(reader, against: listed[entry.index])
        }
    }

    /// Checks after a read, if that costs nothing. If listing and file have different kinds of versions, only the size
    /// can be compared.
    private func check(_ reader: any FileReader, against listed: ListedFile) async throws {
        let now = try await reader.attributes()
        let tags = [listed.entryTag, now.validator].compactMap { $0.flatMap(Self.comparable) }
        guard listed.size ?? now.size == now.size else { throw FileError.changedWhileReading(reader.path) }
        if Set(tags).count < 2 { return }
        // Some servers list other tags than they send with the file.
        let item = try await provider.attributesOfItem(path: listed.path)
        guard item.entryTag == listed.entryTag else { throw FileError.changedWhileReading(reader.path) }
    }

    /// Returns an entity tag without the mark of weak ones (RFC 9110, section 8.8.3); nil if it is not one.
    private static func comparable(_ tag: String) -> String? {
        let bare = tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
        return bare.hasPrefix("\"") ? bare : nil
    }

    /// Whether ``close()`` was called.
    public var isClosed: Bool { readers.isClosed }

    /// Ends reads under way; the provider stays open.
    public func close() async { await readers.close() }

    private func closed(_ entry: ArchiveEntry) -> CocoaError {
        FileError.make(
            .fileReadUnknown, path: entry.path, sentence: "“\(entry.path)” cannot be read: its folder was closed.")
    }
}

import Archives
import FileProviderCore
import Foundation
import MediaTypes

/// The entries of an archive as resources.
///
/// Links have relative hrefs, as the Readium Web Publication Manifest requires; ``get(_:)`` accepts them with or
/// without a leading slash. The fetcher owns the archive: closing the fetcher closes the archive, and its entries are
/// `unavailable` from then on.
public final class ArchiveFetcher: Fetcher, PrefetchingFetcher {
    /// What the entries come from; closed with the fetcher.
    public let archive: any Archive

    /// Takes over `archive`, which is closed with the fetcher. Nothing is read.
    public init(_ archive: any Archive) {
        self.archive = archive
    }

    /// The files of the archive in its own order; folders are left out.
    ///
    /// Each link has a type by its extension, its unpacked `size`, and the property `archive` with `entryLength`, the
    /// bytes it takes in the archive, and `isEntryCompressed`.
    ///
    /// - Complexity: No request: the directory is in memory.
    public func links() async throws -> [Link] {
        archive.entries.lazy.filter { !$0.isDirectory }.map { entry in
            var link = Link(href: HREF.encode(entry.path))
            link.describe(entry)
            return link
        }
    }

    /// Returns the entry at the link's href. Tries the percent-decoded href first, then the href as written, then one
    /// that differs only in Unicode normalisation; then all three again without query and fragment.
    ///
    /// - Complexity: O(1), no request.
    public func get(_ link: Link) -> any Resource {
        if link.templated, link.href.contains("{") {
            let sentence = "“\(link.href)” is an address template; expand it with parameters before reading it."
            return FailureResource(
                link,
                error: FileError.make(
                    .fileReadUnknown, path: link.href, sentence: sentence, underlying: UnfilledTemplate()))
        }
        guard let entry = entry(at: link.href) else {
            return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
        }
        return ArchiveResource(link, entry: entry, archive: archive)
    }

    /// Loads the small entries among `hrefs` together, so that reading them later costs no request.
    ///
    /// Hrefs without an entry are ignored. Meant for parsers that know which small files they will need.
    ///
    /// - Complexity: As few requests as the storage's cost model says, at once.
    public func prefetch(hrefs: [String]) async throws {
        do {
            try await archive.prefetch(hrefs.compactMap { entry(at: $0) })
        } catch {
            throw archive.isClosed ? FileError.closedPublication(hrefs.first ?? "", during: error) : error
        }
    }

    /// Closes the archive and with it all resources of this fetcher.
    public func close() async { await archive.close() }

    private func entry(at href: String) -> ArchiveEntry? {
        for path in HREF.candidates(href) {
            if let entry = archive.entry(at: path), !entry.isDirectory { return entry }
        }
        return nil
    }
}

/// One entry of an archive.
private final class ArchiveResource: CompressedResource {
    let link: Link
    private let entry: ArchiveEntry
    private let archive: any Archive

    init(_ link: Link, entry: ArchiveEntry, archive: any Archive) {
        var link = link
        link.describe(entry)
        self.link = link
        self.entry = entry
        self.archive = archive
    }

    /// The length that the directory claims.
    func length() async throws -> Int64 {
        if archive.isClosed { throw FileError.closedPublication(entry.path) }
        return entry.length
    }

    /// The length and checksum that the directory claims. The archive verifies the checksum when a whole entry is read.
    func validator() async throws -> ResourceValidator? {
        if archive.isClosed { throw FileError.closedPublication(entry.path) }
        return ResourceValidator(length: entry.length, tag: entry.checksum.map { "CRC-32 \($0)" } ?? entry.version)
    }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        do {
            try await archive.stream(entry, range: range, into: sink)
        } catch {
            throw archive.isClosed ? FileError.closedPublication(entry.path, during: error) : error
        }
    }

    /// The deflated data of a ZIP archive's entry.
    func compressedForm() async throws -> CompressedForm? {
        if archive.isClosed { throw FileError.closedPublication(entry.path) }
        guard let zip = archive as? ZIPArchive, let length = entry.packedLength, let checksum = entry.checksum,
            try zip.isDeflated(entry)
        else { return nil }
        return CompressedForm(length: length, uncompressedLength: entry.length, checksum: checksum) { [entry] sink in
            do {
                try await zip.streamPacked(entry, into: sink)
            } catch {
                throw zip.isClosed ? FileError.closedPublication(entry.path, during: error) : error
            }
        }
    }
}

extension Link {
    /// Adds what an archive's directory says about the entry. Keeps a type that the link has already.
    fileprivate mutating func describe(_ entry: ArchiveEntry) {
        type = type ?? entry.fileExtension.flatMap { MediaType.known(fileExtension: $0) }?.string
        size = size ?? entry.length
        guard let packedLength = entry.packedLength else { return }
        properties["archive"] = ["entryLength": .integer(packedLength), "isEntryCompressed": .bool(entry.isCompressed)]
    }
}

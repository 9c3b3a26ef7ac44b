#if Formats
    public import FileProviderCore
    public import Foundation

    /// A RAR, 7z or TAR archive, also one that gzip has packed, read where it lies by libarchive.
    ///
    /// These formats are read from their start on: an entry is reached by going over those in front of it, which costs
    /// their headers, or, where files are packed together, unpacking them. So the archive keeps its place, and what was
    /// unpacked not long ago: reading pages in order unpacks each once, and going back starts anew. Entries up to 8 MiB
    /// are kept in memory, 32 MiB together, larger ones in unnamed temporary files.
    ///
    /// Several entries may be asked for at once; one after the other is unpacked, on a thread of the archive's own, and
    /// a slow sink keeps nobody waiting. What is encrypted or damaged fails alone, as far as the format lets libarchive
    /// find the next entry. libarchive reads no solid archives of RAR 4 and no volumes but the first, and does not look
    /// at the checksums of files that RAR has stored.
    public final class PackedArchive: Archive {
        /// Files and folders in the archive's order. Links and devices are left out, names that lead elsewhere, and
        /// repetitions.
        public let entries: [ArchiveEntry]
        /// One sentence where the archive is cut off or damaged, and has only been listed up to there; else none.
        public let repairs: [String]
        /// The repairs, and entries that were left out.
        public var warnings: [ContentWarning] { repairWarnings + leftOut.warnings }
        private let leftOut: LeftOutEntries
        private let index: EntryIndex
        private let work: PackedWork

        /// Whether a file that begins with `head` is one of these archives: by signature, or of TAR by its header's
        /// magic.
        ///
        /// 16 KiB are enough; for what gzip has packed, the first header is unpacked.
        public static func mayOpen(head: Data) -> Bool { PackedFormat(head: head) != nil }

        /// Lists the archive in `reader`, which belongs to the archive from then on.
        ///
        /// - Throws: `CocoaError(.fileReadCorruptFile)` when this is no such archive, or so damaged that there is no
        ///   entry; `.fileReadNoPermission` when the list is encrypted; `.featureUnsupported` for a variant that cannot
        ///   be read; `.fileReadTooLarge` over one of `limits`; errors of the reader. The reader then stays the
        ///   caller's.
        /// - Complexity: Of 7z the start and the end; of RAR and TAR 8 KiB for each entry, fewer where entries are
        ///   small; of TAR packed by gzip, and of solid RAR, all of it.
        public static func open(_ reader: any FileReader, limits: ArchiveLimits = .standard) async throws
            -> PackedArchive
        {
            // The headers of some 250 entries stay at hand for the next way through.
            let cached = reader as? CachedFileReader ?? CachedFileReader(reader, capacity: 2 << 20)
            let head = try await cached.read([0..<16 << 10])[0]
            guard let format = PackedFormat(head: head) else {
                throw FileError.make(
                    .fileReadCorruptFile, path: cached.path, sentence: "“\(cached.path)” is no RAR, 7z or TAR archive.")
            }
            let attributes = try await cached.attributes()
            let source = PackedSource(cached, size: attributes.size)
            let work = PackedWork(source, format: format, limits: limits, version: attributes.validator)
            return PackedArchive(try await work.list(), work: work)
        }

        private init(_ list: PackedList, work: PackedWork) {
            entries = list.entries
            index = list.index
            repairs = list.repairs
            leftOut = list.leftOut
            self.work = work
        }

        /// As of ``Archive/entry(at:)``.
        public func entry(at path: String) -> ArchiveEntry? { index.index(of: path).map { entries[$0] } }

        /// Sends the unpacked bytes of `entry` that lie in `range`, clamped to the entry, into `sink`; nil for all.
        ///
        /// The first byte comes when the whole entry is unpacked.
        ///
        /// - Throws: As ``Archive/stream(_:range:into:)``.
        /// - Complexity: Nothing is read for an entry that was unpacked not long ago; else see ``PackedArchive``.
        public func stream(_ entry: ArchiveEntry, range: Range<Int64>?, into sink: any ByteSink) async throws {
            let all = 0..<entry.length
            let wanted = range.map { max(0, $0.lowerBound)..<max(0, $0.upperBound) }?.clamped(to: all) ?? all
            let unpacked = try await work.unpack(entry)
            try await unpacked.stream(wanted, into: sink)
        }

        /// Whether ``close()`` was called.
        public var isClosed: Bool { work.isClosed }

        /// Ends what is being unpacked, forgets what was, and closes the reader.
        public func close() async { await work.close() }
    }
#endif

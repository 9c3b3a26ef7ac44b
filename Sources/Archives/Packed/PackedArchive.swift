#if Formats
    public import FileProviderCore
    public import Foundation

    /// A RAR, 7z or TAR archive, optionally packed with gzip, read in place by libarchive.
    ///
    /// These formats are read from their start: reaching an entry means skipping those in front of it, which costs
    /// their headers or, in solid archives, unpacking them. So the archive keeps its position and the recently unpacked
    /// entries: reading pages in order unpacks each once, and going back starts over. Entries up to 8 MiB are kept in
    /// memory, 32 MiB together, larger ones in unnamed temporary files.
    ///
    /// Several entries may be requested at once; they are unpacked one after the other, on the archive's dedicated
    /// thread, and a slow sink doesn't delay the others. An encrypted or damaged entry fails alone, as far as the
    /// format lets libarchive find the next one. libarchive doesn't read solid archives of RAR 4 or volumes after the
    /// first, and doesn't verify the checksums of files that RAR has stored.
    public final class PackedArchive: Archive {
        /// Files and folders in the archive's order, without links, devices, names that lead elsewhere, and
        /// repetitions.
        public let entries: [ArchiveEntry]
        /// One sentence if the archive is cut off or damaged and was listed only up to there; otherwise empty.
        public let repairs: [String]
        /// The repairs, and warnings about entries that were left out.
        public var warnings: [ContentWarning] { repairWarnings + leftOut.warnings }
        private let leftOut: LeftOutEntries
        private let index: EntryIndex
        private let work: PackedWork

        /// Returns whether a file that begins with `head` is one of these archives: by signature, or TAR by its
        /// header's magic.
        ///
        /// 16 KiB are enough; the first header inside gzip is unpacked.
        public static func mayOpen(head: Data) -> Bool { PackedFormat(head: head) != nil }

        /// Lists the archive in `reader`, and takes ownership of the reader.
        ///
        /// - Throws: `CocoaError(.fileReadCorruptFile)` if this is not such an archive, or so damaged that no entry is
        ///   left; `.fileReadNoPermission` if the list is encrypted; `.featureUnsupported` for a variant that cannot be
        ///   read; `.fileReadTooLarge` over one of `limits`; errors of the reader. The caller keeps the reader then.
        /// - Complexity: For 7z the start and the end; for RAR and TAR 8 KiB for each entry, less if entries are small;
        ///   for TAR packed with gzip, and for solid RAR, the whole file.
        public static func open(_ reader: any FileReader, limits: ArchiveLimits = .standard) async throws
            -> PackedArchive
        {
            // Keeps the headers of some 250 entries for the next pass.
            let cached = reader as? CachedFileReader ?? CachedFileReader(reader, capacity: 2 << 20)
            let head = try await cached.read([0..<16 << 10])[0]
            guard let format = PackedFormat(head: head) else {
                throw FileError.make(
                    .fileReadCorruptFile, path: cached.path,
                    sentence: "“\(cached.path)” is not a RAR, 7z or TAR archive.")
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

        /// Returns the entry as ``Archive/entry(at:)`` does.
        public func entry(at path: String) -> ArchiveEntry? { index.index(of: path).map { entries[$0] } }

        /// Sends the unpacked bytes of `entry` in `range`, clamped to the entry, into `sink`; all bytes if `range` is
        /// nil.
        ///
        /// The first byte arrives when the whole entry is unpacked.
        ///
        /// - Throws: As ``Archive/stream(_:range:into:)``.
        /// - Complexity: Reads nothing for a recently unpacked entry; otherwise see ``PackedArchive``.
        public func stream(_ entry: ArchiveEntry, range: Range<Int64>?, into sink: any ByteSink) async throws {
            let all = 0..<entry.length
            let wanted = range.map { max(0, $0.lowerBound)..<max(0, $0.upperBound) }?.clamped(to: all) ?? all
            let unpacked = try await work.unpack(entry)
            try await unpacked.stream(wanted, into: sink)
        }

        /// Whether ``close()`` was called.
        public var isClosed: Bool { work.isClosed }

        /// Ends unpacking, drops unpacked entries, and closes the reader.
        public func close() async { await work.close() }
    }
#endif

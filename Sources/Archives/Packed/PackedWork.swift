#if Formats
    import CArchive
    import FileProviderCore
    import Foundation

    /// The result of a pass over the headers.
    struct PackedList: Sendable {
        fileprivate(set) var entries: [ArchiveEntry] = []
        fileprivate(set) var index = EntryIndex()
        fileprivate(set) var repairs: [String] = []
        fileprivate(set) var leftOut = LeftOutEntries()
        /// The header's index of each entry.
        fileprivate var positions: [Int] = []
        /// The entry of each header, by the header's index.
        fileprivate var byPosition: [Int: Int] = [:]
    }

    extension LeftOutEntries {
        /// Adds an entry. Repeated folders and the root cause no warning.
        fileprivate mutating func add(_ header: PackedHeader) {
            if header.isSpecial {
                special.add(header.name)
            } else if let path = header.path {
                if path.utf8.last != UInt8(ascii: "/") { repeated.add(path) }
            } else if !EntryName.isRoot(header.name) {
                unsafe.add(header.name)
            }
        }
    }

    /// The thread of one packed archive, and the state used on it.
    ///
    /// Unchecked: `pass` and `list` are used on that thread alone, which runs one piece of work after the other.
    final class PackedWork: @unchecked Sendable {
        private let threads = BlockingThreads(count: 1, name: "carrel.packed")
        private let source: PackedSource
        private let format: PackedFormat
        private let limits: ArchiveLimits
        /// The version of the whole archive, used for each of its entries.
        private let version: String?
        private let unpacked: UnpackedEntries
        private var pass: PackedPass?
        private var list = PackedList()
        /// The total bytes of all paths in the list.
        private var pathBytes: Int64 = 0

        init(_ source: PackedSource, format: PackedFormat, limits: ArchiveLimits, version: String?) {
            self.source = source
            self.format = format
            self.limits = limits
            self.version = version
            unpacked = UnpackedEntries(memory: 32 << 20, files: limits.maxEntrySize)
        }

        var isClosed: Bool { source.isClosed }

        func close() async {
            source.close()
            unpacked.removeAll()
            _ = try? await threads.run { [self] in pass = nil }
            await source.reader.close()
        }

        /// Runs `body` on the archive's thread. A cancelled caller does not wait for its turn.
        private func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
            let task = Task { [self] in
                try await threads.run { [self] flag in
                    try flag.check()
                    source.flag = flag
                    // Converts names to UTF-8, whatever the process's locale.
                    let locale = carrel_archive_utf8_begin()
                    defer { carrel_archive_utf8_end(locale) }
                    return try body()
                }
            }
            return try await withTaskCancellationHandler {
                try await task.sharedValue()
            } onCancel: {
                task.cancel()
            }
        }

        // MARK: Listing

        func list() async throws -> PackedList {
            try await run { [self] in
                source.allowance = .init(bytes: limits.listing, deadline: .now + limits.listingTime)
                defer { source.allowance = .init() }
                try goThroughHeaders()
                return list
            }
        }

        private func goThroughHeaders() throws {
            if format == .sevenZip { try SevenZipCheck(source: source, limits: limits).run() }
            let pass = try PackedPass(source, format: format, limits: limits)
            do {
                while let header = try pass.next() {
                    guard pass.position < limits.entries else { throw tooMany() }
                    try pass.checkRatio()
                    try add(header, at: pass.position)
                }
                try pass.checkRatio()
            } catch let error as CocoaError where error.code == .fileReadCorruptFile && !list.entries.isEmpty {
                let count = list.entries.count
                list.repairs = [
                    "“\(source.reader.path)” is cut off or damaged; the \(count == 1 ? "one entry" : "\(count) entries") before the damage can be listed."
                ]
            }
        }

        private func tooMany() -> CocoaError {
            FileError.make(
                .fileReadTooLarge, path: source.reader.path,
                sentence: "“\(source.reader.path)” has more than \(limits.entries) entries, which is the limit.")
        }

        private func add(_ header: PackedHeader, at position: Int) throws {
            let index = list.entries.count
            guard let path = header.path, list.index.add(path, at: index) else { return list.leftOut.add(header) }
            pathBytes += Int64(path.utf8.count)
            guard pathBytes <= limits.directoryBytes else {
                throw FileError.make(
                    .fileReadTooLarge, path: source.reader.path,
                    sentence:
                        "The names in “\(source.reader.path)” take more than \(limits.directoryBytes) bytes, which is the limit."
                )
            }
            let isPlain = format == .tar
            list.entries.append(
                ArchiveEntry(
                    path: path, length: header.length, packedLength: isPlain ? header.length : nil,
                    isCompressed: !isPlain,
                    isEncrypted: header.isEncrypted, version: version, index: index))
            list.positions.append(position)
            list.byPosition[position] = index
        }

        // MARK: Unpacking

        /// Returns the bytes of `entry`, from memory if it was unpacked recently.
        func unpack(_ entry: ArchiveEntry) async throws -> UnpackedEntry {
            if isClosed {
                throw FileError.make(
                    .fileReadUnknown, path: entry.path,
                    sentence: "“\(entry.path)” cannot be read: its archive was closed.")
            }
            if let held = unpacked[entry.index] { return held }
            return try await run { [self] in
                // Another caller may just have unpacked the same entry.
                if let held = unpacked[entry.index] { return held }
                try checkReadable(entry)
                do {
                    return try unpack(entry, from: try goTo(list.positions[entry.index], for: entry))
                } catch {
                    pass = nil
                    throw error
                }
            }
        }

        private func checkReadable(_ entry: ArchiveEntry) throws {
            guard list.entries.indices.contains(entry.index) else {
                throw FileError.make(.fileReadNoSuchFile, path: entry.path)
            }
            if list.entries[entry.index].isEncrypted {
                throw FileError.make(
                    .fileReadNoPermission, path: entry.path, sentence: "“\(entry.path)” is encrypted with a password.")
            }
            if entry.length > limits.maxEntrySize {
                throw FileError.make(
                    .fileReadTooLarge, path: entry.path,
                    sentence:
                        "“\(entry.path)” would become \(entry.length) bytes; at most \(limits.maxEntrySize) are unpacked."
                )
            }
        }

        /// Advances to a header, or starts over if it has passed.
        private func goTo(_ position: Int, for entry: ArchiveEntry) throws -> PackedPass {
            if let pass, pass.position >= position { self.pass = nil }
            let pass = try self.pass ?? PackedPass(source, format: format, limits: limits)
            self.pass = pass
            while true {
                guard try pass.next() != nil else { throw damaged(entry, "it is missing now") }
                if pass.position == position { return pass }
                if format.isSolid { try unpackInPassing(pass) }
            }
        }

        /// Unpacks an entry that must be unpacked anyway, and keeps it if it is small.
        private func unpackInPassing(_ pass: PackedPass) throws {
            let entry = list.byPosition[pass.position].map { list.entries[$0] }
            if let entry, entry.length <= UnpackedEntry.maxSizeInMemory, unpacked[entry.index] == nil {
                do {
                    _ = try unpack(entry, from: pass)
                } catch let error as CocoaError where error.code == .fileReadCorruptFile {
                    // An error of that entry; libarchive reports at the next header if it cannot continue.
                }
            } else {
                try pass.read { _ in }
            }
        }

        private func unpack(_ entry: ArchiveEntry, from pass: PackedPass) throws -> UnpackedEntry {
            var buffer = UnpackingBuffer()
            do {
                try pass.read { bytes in
                    try buffer.append(bytes)
                    if buffer.count > entry.length {
                        throw damaged(entry, "it unpacks to more than the \(entry.length) bytes it claims")
                    }
                }
            } catch let error as CocoaError where error.code == .fileReadCorruptFile {
                throw damaged(entry, "it cannot be unpacked", error)
            }
            guard buffer.count == entry.length else {
                throw damaged(entry, "it unpacks to \(buffer.count) bytes instead of the \(entry.length) it claims")
            }
            unpacked.insert(buffer.entry, at: entry.index)
            return buffer.entry
        }

        private func damaged(_ entry: ArchiveEntry, _ why: String, _ cause: (any Error)? = nil) -> CocoaError {
            FileError.make(
                .fileReadCorruptFile, path: entry.path, sentence: "“\(entry.path)” in the archive is damaged: \(why).",
                underlying: cause)
        }
    }
#endif

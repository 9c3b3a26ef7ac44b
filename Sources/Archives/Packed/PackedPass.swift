#if Formats
    import CArchive
    import FileProviderCore
    import Foundation

    /// The content of one header.
    struct PackedHeader {
        /// As in ``ArchiveEntry``; nil for an entry that is neither file nor folder, or whose name must not be used.
        var path: String?
        /// As written, decoded; empty if there is none.
        var name: String
        /// Whether it is a link or a device.
        var isSpecial: Bool
        /// The claimed unpacked size in bytes; 0 if none is claimed.
        var length: Int64
        var isEncrypted: Bool
    }

    /// One pass through a packed archive, from its start: headers and data come in the archive's order
    /// (archive_read(3)).
    ///
    /// Unchecked: created, used and released on the archive's dedicated thread.
    final class PackedPass: @unchecked Sendable {
        private let handle: OpaquePointer
        private let source: PackedSource
        private let path: String
        private let limits: ArchiveLimits
        /// Bytes unpacked since the start.
        private var unpacked: Int64 = 0
        /// The index of the last header, from 0; −1 before the first.
        private(set) var position = -1

        init(_ source: PackedSource, format: PackedFormat, limits: ArchiveLimits) throws {
            guard let handle = archive_read_new() else { throw POSIXError(.ENOMEM) }
            self.handle = handle
            self.source = source
            self.limits = limits
            path = source.reader.path.string
            source.rewind(format)
            format.enable(on: handle)
            archive_read_set_callback_data(handle, Unmanaged.passUnretained(source).toOpaque())
            archive_read_set_read_callback(handle) { handle, data, buffer in
                guard let source = PackedPass.source(data) else { return Int(ARCHIVE_FATAL) }
                // The output of filters so far, as far as it was used.
                source.unpacked = handle.map { archive_filter_bytes($0, 0) } ?? 0
                guard let bytes = source.next() else { return Int(ARCHIVE_FATAL) }
                buffer?.pointee = bytes.baseAddress
                return bytes.count
            }
            archive_read_set_skip_callback(handle) { _, data, count in PackedPass.source(data)?.skip(count) ?? 0 }
            archive_read_set_seek_callback(handle) { _, data, offset, origin in
                PackedPass.source(data)?.seek(offset, from: origin) ?? Int64(ARCHIVE_FATAL)
            }
            // Every property is set by now, so a throw runs `deinit`, which frees the handle.
            guard archive_read_open1(handle) == ARCHIVE_OK else { throw failure() }
        }

        deinit {
            archive_read_free(handle)
        }

        // MARK: Headers

        /// Returns the next header, skipping the rest of the entry before it; nil at the end.
        ///
        /// - Throws: `CocoaError(.fileReadCorruptFile)`, `.fileReadNoPermission` for an encrypted archive,
        ///   `.featureUnsupported`, or the error of reading. The pass must not be used after that.
        func next() throws -> PackedHeader? {
            try source.check()
            try skipData()
            source.beginHeader(at: archive_filter_bytes(handle, 0))
            defer { source.endHeader() }
            var entry: OpaquePointer?
            let result = archive_read_next_header(handle, &entry)
            if result == ARCHIVE_EOF { return nil }
            // A warning means that something in the header is unusual, such as its name.
            guard result == ARCHIVE_OK || result == ARCHIVE_WARN, let entry else { throw failure() }
            position += 1
            let isEncrypted =
                archive_entry_is_data_encrypted(entry) != 0 || archive_entry_is_metadata_encrypted(entry) != 0
            let type = archive_entry_filetype(entry)
            let isFolder = type == S_IFDIR
            // Links of both kinds and devices are left out, because they are not files.
            let isSpecial = !isFolder && type != S_IFREG || archive_entry_hardlink(entry) != nil
            let name = Self.name(of: entry) ?? ""
            return PackedHeader(
                path: isSpecial ? nil : Self.path(name, isFolder: isFolder), name: name, isSpecial: isSpecial,
                length: max(0, archive_entry_size(entry)), isEncrypted: isEncrypted)
        }

        /// Skips the rest of an entry, which would otherwise count as part of the next header.
        private func skipData() throws {
            guard position >= 0 else { return }
            if archive_read_data_skip(handle) == ARCHIVE_FATAL { throw failure() }
        }

        private static func path(_ name: String, isFolder: Bool) -> String? {
            guard let path = EntryName.confined(name) else { return nil }
            return isFolder && path.utf8.last != UInt8(ascii: "/") ? path + "/" : path
        }

        /// Returns the name in UTF-8, else as the archive has it.
        private static func name(of entry: OpaquePointer) -> String? {
            if let name = archive_entry_pathname_utf8(entry) { return String(cString: name) }
            guard let name = archive_entry_pathname(entry) else { return nil }
            return EntryName.decode(UnsafeRawBufferPointer(start: name, count: strlen(name)))
        }

        // MARK: Data

        /// Passes all data of the current header's entry to `take`, in pieces.
        ///
        /// - Throws: `CocoaError(.fileReadTooLarge)` if the data exceeds the limits; as ``next()``; an error of `take`.
        func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
            try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
                while true {
                    try source.check()
                    let count = archive_read_data(handle, buffer.baseAddress, buffer.count)
                    if count == 0 { return }
                    guard count > 0 else { throw failure() }
                    unpacked += Int64(count)
                    try checkRatio()
                    try take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                }
            }
        }

        /// Compares the output so far, of this class and of libarchive's filters, with the bytes read for it.
        func checkRatio() throws {
            let output = archive_filter_count(handle) > 1 ? max(unpacked, archive_filter_bytes(handle, 0)) : unpacked
            let (maxBytes, overflow) = source.delivered.multipliedReportingOverflow(by: limits.maxRatio)
            guard output > limits.ratioFloor, !overflow, output > maxBytes else { return }
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence:
                    "“\(path)” would become more than \(limits.maxRatio) times as large as it is, which is the limit."
            )
        }

        // MARK: Errors

        /// Returns the error of reading, else libarchive's own.
        private func failure() -> any Error { source.failure ?? PackedFailure.error(of: handle, path: path) }

        /// Returns the object behind libarchive's callback pointer.
        private static func source(_ data: UnsafeMutableRawPointer?) -> PackedSource? {
            data.map { Unmanaged<PackedSource>.fromOpaque($0).takeUnretainedValue() }
        }
    }
#endif

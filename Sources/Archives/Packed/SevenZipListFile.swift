#if Formats
    import CArchive
    import Foundation

    /// A packed list as the one file of a separate archive, so that libarchive unpacks it with any of its decoders.
    struct SevenZipListFile {
        private let archive: [UInt8]

        init(_ data: Data, folderList: ArraySlice<UInt8>) {
            let number = { (value: Int) in [0xFF] + Self.little(UInt64(value)) }
            var list: [UInt8] = [SevenZipProperty.list, SevenZipProperty.mainStreams]
            list +=
                [SevenZipProperty.packInfo, 0, 1, SevenZipProperty.size] + number(data.count) + [SevenZipProperty.end]
            list += folderList + [SevenZipProperty.subStreams, SevenZipProperty.end, SevenZipProperty.end]
            // One file, called “l”.
            list += [
                SevenZipProperty.files, 1, SevenZipProperty.names, 5, 0, 0x6C, 0, 0, 0, SevenZipProperty.end,
                SevenZipProperty.end,
            ]
            let position =
                Self.little(UInt64(data.count)) + Self.little(UInt64(list.count)) + Self.little(Self.checksum(of: list))
            archive =
                [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4] + Self.little(Self.checksum(of: position)) + position + data
                + list
        }

        /// - Throws: As ``PackedFailure/error(of:path:)``; ``SevenZipFlaw/tooLarge(_:)`` over `limit` bytes.
        func unpack(upTo limit: Int, path: String) throws -> [UInt8] {
            guard let handle = archive_read_new() else { throw POSIXError(.ENOMEM) }
            defer { archive_read_free(handle) }
            archive_read_support_format_7zip(handle)
            return try archive.withUnsafeBytes { archive in
                var entry: OpaquePointer?
                guard archive_read_open_memory(handle, archive.baseAddress, archive.count) == ARCHIVE_OK,
                    archive_read_next_header(handle, &entry) == ARCHIVE_OK
                else { throw PackedFailure.error(of: handle, path: path) }
                return try Self.data(of: handle, upTo: limit, path: path)
            }
        }

        private static func data(of handle: OpaquePointer, upTo limit: Int, path: String) throws -> [UInt8] {
            var data: [UInt8] = []
            return try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
                while true {
                    let count = archive_read_data(handle, buffer.baseAddress, buffer.count)
                    if count == 0 { return data }
                    guard count > 0 else { throw PackedFailure.error(of: handle, path: path) }
                    data += buffer[..<count]
                    guard data.count <= limit else { throw SevenZipFlaw.tooLarge("a list of more than \(limit) bytes") }
                }
            }
        }

        private static func checksum(of bytes: [UInt8]) -> UInt32 {
            var checksum = CRC32()
            bytes.withUnsafeBytes { checksum.update($0) }
            return checksum.value
        }

        private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
    }
#endif

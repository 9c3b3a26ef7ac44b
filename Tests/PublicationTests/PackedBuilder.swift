#if Formats
    import CArchive
    import Foundation
    import SampleBooks

    /// Writes archives to read: TAR and 7z with libarchive, RAR by hand.
    enum PackedBuilder {
        struct File {
            var name: String
            var content: Data
            /// Of the types in stat(2).
            var type: UInt32 = S_IFREG
            var isEncrypted = false

            init(_ name: String, _ content: Data, type: UInt32 = S_IFREG, isEncrypted: Bool = false) {
                (self.name, self.content, self.type, self.isEncrypted) = (name, content, type, isEncrypted)
            }

            init(_ name: String, _ content: String) { self.init(name, Data(content.utf8)) }
        }

        enum Kind: String, CaseIterable {
            case tar, gzippedTar, sevenZip, rar4, rar5
        }

        static func data(_ kind: Kind, _ files: [File]) -> Data {
            switch kind {
            case .tar: written(files) { archive_write_set_format_pax_restricted($0) }
            case .gzippedTar:
                written(files) { handle in
                    archive_write_add_filter_gzip(handle)
                    archive_write_set_format_pax_restricted(handle)
                }
            case .sevenZip:
                written(files) { handle in
                    archive_write_set_format_7zip(handle)
                    archive_write_set_options(handle, "compression-level=1")
                }
            case .rar4:
                RARBuilder.version4(files.map { RARBuilder.File($0.name, $0.content, isEncrypted: $0.isEncrypted) })
            case .rar5:
                RARBuilder.version5(files.map { RARBuilder.File($0.name, $0.content, isEncrypted: $0.isEncrypted) })
            }
        }

        private static func written(_ files: [File], _ setUp: (OpaquePointer?) -> Void) -> Data {
            let locale = carrel_archive_utf8_begin()
            defer { carrel_archive_utf8_end(locale) }
            let handle = archive_write_new()
            setUp(handle)
            archive_write_set_bytes_per_block(handle, 512)
            archive_write_set_bytes_in_last_block(handle, 1)
            var output = Data(count: files.reduce(64 << 10) { $0 + $1.content.count * 9 / 8 + 4_096 })
            var used = 0
            output.withUnsafeMutableBytes { buffer in
                archive_write_open_memory(handle, buffer.baseAddress, buffer.count, &used)
                for file in files { write(file, to: handle) }
                precondition(archive_write_close(handle) == ARCHIVE_OK)
            }
            archive_write_free(handle)
            return output.prefix(used)
        }

        private static func write(_ file: File, to handle: OpaquePointer?) {
            let entry = archive_entry_new()
            defer { archive_entry_free(entry) }
            archive_entry_set_pathname_utf8(entry, file.name)
            archive_entry_set_filetype(entry, file.type)
            archive_entry_set_perm(entry, 0o644)
            archive_entry_set_mtime(entry, 1_700_000_000, 0)
            if file.type == S_IFLNK { archive_entry_set_symlink_utf8(entry, "/etc/passwd") }
            archive_entry_set_size(entry, file.type == S_IFREG ? Int64(file.content.count) : 0)
            precondition(archive_write_header(handle, entry) >= ARCHIVE_WARN)
            guard file.type == S_IFREG else { return }
            file.content.withUnsafeBytes { bytes in
                precondition(archive_write_data(handle, bytes.baseAddress, bytes.count) == bytes.count)
            }
        }
    }
#endif

#if Formats
    import CArchive
    import Foundation

    /// The formats that libarchive may read; its others hold no books.
    enum PackedFormat: Sendable, Hashable {
        case rar4
        case rar5
        case sevenZip
        case tar
        case gzippedTar

        /// The format of a file that begins with `head`, of which 16 KiB are enough; nil for anything else.
        init?(head: Data) {
            if head.starts(with: [0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x00]) {
                self = .rar4
            } else if head.starts(with: [0x52, 0x61, 0x72, 0x21, 0x1A, 0x07, 0x01, 0x00]) {
                self = .rar5
            } else if head.starts(with: [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]) {
                self = .sevenZip
            } else if head.dropFirst(257).starts(with: "ustar".utf8) {
                self = .tar
            } else if head.starts(with: [0x1F, 0x8B]), Self.isTarInside(head) {
                self = .gzippedTar
            } else {
                return nil
            }
        }

        /// Whether files are packed together, so that those in front of one must be unpacked to reach it. (RAR does not
        /// declare it.)
        var isSolid: Bool { self == .sevenZip || self == .gzippedTar }

        /// Whether libarchive keeps headers of any size in memory, such as maps of sparse files, so that their size
        /// must be limited.
        var hasEndlessHeaders: Bool { self == .tar || self == .gzippedTar }

        /// Allows `handle` to read only this format. Source: archive_read_format(3), archive_read_filter(3).
        func enable(on handle: OpaquePointer) {
            switch self {
            case .rar4: archive_read_support_format_rar(handle)
            case .rar5: archive_read_support_format_rar5(handle)
            case .sevenZip: archive_read_support_format_7zip(handle)
            case .tar: archive_read_support_format_tar(handle)
            case .gzippedTar:
                archive_read_support_filter_gzip(handle)
                archive_read_support_format_tar(handle)
            }
        }

        /// Returns whether the data in a gzip file begins with a TAR header.
        private static func isTarInside(_ head: Data) -> Bool {
            var start = [UInt8](repeating: 0, count: 512)
            guard let offset = lengthOfGzipHeader(Array(head.prefix(2_048))), var inflater = try? Inflater(path: "")
            else { return false }
            let step = head.dropFirst(offset).withUnsafeBytes { input in
                start.withUnsafeMutableBytes { output in try? inflater.inflate(input, into: output) }
            }
            return step?.produced == start.count && start.dropFirst(257).starts(with: "ustar".utf8)
        }

        /// Returns the length of the header before the deflate data (RFC 1952, section 2.3); nil if it exceeds `head`.
        private static func lengthOfGzipHeader(_ head: [UInt8]) -> Int? {
            guard head.count > 10, head[2] == 8 else { return nil }
            var length = 10
            // The flags announce an extra field, a name, a comment, and a checksum of the header.
            if head[3] & 4 != 0 {
                guard head.count > 12 else { return nil }
                length += 2 + Int(head[10]) + Int(head[11]) << 8
            }
            for flag in [8, 16] as [UInt8] where head[3] & flag != 0 {
                guard length < head.count, let end = head[length...].firstIndex(of: 0) else { return nil }
                length = end + 1
            }
            if head[3] & 2 != 0 { length += 2 }
            return length
        }
    }
#endif

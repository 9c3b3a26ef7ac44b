#if Formats
    import CArchive
    import Foundation

    /// The formats that libarchive is asked for; it knows more, of which none holds books.
    enum PackedFormat: Sendable, Hashable {
        case rar4
        case rar5
        case sevenZip
        case tar
        case gzippedTar

        /// What a file is that begins with `head`, of which 16 KiB are enough; nil for anything else.
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

        /// Whether files are packed together, so that those in front of one have to be unpacked to get at it. (RAR does
        /// not tell.)
        var isSolid: Bool { self == .sevenZip || self == .gzippedTar }

        /// Whether libarchive keeps as much of a header as it is told, such as maps of sparse files: so little may come
        /// before the next.
        var hasEndlessHeaders: Bool { self == .tar || self == .gzippedTar }

        /// Lets `handle` read this format and no other. Source: archive_read_format(3), archive_read_filter(3).
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

        /// Whether what was packed with gzip begins with a header of TAR.
        private static func isTarInside(_ head: Data) -> Bool {
            var start = [UInt8](repeating: 0, count: 512)
            guard let offset = lengthOfGzipHeader(Array(head.prefix(2_048))), var inflater = try? Inflater(path: "")
            else { return false }
            let step = head.dropFirst(offset).withUnsafeBytes { input in
                start.withUnsafeMutableBytes { output in try? inflater.inflate(input, into: output) }
            }
            return step?.produced == start.count && start.dropFirst(257).starts(with: "ustar".utf8)
        }

        /// What comes in front of the deflate data (RFC 1952, section 2.3); nil where it does not end within `head`.
        private static func lengthOfGzipHeader(_ head: [UInt8]) -> Int? {
            guard head.count > 10, head[2] == 8 else { return nil }
            var length = 10
            // Of the flags: an extra field, a name, a comment, and a checksum of the header.
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

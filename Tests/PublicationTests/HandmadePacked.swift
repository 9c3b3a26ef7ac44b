#if Formats
    import Foundation
    import SampleBooks

    /// A 7z archive whose list is written by hand (7zFormat.txt of the LZMA SDK).
    enum HandmadeSevenZip {
        static func data(packed: [UInt8] = [], list: [UInt8]) -> Data {
            let location =
                little(UInt64(packed.count)) + little(UInt64(list.count)) + little(Deflate.checksum(Data(list)))
            return Data(
                [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4] + little(Deflate.checksum(Data(location))) + location
                    + packed
                    + list)
        }

        /// As 7z writes any number that is too large for the shorter forms.
        static func number(_ value: Int) -> [UInt8] { [0xFF] + little(UInt64(value)) }

        /// One packed stream, of the given bytes, in one folder.
        static func streams(_ length: Int, folder: [UInt8], sizes: [Int], contents: [UInt8] = [8, 0]) -> [UInt8] {
            [6, 0, 1, 9] + number(length) + [0, 7, 0x0B, 1, 0] + folder + [0x0C] + sizes.flatMap(number) + [0]
                + contents + [0]
        }

        /// A folder whose one decoder passes on what comes.
        static let stored: [UInt8] = [1, 1, 0]

        /// A list that is packed itself, with the decoder that passes it on.
        static func packing(_ list: [UInt8]) -> Data {
            data(packed: list, list: [0x17] + streams(list.count, folder: stored, sizes: [list.count], contents: []))
        }

        /// A list of so many files, of which nothing more is said.
        static func list(files: Int) -> [UInt8] { [1, 5] + number(files) + [0, 0] }

        private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
    }

    /// TAR archives whose headers are written by hand (POSIX.1-2001, pax; GNU tar's manual, section “Sparse Formats”).
    enum HandmadeTAR {
        static func header(_ name: String, size: Int, type: Character) -> Data {
            var header = [UInt8](repeating: 0, count: 512)
            func put(_ text: String, at offset: Int) {
                header.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
            }
            put(name, at: 0)
            put("0000644", at: 100)
            put("0000000", at: 108)
            put("0000000", at: 116)
            put(octal(size, 11), at: 124)
            put("00000000000", at: 136)
            put("        ", at: 148)
            put(String(type), at: 156)
            put("ustar\u{0}00", at: 257)
            put(octal(header.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148)
            return Data(header)
        }

        /// A file that is said to have holes, with a map of them that is `count` entries long.
        static func sparse(holes count: Int) -> Data {
            let records = [
                "GNU.sparse.major=1", "GNU.sparse.minor=0", "GNU.sparse.name=a.jpg", "GNU.sparse.realsize=0",
            ].map(record)
                .joined()
            let map = padded(Data("\(count)\n".utf8) + Data(String(repeating: "0\n0\n", count: count).utf8))
            return header("pax", size: records.utf8.count, type: "x") + padded(Data(records.utf8))
                + header("a.jpg", size: map.count, type: "0") + map + Data(count: 1_024)
        }

        /// Packed by gzip (RFC 1952).
        static func gzipped(_ data: Data) -> Data {
            let length = withUnsafeBytes(of: UInt32(truncatingIfNeeded: data.count).littleEndian) { Data($0) }
            let sum = withUnsafeBytes(of: Deflate.checksum(data).littleEndian) { Data($0) }
            return Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]) + Deflate.pack(data) + sum + length
        }

        private static func record(_ text: String) -> String {
            // The length counts itself; all are between 10 and 99.
            "\(text.utf8.count + 4) \(text)\n"
        }

        private static func padded(_ data: Data) -> Data { data + Data(count: (512 - data.count % 512) % 512) }

        private static func octal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: digits - text.count) + text
        }
    }
#endif

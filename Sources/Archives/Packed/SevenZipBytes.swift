#if Formats
    /// The reason why the list of a 7z archive is not passed to libarchive.
    enum SevenZipFlaw: Error {
        /// It ends too early, or is inconsistent.
        case damaged
        /// It contains something that no packer is known to write.
        case unknown
        /// It would exceed this limit.
        case tooLarge(String)
    }

    /// Reads numbers from a list's bytes (7zFormat.txt of the LZMA SDK).
    struct SevenZipBytes {
        private let all: [UInt8]
        private(set) var position = 0

        init(_ bytes: [UInt8]) {
            all = bytes
        }

        mutating func byte() throws(SevenZipFlaw) -> UInt8 {
            guard position < all.count else { throw .damaged }
            defer { position += 1 }
            return all[position]
        }

        mutating func bytes(_ count: Int64) throws(SevenZipFlaw) -> ArraySlice<UInt8> {
            guard count >= 0, count <= Int64(all.count - position) else { throw .damaged }
            defer { position += Int(count) }
            return all[position..<position + Int(count)]
        }

        /// The leading ones of the first byte give the number of bytes that follow, lowest first; its other bits are
        /// the highest of the number.
        mutating func number() throws(SevenZipFlaw) -> Int64 {
            let first = try byte()
            var value: UInt64 = 0
            for index in 0..<8 {
                let mask = UInt8(0x80) >> UInt8(index)
                if first & mask == 0 {
                    value |= UInt64(first & (mask - 1)) << UInt64(8 * index)
                    break
                }
                value |= UInt64(try byte()) << UInt64(8 * index)
            }
            guard let number = Int64(exactly: value) else { throw .damaged }
            return number
        }

        /// Reads a count for which libarchive allocates memory.
        mutating func count(of name: String, upTo maxCount: Int64) throws(SevenZipFlaw) -> Int {
            let number = try number()
            guard number <= maxCount else { throw .tooLarge("more than \(maxCount) \(name)") }
            return Int(number)
        }

        /// Reads one bit for each of `count`, the highest first.
        mutating func bits(_ count: Int) throws(SevenZipFlaw) -> [Bool] {
            let packed = try bytes(Int64(count + 7) / 8)
            return (0..<count).map { packed[packed.startIndex + $0 / 8] & 0x80 >> UInt8($0 % 8) != 0 }
        }

        /// Skips checksums of some of `count`, and returns which ones have one.
        mutating func checksums(_ count: Int) throws(SevenZipFlaw) -> [Bool] {
            let areAllThere = try byte() != 0
            let areThere = areAllThere ? [Bool](repeating: true, count: count) : try bits(count)
            _ = try bytes(4 * Int64(areThere.count { $0 }))
            return areThere
        }

        /// Returns the bytes from `start` up to the current position.
        func taken(from start: Int) -> ArraySlice<UInt8> { all[start..<position] }
    }
#endif

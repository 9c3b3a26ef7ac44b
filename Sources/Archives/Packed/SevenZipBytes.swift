#if Formats
    /// Why the list of a 7z archive is not given to libarchive.
    enum SevenZipFlaw: Error {
        /// It ends too early, or says what makes no sense.
        case damaged
        /// Something that no packer is known to write.
        case unknown
        /// What it would take too much of.
        case tooLarge(String)
    }

    /// Takes numbers off the front of a list's bytes (7zFormat.txt of the LZMA SDK).
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

        /// As many bytes follow the first one as that has ones in front, lowest first; its other bits are the highest
        /// of the number.
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

        /// A number of things that libarchive makes room for.
        mutating func count(of name: String, upTo maxCount: Int64) throws(SevenZipFlaw) -> Int {
            let number = try number()
            guard number <= maxCount else { throw .tooLarge("more than \(maxCount) \(name)") }
            return Int(number)
        }

        /// One bit for each of `count`, the highest first.
        mutating func bits(_ count: Int) throws(SevenZipFlaw) -> [Bool] {
            let packed = try bytes(Int64(count + 7) / 8)
            return (0..<count).map { packed[packed.startIndex + $0 / 8] & 0x80 >> UInt8($0 % 8) != 0 }
        }

        /// Checksums of some of `count`; gives back of which.
        mutating func checksums(_ count: Int) throws(SevenZipFlaw) -> [Bool] {
            let areAllThere = try byte() != 0
            let areThere = areAllThere ? [Bool](repeating: true, count: count) : try bits(count)
            _ = try bytes(4 * Int64(areThere.count { $0 }))
            return areThere
        }

        /// The bytes from `start` to the ones taken last.
        func taken(from start: Int) -> ArraySlice<UInt8> { all[start..<position] }
    }
#endif

#if Formats
    /// Files that are packed together in a 7z archive, with their decoders.
    struct SevenZipFolder {
        /// The most memory of a decoder for unpacked data; 256 MiB, which is 7-Zip's own maximum.
        static let maxWindowSize: Int64 = 256 << 20
        /// The most bytes of streams that libarchive unpacks into memory as a whole; 64 MiB.
        static let maxHeldSize: Int64 = 64 << 20
        private static let maxCoders: Int64 = 4
        private static let maxStreams = 8

        /// The output size of each decoder.
        private(set) var sizes: [Int64]
        var hasChecksum = false
        /// Whether a decoder joins several streams (BCJ2): libarchive keeps all but one of them in memory.
        private let isJoined: Bool

        init(_ bytes: inout SevenZipBytes) throws(SevenZipFlaw) {
            let count = try bytes.number()
            guard (1...Self.maxCoders).contains(count) else { throw .unknown }
            var (inputs, outputs) = (0, 0)
            for _ in 0..<count {
                let flags = try bytes.byte()
                let identifier = Array(try bytes.bytes(Int64(flags & 0x0F)))
                let isSimple = flags & 0x10 == 0
                inputs += isSimple ? 1 : try bytes.count(of: "streams in a folder", upTo: Int64(Self.maxStreams))
                outputs += isSimple ? 1 : try bytes.count(of: "streams in a folder", upTo: Int64(Self.maxStreams))
                guard flags & 0xC0 == 0 else { throw .unknown }
                let properties = flags & 0x20 == 0 ? [] : Array(try bytes.bytes(try bytes.number()))
                guard Self.window(of: identifier, properties) <= Self.maxWindowSize else {
                    throw .tooLarge("more than \(Self.maxWindowSize) bytes of memory to be unpacked")
                }
            }
            guard outputs > 0, inputs >= outputs, inputs <= Self.maxStreams else { throw .damaged }
            let bound = outputs - 1
            for _ in 0..<2 * bound { _ = try bytes.number() }
            if inputs - bound > 1 { for _ in 0..<inputs - bound { _ = try bytes.number() } }
            sizes = [Int64](repeating: 0, count: outputs)
            isJoined = inputs - bound > 1
        }

        mutating func readSizes(_ bytes: inout SevenZipBytes) throws(SevenZipFlaw) {
            for index in sizes.indices { sizes[index] = try bytes.number() }
            // The largest is the one that is not kept.
            guard isJoined else { return }
            for size in sizes.sorted().dropLast() where size > Self.maxHeldSize {
                throw .tooLarge("more than \(Self.maxHeldSize) bytes of memory to be unpacked")
            }
        }

        /// Returns the memory that a decoder needs (LZMA SDK, Methods.txt and the decoders' own properties); 0 for
        /// those that need next to none.
        private static func window(of identifier: [UInt8], _ properties: [UInt8]) -> Int64 {
            switch identifier {
            case [0x03, 0x01, 0x01], [0x03, 0x04, 0x01]:
                // LZMA and PPMd: one byte, and the size.
                return properties.dropFirst().prefix(4).reversed().reduce(0) { $0 << 8 | Int64($1) }
            case [0x21]:
                // LZMA2: powers of two, and one and a half times those.
                guard let code = properties.first else { return 0 }
                return code >= 40 ? .max : Int64(2 | code & 1) << Int64(code / 2 + 11)
            default: return 0
            }
        }
    }
#endif

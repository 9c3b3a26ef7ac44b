import CZlib
public import Foundation

/// zlib's packing side, for what tests and samples make.
public enum Deflate {
    /// Raw deflate data (RFC 1951).
    ///
    /// - Parameters:
    ///   - hasFixedCodes: Whether each letter takes a length of its own that the content does not change.
    ///   - isEnd: False for a part that ends at a whole byte, refers to nothing in front of it, and is followed by
    ///     others.
    public static func pack(_ content: Data, level: Int32 = 6, hasFixedCodes: Bool = false, isEnd: Bool = true) -> Data
    {
        var stream = z_stream()
        precondition(carrel_deflate_raw_init(&stream, level) == Z_OK, "zlib has no memory")
        if hasFixedCodes { precondition(deflateParams(&stream, level, Z_FIXED) == Z_OK, "nothing was packed yet") }
        defer { deflateEnd(&stream) }
        // A part that is no end has an empty block behind it.
        var output = Data(count: Int(deflateBound(&stream, UInt(content.count))) + 16)
        let room = output.count
        content.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(room)
                let result = deflate(&stream, isEnd ? Z_FINISH : Z_FULL_FLUSH)
                precondition(
                    result == (isEnd ? Z_STREAM_END : Z_OK) && stream.avail_out > 0,
                    "deflateBound(3) promises enough room")
            }
        }
        return output.prefix(room - Int(stream.avail_out))
    }

    /// The CRC-32 that ZIP and PNG use.
    public static func checksum(_ content: Data) -> UInt32 {
        content.withUnsafeBytes {
            UInt32(truncatingIfNeeded: crc32_z(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count))
        }
    }

    /// The checksum of `count` times the content whose checksum is `checksum` and whose length is `length`.
    static func checksum(of count: Int, times checksum: UInt32, length: Int) -> UInt32 {
        UInt32(truncatingIfNeeded: (0..<count).reduce(0) { sum, _ in crc32_combine(sum, UInt(checksum), length) })
    }

    /// A zlib stream (RFC 1950), as PNG wants it.
    static func packZlib(_ content: Data) -> Data {
        let sum = content.withUnsafeBytes { adler32_z(1, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
        return Data([0x78, 0x9C]) + pack(content)
            + withUnsafeBytes(of: UInt32(truncatingIfNeeded: sum).bigEndian) { Data($0) }
    }
}

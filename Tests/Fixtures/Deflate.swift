import CZlib
public import Foundation

/// zlib's packing side, for what tests and samples make.
public enum Deflate {
    /// Raw deflate data (RFC 1951).
    public static func pack(_ content: Data, level: Int32 = 6) -> Data {
        var stream = z_stream()
        precondition(carrel_deflate_raw_init(&stream, level) == Z_OK, "zlib has no memory")
        defer { deflateEnd(&stream) }
        var output = Data(count: Int(deflateBound(&stream, UInt(content.count))))
        let room = output.count
        content.withUnsafeBytes { input in
            output.withUnsafeMutableBytes { output in
                stream.next_in = input.bindMemory(to: UInt8.self).baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(room)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflateBound(3) promises enough room")
            }
        }
        return output.prefix(room - Int(stream.avail_out))
    }

    /// The CRC-32 that ZIP and PNG use.
    public static func checksum(_ content: Data) -> UInt32 {
        content.withUnsafeBytes { UInt32(truncatingIfNeeded: crc32_z(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)) }
    }

    /// A zlib stream (RFC 1950), as PNG wants it.
    static func packZlib(_ content: Data) -> Data {
        let sum = content.withUnsafeBytes { adler32_z(1, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
        return Data([0x78, 0x9C]) + pack(content) + withUnsafeBytes(of: UInt32(truncatingIfNeeded: sum).bigEndian) { Data($0) }
    }
}

import CZlib
import FileProviderCore
import Foundation

/// Unpacks raw deflate data (RFC 1951), method 8 of ZIP (APPNOTE.TXT, section 4.4.5), piece by piece into the caller's buffers.
///
/// It holds about 40 KiB, whatever the data claims to become.
///
/// Unchecked: the pointer has one owner, which cannot be copied, and zlib does not care on which thread it is called.
struct Inflater: ~Copyable, @unchecked Sendable {
    /// What one call did.
    struct Step {
        /// Bytes taken from the input.
        var consumed: Int
        /// Bytes put into the output.
        var produced: Int
        /// Whether the data's own end mark was reached.
        var isAtEnd: Bool
    }

    /// On the heap: zlib remembers the address it was given, and the struct itself may move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let path: String

    /// - Parameter path: The entry's name, for messages.
    /// - Throws: `POSIXError(.ENOMEM)`.
    init(path: String) throws {
        self.path = path
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Every property is set by now, so a throw runs `deinit`, which frees the stream.
        guard carrel_inflate_raw_init(stream) == Z_OK else { throw POSIXError(.ENOMEM) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unpacks as much of `input` as fits into `output`; neither needs to be used up.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when `input` is no deflate data.
    mutating func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws -> Step {
        let given = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        // zlib refuses a null pointer even where it has nothing to read.
        let result = withUnsafePointer(to: UInt8(0)) { nothing in
            if stream.pointee.next_in == nil { stream.pointee.next_in = nothing }
            return CZlib.inflate(stream, Z_NO_FLUSH)
        }
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw damaged(result) }
        return Step(
            consumed: Int(given - stream.pointee.avail_in), produced: Int(room - stream.pointee.avail_out), isAtEnd: result == Z_STREAM_END)
    }

    private func damaged(_ result: Int32) -> CocoaError {
        let words = stream.pointee.msg.map { String(cString: $0) } ?? "zlib result \(result)"
        return FileError.make(
            .fileReadCorruptFile, path: path, sentence: "“\(path)” is damaged: its compressed data cannot be unpacked (\(words)).")
    }
}

/// The checksum of ZIP entries (APPNOTE.TXT, section 4.4.7).
struct CRC32 {
    private(set) var value: UInt32 = 0

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        value = UInt32(truncatingIfNeeded: crc32_z(UInt(value), start, bytes.count))
    }
}

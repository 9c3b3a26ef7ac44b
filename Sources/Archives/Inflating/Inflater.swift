import CZlib
import FileProviderCore
import Foundation

/// Unpacks raw deflate data (RFC 1951), method 8 of ZIP (APPNOTE.TXT, section 4.4.5), piece by piece into the caller's
/// buffers.
///
/// It takes about 40 KiB, whatever size the data claims.
///
/// Unchecked: the pointer has one owner, which cannot be copied, and zlib may be called on any thread.
struct Inflater: ~Copyable, @unchecked Sendable {
    /// The result of one call.
    struct Step {
        /// Bytes taken from the input.
        var consumed: Int
        /// Bytes put into the output.
        var produced: Int
        /// Whether the data's own end mark was reached.
        var isAtEnd: Bool
        /// Whether it stopped between two blocks, where a ``Checkpoint`` can be.
        var isBetweenBlocks: Bool
    }

    /// On the heap: zlib remembers the address it was given, and the struct itself may move.
    private let stream: UnsafeMutablePointer<z_stream>
    private let path: String
    /// The last byte of input, some bits of which may belong to the next block.
    private var lastByte: UInt8 = 0

    /// - Parameters:
    ///   - path: The entry's name, for messages.
    ///   - checkpoint: The position to begin at; nil for the start of the data.
    /// - Throws: `POSIXError(.ENOMEM)`; `CocoaError(.fileReadCorruptFile)` for a damaged checkpoint.
    init(path: String, from checkpoint: Checkpoint? = nil) throws {
        self.path = path
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // Every property is set by now, so a throw runs `deinit`, which frees the stream.
        guard carrel_inflate_raw_init(stream) == Z_OK else { throw POSIXError(.ENOMEM) }
        guard let checkpoint else { return }
        let window = try CheckpointWindow.unpack(checkpoint.window)
        let result = window.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return min(
                inflatePrime(stream, Int32(checkpoint.pendingBits), Int32(checkpoint.pending)),
                inflateSetDictionary(stream, start, UInt32(bytes.count)))
        }
        guard result == Z_OK else { throw damaged(result) }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Unpacks as much of `input` as fits into `output`; neither needs to be used up.
    ///
    /// - Parameter stopsBetweenBlocks: Whether to stop at the next end of a block, too.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `input` is not deflate data.
    mutating func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, stopsBetweenBlocks: Bool = false
    ) throws -> Step {
        let given = UInt32(clamping: input.count)
        let room = UInt32(clamping: output.count)
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = given
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = room
        // zlib refuses a null pointer even if there is nothing to read.
        let result = withUnsafePointer(to: UInt8(0)) { nothing in
            if stream.pointee.next_in == nil { stream.pointee.next_in = nothing }
            return CZlib.inflate(stream, stopsBetweenBlocks ? Z_BLOCK : Z_NO_FLUSH)
        }
        guard [Z_OK, Z_STREAM_END, Z_BUF_ERROR].contains(result) else { throw damaged(result) }
        let consumed = Int(given - stream.pointee.avail_in)
        if consumed > 0 { lastByte = input[consumed - 1] }
        return Step(
            consumed: consumed, produced: Int(room - stream.pointee.avail_out), isAtEnd: result == Z_STREAM_END,
            isBetweenBlocks: stream.pointee.data_type & (Self.betweenBlocks | Self.inLastBlock) == Self.betweenBlocks)
    }

    /// Returns a checkpoint after a step that stopped between blocks; nil if less than a window was unpacked.
    ///
    /// - Complexity: About 0.5 ms, for packing the window.
    mutating func checkpoint(compressed: Int64, uncompressed: Int64) -> Checkpoint? {
        guard let window = CheckpointWindow.pack({ inflateGetDictionary(stream, $0, $1) }) else { return nil }
        let bits = UInt8(truncatingIfNeeded: stream.pointee.data_type & Self.unusedBits)
        return Checkpoint(
            compressed: compressed, uncompressed: uncompressed, pendingBits: bits,
            pending: bits == 0 ? 0 : lastByte >> (8 - bits), window: window)
    }

    // A bit that zlib sets in `data_type` after each call (zlib.h, at `inflate`).
    private static let betweenBlocks: Int32 = 128
    private static let inLastBlock: Int32 = 64
    private static let unusedBits: Int32 = 7

    private func damaged(_ result: Int32) -> CocoaError {
        let words = stream.pointee.msg.map { String(cString: $0) } ?? "zlib result \(result)"
        return FileError.make(
            .fileReadCorruptFile, path: path,
            sentence: "“\(path)” is damaged: its compressed data cannot be unpacked (\(words)).")
    }
}

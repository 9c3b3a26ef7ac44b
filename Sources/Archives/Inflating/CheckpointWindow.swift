import CZlib
import FileProviderCore
import Foundation

/// The 32 KiB that deflate data may refer back to (RFC 1951, section 3.2.5), packed for storage.
enum CheckpointWindow {
    static let length = 32 << 10
    /// The largest packed window: incompressible data grows by a few bytes.
    static let maxPackedSize = length + 64

    /// Packs the window that `fill` copies to the given address, together with its length.
    ///
    /// - Parameter fill: As `inflateGetDictionary` of zlib.
    /// - Returns: Nil if the window is not full, or memory is exhausted.
    static func pack(_ fill: (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>) -> Int32) -> Data? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { window in
            guard let start = window.baseAddress else { return nil }
            var count: UInt32 = 0
            guard fill(start, &count) == Z_OK, count == length else { return nil }
            return pack(UnsafeBufferPointer(window))
        }
    }

    /// Uses zlib's fastest level: a pass makes many windows, and most are never used.
    private static func pack(_ window: UnsafeBufferPointer<UInt8>) -> Data? {
        var stream = z_stream()
        guard carrel_deflate_raw_init(&stream, Z_BEST_SPEED) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: maxPackedSize) { output in
            stream.next_in = window.baseAddress
            stream.avail_in = UInt32(window.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            guard deflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
            return Data(
                UnsafeRawBufferPointer(
                    rebasing: UnsafeRawBufferPointer(output)[..<(output.count - Int(stream.avail_out))]))
        }
    }

    /// - Throws: `CocoaError(.fileReadCorruptFile)` if `packed` is not a packed window.
    static func unpack(_ packed: Data) throws -> Data {
        var window = Data(count: length)
        var inflater = try Inflater(path: "")
        let step = try packed.withUnsafeBytes { input in
            try window.withUnsafeMutableBytes { try inflater.inflate(input, into: $0) }
        }
        guard step.produced == length else {
            throw FileError.make(
                .fileReadCorruptFile, path: "", sentence: "A stored checkpoint is damaged.")
        }
        return window
    }
}

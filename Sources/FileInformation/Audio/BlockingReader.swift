import FileProviderCore
import Foundation
import Publication

/// Reads a file for code with blocking callbacks: used on a thread that may block, never on Swift's shared ones.
final class BlockingReader: Sendable {
    private let cached: CachedFileReader
    private let flag: CancellationFlag

    /// Small reads fetch a whole block of 16 KiB, because parsers also go backwards in small steps.
    private static let block: Int64 = 16 << 10

    private let waiting = TaskWait()
    private let lastFailure = LockedValue<(any Error)?>(nil)

    /// - Parameter flag: The flag of the thread's work; ``cancel()`` ends a read that is under way.
    init(_ reader: any FileReader, flag: CancellationFlag) {
        cached = CachedFileReader(reader)
        self.flag = flag
    }

    /// The error with which reading failed, if it did.
    var failure: (any Error)? { lastFailure.value }

    /// Copies up to `buffer.count` bytes from `offset` on into `buffer`, and blocks until they arrive.
    ///
    /// - Returns: The number of bytes; nil after a failure, which ``failure`` keeps.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let wanted = offset..<offset + Int64(buffer.count)
        let range = Self.blocks(around: wanted)
        do {
            let data = try waiting.value(isCancelled: { [flag] in flag.isCancelled }) { [cached] in
                try await cached.read([range])[0]
            }
            .dropFirst(Int(wanted.lowerBound - range.lowerBound)).prefix(wanted.count)
            data.copyBytes(to: buffer)
            return data.count
        } catch {
            lastFailure.update { $0 = error }
            return nil
        }
    }

    private static func blocks(around range: Range<Int64>) -> Range<Int64> {
        guard range.count <= 4 * block else { return range }
        return range.lowerBound / block * block..<(range.upperBound + block - 1) / block * block
    }

    /// Ends the current read. May be called from any thread.
    func cancel() {
        flag.cancel()
        waiting.cancel()
    }
}

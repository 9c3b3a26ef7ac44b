import FileProviderCore
import Foundation
import Publication

/// A file for code that reads by calling back and waits for the bytes: used on a thread that may wait, never on Swift's
/// shared ones.
final class BlockingReader: Sendable {
    private let cached: CachedFileReader
    private let flag: CancellationFlag

    /// Parsers go backwards in small steps, too: what is read is the whole of such a block, 16 KiB, if it is small.
    private static let block: Int64 = 16 << 10

    private let waiting = TaskWait()
    private let lastFailure = LockedValue<(any Error)?>(nil)

    /// - Parameter flag: That of the thread's work; ``cancel()`` ends a read that is under way.
    init(_ reader: any FileReader, flag: CancellationFlag) {
        cached = CachedFileReader(reader)
        self.flag = flag
    }

    /// Why reading failed, if it did.
    var failure: (any Error)? { lastFailure.value }

    /// Copies up to `buffer.count` bytes from `offset` on into `buffer`, and waits for them.
    ///
    /// - Returns: How many came; nil after a failure, which ``failure`` keeps.
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

    /// Ends the read under way; called from any thread.
    func cancel() {
        flag.cancel()
        waiting.cancel()
    }
}

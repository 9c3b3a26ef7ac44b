import FileProviderCore
import Foundation
import Publication

/// A file for code that reads by calling back and waits for the bytes: used on a thread that may wait, never on Swift's shared ones.
final class BlockingReader: Sendable {
    private let cached: CachedFileReader
    private let flag: CancellationFlag
    private let state = Locked(State())

    /// Parsers go backwards in small steps, too: what is read is the whole of such a block, 16 KiB, if it is small.
    private static let block: Int64 = 16 << 10

    private struct State: Sendable {
        var underWay: Task<Void, Never>?
        var failure: (any Error)?
    }

    /// - Parameter flag: That of the thread's work; ``cancel()`` ends a read that is under way.
    init(_ reader: any FileReader, flag: CancellationFlag) {
        cached = CachedFileReader(reader)
        self.flag = flag
    }

    /// Why reading failed, if it did.
    var failure: (any Error)? { state.value.failure }

    /// Copies up to `buffer.count` bytes from `offset` on into `buffer`, and waits for them.
    ///
    /// - Returns: How many came; nil after a failure, which ``failure`` keeps.
    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let result = Locked<Result<Data, any Error>?>(nil)
        let done = DispatchSemaphore(value: 0)
        let wanted = offset..<offset + Int64(buffer.count)
        let range = Self.blocks(around: wanted)
        let task = Task { [cached] in
            do {
                let data = try await cached.read([range])[0]
                result.update { $0 = .success(data.dropFirst(Int(wanted.lowerBound - range.lowerBound)).prefix(wanted.count)) }
            } catch {
                result.update { $0 = .failure(error) }
            }
            done.signal()
        }
        state.update { $0.underWay = task }
        // Cancelled before the task was known to `cancel()`.
        if flag.isCancelled { task.cancel() }
        done.wait()
        switch result.value {
        case .success(let data):
            data.copyBytes(to: buffer)
            return data.count
        case .failure(let error):
            state.update { $0.failure = error }
            return nil
        case nil: return nil
        }
    }

    private static func blocks(around range: Range<Int64>) -> Range<Int64> {
        guard range.count <= 4 * block else { return range }
        return range.lowerBound / block * block..<(range.upperBound + block - 1) / block * block
    }

    /// Ends the read under way; called from any thread.
    func cancel() {
        flag.cancel()
        state.value.underWay?.cancel()
    }
}

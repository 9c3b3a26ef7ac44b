package import FileProviderCore
package import Foundation
import Synchronization

/// Bytes to write that a test makes fail, stop, sleep, grow, or be others than they say.
package final class ScriptedSource: WriteSource {
    /// What comes after the bytes.
    package enum Ending: Sendable {
        case end
        case failure(any Error)
        /// Nothing, for ever.
        case sleep

        /// A lost connection.
        package static var lost: Ending { .failure(URLError(.networkConnectionLost)) }
    }

    package let length: Int64?
    package let isRepeatable: Bool
    private let data: Data
    private let ending: Ending
    private let onBegin: (@Sendable () -> Void)?
    private let starts = Mutex<[Int64]>([])
    private let ended = AsyncStream<Never>.makeStream()

    /// - Parameters:
    ///   - length: What the source says of itself.
    ///   - end: After how many of the bytes `ending` comes.
    ///   - onBegin: Called each time that bytes are asked for.
    package init(
        _ data: Data, length: Int64?, isRepeatable: Bool = true, end: Int = .max, then ending: Ending = .end,
        onBegin: (@Sendable () -> Void)? = nil
    ) {
        self.data = data.prefix(end)
        self.length = length
        self.isRepeatable = isRepeatable
        self.ending = ending
        self.onBegin = onBegin
    }

    /// Says how long `data` is.
    package convenience init(
        _ data: Data, isRepeatable: Bool = true, end: Int = .max, then ending: Ending = .end,
        onBegin: (@Sendable () -> Void)? = nil
    ) {
        self.init(data, length: Int64(data.count), isRepeatable: isRepeatable, end: end, then: ending, onBegin: onBegin)
    }

    /// From where it was read, in order.
    package var begun: [Int64] { starts.withLock { $0 } }

    /// Suspends until all bytes were taken.
    package func waitForEnd() async { for await _ in ended.stream {} }

    package func bytes(from offset: Int64) throws -> any ByteSource {
        starts.withLock { $0.append(offset) }
        onBegin?()
        return Bytes(self, data.dropFirst(Int(offset)))
    }

    private final class Bytes: ByteSource {
        private let source: ScriptedSource
        private let rest: Mutex<Data>

        init(_ source: ScriptedSource, _ rest: Data) {
            self.source = source
            self.rest = Mutex(rest)
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) throws -> SourceStep {
            let count = rest.withLock { rest in
                let piece = rest.prefix(min(buffer.count, 100_000))
                piece.copyBytes(to: buffer)
                rest = rest.dropFirst(piece.count)
                return piece.count
            }
            if count > 0 { return .bytes(count) }
            source.ended.continuation.finish()
            switch source.ending {
            case .end: return .end
            case .failure(let error): throw error
            case .sleep: return .wait
            }
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) {
            if case .sleep = source.ending, rest.withLock(\.isEmpty) { return }
            resume()
        }
    }
}

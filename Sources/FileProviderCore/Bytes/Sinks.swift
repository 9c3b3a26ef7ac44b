public import Foundation
import Synchronization

/// Collects bytes in memory, up to a limit.
public final class DataSink: ByteSink {
    private let collected = Mutex(Data())
    private let limit: Int

    /// - Parameter limit: The most bytes to collect; one more fails the transfer.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The bytes collected so far.
    public var data: Data { collected.withLock { $0 } }

    /// - Throws: `CocoaError(.fileReadTooLarge)` past the limit.
    public func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try collected.withLock { data in
            guard data.count + bytes.count <= limit else {
                throw FileError.make(
                    .fileReadTooLarge, path: "",
                    sentence: "More than \(limit) bytes arrived, which is the limit here. Stream the file instead.")
            }
            data.append(contentsOf: bytes)
        }
        return .ready
    }
}

/// Accepts bytes and discards them.
public final class DiscardingSink: ByteSink {
    /// A sink for any number of reads, because it holds nothing.
    public init() {}

    /// Never waits and never throws.
    public func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState { .ready }
}

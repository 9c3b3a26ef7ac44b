public import Foundation
import Synchronization

/// Collects bytes in memory, up to a limit.
public final class DataSink: ByteSink {
    private let collected = Mutex(Data())
    private let limit: Int

    /// - Parameter limit: The most bytes that are taken; one more fails the transfer.
    public init(limit: Int) {
        self.limit = limit
    }

    /// What has come so far.
    public var data: Data { collected.withLock { $0 } }

    /// - Throws: `CocoaError(.fileReadTooLarge)` past the limit.
    public func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        try collected.withLock { data in
            guard data.count + bytes.count <= limit else {
                throw FileError.make(
                    .fileReadTooLarge, path: "", sentence: "More than \(limit) bytes came where at most so many were expected.")
            }
            data.append(contentsOf: bytes)
        }
        return .ready
    }
}

/// Passes bytes on and counts them into a progress.
final class CountingSink: ByteSink {
    private let base: any ByteSink
    private let progress: ProgressReporter

    init(_ base: any ByteSink, progress: ProgressReporter) {
        self.base = base
        self.progress = progress
    }

    func begin(_ extent: FileExtent) throws {
        progress.expect(extent.count < 0 ? nil : extent.count)
        try base.begin(extent)
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flow = try base.write(bytes)
        progress.advance(by: Int64(bytes.count))
        return flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}

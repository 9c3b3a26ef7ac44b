import FileProviderCore
import Foundation
import Synchronization

/// Strips a local header from the incoming bytes, and passes on a counted number of the bytes after it.
final class EntryDataSink: ByteSink {
    fileprivate struct State {
        var header: [UInt8] = []
        /// Bytes of the header's name and extra field that are still to be skipped; nil before its fixed part has
        /// arrived.
        var toSkip: Int64?
        var headerLength: Int64?
        var delivered: Int64 = 0
    }

    private let state = Mutex(State())
    private let base: any ByteSink
    private let count: Int64

    init(_ base: any ByteSink, count: Int64) {
        self.base = base
        self.count = count
    }

    /// The length of the header; nil if there was none.
    var headerLength: Int64? { state.withLock { $0.headerLength } }

    /// Bytes passed on.
    var delivered: Int64 { state.withLock { $0.delivered } }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        // Calls are sequential, so the base need not be called under the lock.
        let data = state.withLock { $0.part(of: bytes.count, in: bytes, count: count) }
        guard !data.isEmpty else { return .ready }
        return try base.write(UnsafeRawBufferPointer(rebasing: bytes[data]))
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}

extension EntryDataSink.State {
    /// The part of `bytes` that is the entry's data.
    fileprivate mutating func part(of length: Int, in bytes: UnsafeRawBufferPointer, count: Int64) -> Range<Int> {
        var start = 0
        if toSkip == nil {
            start = min(ZIPRecord.localHeaderLength - header.count, length)
            header += bytes[..<start]
            guard header.count == ZIPRecord.localHeaderLength else { return 0..<0 }
            headerLength = header.withUnsafeBytes { ZIPRecord.lengthOfLocalHeader($0) }
            toSkip = headerLength.map { $0 - Int64(ZIPRecord.localHeaderLength) } ?? .max
        }
        let skipped = Int(min(toSkip ?? 0, Int64(length - start)))
        toSkip = (toSkip ?? 0) - Int64(skipped)
        start += skipped
        let end = start + Int(min(count - delivered, Int64(length - start)))
        delivered += Int64(end - start)
        return start..<end
    }
}

/// Announces an entry's bytes, passes them on and computes their checksum.
final class CheckingSink: ByteSink {
    private let state = Mutex((checksum: CRC32(), hasBegun: false))
    private let base: any ByteSink
    private let extent: FileExtent

    init(_ base: any ByteSink, extent: FileExtent) {
        self.base = base
        self.extent = extent
    }

    /// CRC-32 of the bytes so far.
    var checksum: UInt32 { state.withLock { $0.checksum.value } }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let isFirst = state.withLock { state in
            state.checksum.update(bytes)
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { try base.begin(extent) }
        return try base.write(bytes)
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}

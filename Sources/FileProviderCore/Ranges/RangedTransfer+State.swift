import Foundation

extension RangedTransfer {
    /// What the transports' threads and the transfer's task share.
    struct State: Sendable {
        /// The extent of the first stream; nil before it has begun.
        var extent: FileExtent?
        /// The first stream's offset in the file.
        var position: Int64 = 0
        /// Bytes that arrived, over all streams.
        var arrived: Int64 = 0
        /// Streams that deliver bytes now.
        var active = 0
        /// Nil if one stream is enough.
        var pace: RangePace?
        /// The offset at which the first stream ends, if the range there has begun by then.
        var boundary: Int64?
        var successor: RangeBuffer?
        /// Whether the first stream was ended at the boundary.
        var isCut = false
        /// Whether the sink was full then.
        var isFull = false

        /// - Returns: As ``RangePace/note(arrived:left:at:)``.
        mutating func came(_ count: Int, at time: Double) -> Bool {
            arrived += Int64(count)
            guard let extent else { return false }
            return pace?.note(arrived: arrived, left: extent.count - arrived, at: time) ?? false
        }

        /// Measures more ranges only after the first stream is over: before, those that are held wait for it.
        mutating func began(at time: Double) {
            active += 1
            if isCut { pace?.run(active, at: time) }
        }

        /// Gives the first stream the whole rest of the file again.
        ///
        /// - Returns: False if it is over.
        mutating func leaveToHead() -> Bool {
            if isCut { return false }
            (boundary, successor) = (nil, nil)
            pace?.settle(for: 1)
            return true
        }

        /// Returns how many of the next `count` bytes of the first stream the sink gets; nil if the range at the
        /// boundary is late.
        func wanted(of count: Int) -> Int? {
            guard let boundary, position + Int64(count) > boundary else { return count }
            return successor?.hasBegun == true ? Int(boundary - position) : nil
        }
    }

    /// Passes on the bytes of the first stream, up to the boundary.
    final class Head: ByteSink {
        private let base: any ByteSink
        private let transfer: RangedTransfer

        init(_ base: any ByteSink, _ transfer: RangedTransfer) {
            self.base = base
            self.transfer = transfer
        }

        func begin(_ extent: FileExtent) throws {
            transfer.begin(extent)
            try base.begin(extent)
        }

        /// - Throws: `CancellationError` at the boundary, which ends a download without an error.
        func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
            let wanted = transfer.wanted(of: bytes.count)
            let isEnd = wanted < bytes.count
            let flow = wanted == 0 ? .ready : try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<wanted]))
            transfer.passed(wanted, isEnd: isEnd, isFull: flow == .wait)
            if isEnd { throw CancellationError() }
            return flow
        }

        func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
    }
}

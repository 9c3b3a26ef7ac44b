import FileProviderCore
import Foundation
import Synchronization

/// What one reader wants of an entry, and where it goes.
final class EntryRead: Sendable {
    let extent: FileExtent
    let sink: any ByteSink
    private let state = Mutex((hasBegun: false, hasDelivered: false))

    init(_ extent: FileExtent, into sink: any ByteSink) {
        self.extent = extent
        self.sink = sink
    }

    var isWhole: Bool { extent.count == extent.size }
    var wanted: Range<Int64> { extent.offset..<extent.offset + extent.count }
    /// Whether the sink has bytes, so that there is no way back.
    var hasDelivered: Bool { state.withLock { $0.hasDelivered } }

    fileprivate func begin() throws {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { try sink.begin(extent) }
    }

    /// Gives the sink what it wants of `bytes`, which start at `offset` of the entry.
    fileprivate func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws -> FlowState {
        let part = wanted.clamped(to: offset..<offset + Int64(bytes.count))
        guard !part.isEmpty else { return .ready }
        state.withLock { $0.hasDelivered = true }
        return try sink.write(
            UnsafeRawBufferPointer(rebasing: bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]))
    }
}

/// One way through a deflated entry, from its start or a checkpoint on: unpacks, drops what is not wanted, counts and
/// checks. Readers may use it one after the other, each going on where the last one stopped.
final class InflatingPass: Sendable {
    enum Outcome: Sendable {
        case needsInput
        case sinkIsFull
        case done
    }

    /// How far it has come, in both kinds of bytes.
    struct Position: Sendable {
        var compressed: Int64 = 0
        var uncompressed: Int64 = 0

        fileprivate func isFar(from other: Position) -> Bool {
            max(compressed - other.compressed, uncompressed - other.uncompressed) >= CheckpointIndex.usualSpacing
        }
    }

    private struct State: ~Copyable, Sendable {
        var inflater: Inflater
        let buffer = OutputBuffer()
        var position: Position
        /// Where the last checkpoint was, or could have been.
        var lastMark: Position
        var checksum = CRC32()
        /// Compressed bytes of the pieces before.
        var recent = RecentBytes()
    }

    let entry: ZIPEntry
    private let state: Mutex<State>

    /// - Parameter checkpoint: Where to begin; nil for the start of the entry.
    init(_ entry: ZIPEntry, from checkpoint: Checkpoint? = nil) throws {
        self.entry = entry
        let position =
            checkpoint.map { Position(compressed: $0.compressed, uncompressed: $0.uncompressed) } ?? Position()
        state = Mutex(
            State(inflater: try Inflater(path: entry.path, from: checkpoint), position: position, lastMark: position))
    }

    var position: Position { state.withLock { $0.position } }

    /// Unpacks `input`, which goes on where the last one was used up, as far as the reader wants more.
    ///
    /// - Parameter checkpoints: Gets those that are found on the way.
    /// - Returns: Bytes of `input` used, and why it stopped.
    func run(
        _ input: Data, for reading: EntryRead, noting checkpoints: ArchiveCheckpoints, flag: CancellationFlag
    ) throws -> (used: Int, outcome: Outcome) {
        try reading.begin()
        return try input.withUnsafeBytes { input in
            // One pass is run by one task, so nobody else waits for this lock while the sink blocks.
            try state.withLock { state in try run(input, &state, reading, checkpoints, flag) }
        }
    }

    private func run(
        _ input: UnsafeRawBufferPointer, _ state: inout State, _ reading: EntryRead, _ checkpoints: ArchiveCheckpoints,
        _ flag: CancellationFlag
    ) throws -> (used: Int, outcome: Outcome) {
        var used = 0
        defer { if checkpoints.covers(entry) { state.recent.append(UnsafeRawBufferPointer(rebasing: input[..<used])) } }
        while true {
            try flag.check()
            let output = state.buffer.bytes(
                upTo: reading.isWhole ? .max : reading.wanted.upperBound - state.position.uncompressed)
            let isLooking = checkpoints.covers(entry) && state.position.isFar(from: state.lastMark)
            let rest = UnsafeRawBufferPointer(rebasing: input[used...])
            let step = try state.inflater.inflate(rest, into: output, stopsBetweenBlocks: isLooking)
            used += step.consumed
            let start = state.position.uncompressed
            state.position.compressed += Int64(step.consumed)
            state.position.uncompressed += Int64(step.produced)
            let flow = try take(UnsafeRawBufferPointer(rebasing: output[..<step.produced]), at: start, &state, reading)
            let isMark = isLooking && step.isBetweenBlocks
            if isMark { note(&state, UnsafeRawBufferPointer(rebasing: input[..<used]), checkpoints) }
            if try isDone(step, state, reading) { return (used, .done) }
            if flow == .wait { return (used, .sinkIsFull) }
            if isMark { continue }
            if step.produced < output.count, used == input.count { return (used, .needsInput) }
            if step.produced == 0, step.consumed == 0 { throw entry.damaged("its compressed data makes no progress") }
        }
    }

    private func note(_ state: inout State, _ input: UnsafeRawBufferPointer, _ checkpoints: ArchiveCheckpoints) {
        let position = state.position
        state.lastMark = position
        guard checkpoints.wants(position, of: entry) else { return }
        var point = state.inflater.checkpoint(compressed: position.compressed, uncompressed: position.uncompressed)
        point?.approach = state.recent.approach(to: input)
        if let point { checkpoints.add(point, of: entry) }
    }

    /// Counts new output, and gives the reader what of it is wanted.
    private func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ state: inout State, _ reading: EntryRead)
        throws -> FlowState
    {
        guard state.position.uncompressed <= entry.uncompressedSize else {
            throw entry.damaged("it unpacks to more than the \(entry.uncompressedSize) bytes that the directory says")
        }
        if reading.isWhole { state.checksum.update(bytes) }
        return try reading.take(bytes, at: offset)
    }

    /// Whether all bytes of the entry have come, and are right, without an end mark behind them: some writers leave out
    /// the final block.
    var isWholeWithoutEnd: Bool {
        state.withLock { $0.position.uncompressed == entry.uncompressedSize && $0.checksum.value == entry.checksum }
    }

    /// Whether all has come; an entry that is read whole has to end where it should, and to have its checksum.
    private func isDone(_ step: Inflater.Step, _ state: borrowing State, _ reading: EntryRead) throws -> Bool {
        let produced = state.position.uncompressed
        guard reading.isWhole else {
            if produced >= reading.wanted.upperBound { return true }
            if step.isAtEnd {
                throw entry.damaged("it unpacks to \(produced) bytes, and the directory says \(entry.uncompressedSize)")
            }
            return false
        }
        guard step.isAtEnd else { return false }
        guard produced == entry.uncompressedSize else {
            throw entry.damaged("it unpacks to \(produced) bytes, and the directory says \(entry.uncompressedSize)")
        }
        guard state.checksum.value == entry.checksum else { throw entry.damaged("its checksum is wrong") }
        return true
    }
}

/// 64 KiB to unpack into.
///
/// Unchecked: the memory has one owner, which cannot be copied.
private struct OutputBuffer: ~Copyable, @unchecked Sendable {
    private let all = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// As much of it as may be filled now.
    func bytes(upTo count: Int64) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: all[..<Int(min(Int64(all.count), max(0, count)))])
    }

    deinit {
        all.deallocate()
    }
}

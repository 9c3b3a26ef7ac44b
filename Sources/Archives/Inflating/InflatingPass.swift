import FileProviderCore
import Foundation
import Synchronization

/// The part of an entry that one reader wants, and its sink.
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
    /// Whether the sink has received bytes, so that the read cannot start over.
    var hasDelivered: Bool { state.withLock { $0.hasDelivered } }

    fileprivate func begin() throws {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        if isFirst { try sink.begin(extent) }
    }

    /// Sends the wanted part of `bytes`, which start at `offset` of the entry, to the sink.
    fileprivate func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws -> FlowState {
        let part = wanted.clamped(to: offset..<offset + Int64(bytes.count))
        guard !part.isEmpty else { return .ready }
        state.withLock { $0.hasDelivered = true }
        return try sink.write(
            UnsafeRawBufferPointer(rebasing: bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]))
    }
}

/// A single pass through a deflated entry, from its start or a checkpoint: unpacks, drops unwanted bytes, counts and
/// verifies. Readers may use it in turn, each continuing where the last one stopped.
final class InflatingPass: Sendable {
    enum Outcome: Sendable {
        case needsInput
        case sinkIsFull
        case done
    }

    /// The progress of a pass, in both kinds of bytes.
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
        /// The position of the last checkpoint, taken or not.
        var lastMark: Position
        var checksum = CRC32()
        /// The last compressed bytes of earlier pieces.
        var recent = RecentBytes()
    }

    let entry: ZIPEntry
    private let state: Mutex<State>

    /// - Parameter checkpoint: The position to begin at; nil for the start of the entry.
    init(_ entry: ZIPEntry, from checkpoint: Checkpoint? = nil) throws {
        self.entry = entry
        let position =
            checkpoint.map { Position(compressed: $0.compressed, uncompressed: $0.uncompressed) } ?? Position()
        state = Mutex(
            State(inflater: try Inflater(path: entry.path, from: checkpoint), position: position, lastMark: position))
    }

    var position: Position { state.withLock { $0.position } }

    /// Unpacks `input`, which continues the previous one, as long as the reader wants more.
    ///
    /// - Parameter checkpoints: Receives the checkpoints that are found.
    /// - Returns: Bytes of `input` used, and why it stopped.
    func run(
        _ input: Data, for reading: EntryRead, noting checkpoints: ArchiveCheckpoints, flag: CancellationFlag
    ) throws -> (used: Int, outcome: Outcome) {
        try reading.begin()
        return try input.withUnsafeBytes { input in
            // A pass is run by one task at a time, so this lock is uncontended while the sink blocks.
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

    /// Counts new output, and sends the reader its wanted part.
    private func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ state: inout State, _ reading: EntryRead)
        throws -> FlowState
    {
        guard state.position.uncompressed <= entry.uncompressedSize else {
            throw entry.damaged("it unpacks to more than the \(entry.uncompressedSize) bytes in the directory")
        }
        if reading.isWhole { state.checksum.update(bytes) }
        return try reading.take(bytes, at: offset)
    }

    /// Whether all bytes of the entry were unpacked and match the checksum, without an end mark behind them: some
    /// writers omit the final block.
    var isWholeWithoutEnd: Bool {
        state.withLock { $0.position.uncompressed == entry.uncompressedSize && $0.checksum.value == entry.checksum }
    }

    /// Returns whether all wanted bytes were unpacked. An entry that is read whole must end where it should, and match
    /// its checksum.
    private func isDone(_ step: Inflater.Step, _ state: borrowing State, _ reading: EntryRead) throws -> Bool {
        let produced = state.position.uncompressed
        guard reading.isWhole else {
            if produced >= reading.wanted.upperBound { return true }
            if step.isAtEnd {
                throw entry.damaged(
                    "it unpacks to \(produced) bytes instead of the \(entry.uncompressedSize) in the directory")
            }
            return false
        }
        guard step.isAtEnd else { return false }
        guard produced == entry.uncompressedSize else {
            throw entry.damaged(
                "it unpacks to \(produced) bytes instead of the \(entry.uncompressedSize) in the directory")
        }
        guard state.checksum.value == entry.checksum else { throw entry.damaged("its checksum is wrong") }
        return true
    }
}

/// 64 KiB to unpack into.
///
/// Unchecked: the memory has one owner, which cannot be copied.
struct OutputBuffer: ~Copyable, @unchecked Sendable {
    private let all = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Returns the part of the buffer that may be filled now.
    func bytes(upTo count: Int64) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: all[..<Int(min(Int64(all.count), max(0, count)))])
    }

    deinit {
        all.deallocate()
    }
}

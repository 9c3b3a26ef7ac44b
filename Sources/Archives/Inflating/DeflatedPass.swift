import FileProviderCore
import Foundation
import Synchronization

/// A single pass through raw deflate data that no archive describes: unpacks, drops unwanted bytes, and stops at the
/// limits. Used by one task at a time.
final class DeflatedPass: Sendable {
    private struct State: ~Copyable, Sendable {
        var inflater: Inflater
        let buffer = OutputBuffer()
        var compressed: Int64
        var uncompressed: Int64
        /// The position of the last checkpoint, taken or not.
        var lastMark: (compressed: Int64, uncompressed: Int64)
        var isAtEnd = false
        var hasBegun = false

        var isFarFromMark: Bool {
            max(compressed - lastMark.compressed, uncompressed - lastMark.uncompressed) >= MemoryCheckpoints.spacing
        }
    }

    private let path: String
    private let wanted: Range<Int64>
    /// The unpacked length, if it is known.
    private let length: Int64?
    private let limits: ArchiveLimits
    private let checkpoints: MemoryCheckpoints
    private let sink: any ByteSink
    private let state: Mutex<State>

    /// - Parameters:
    ///   - wanted: The part for the sink, not empty. With `Int64.max` as its end, everything up to the end.
    ///   - length: The unpacked length, if it is known.
    init(
        _ path: String, wanted: Range<Int64>, length: Int64?, limits: ArchiveLimits, checkpoints: MemoryCheckpoints,
        into sink: any ByteSink
    ) throws {
        self.path = path
        self.wanted = wanted
        self.length = length
        self.limits = limits
        self.checkpoints = checkpoints
        self.sink = sink
        let start = wanted == 0..<(length ?? .max) ? nil : checkpoints.last(upTo: wanted.lowerBound)
        let mark = (start?.compressed ?? 0, start?.uncompressed ?? 0)
        state = Mutex(
            State(
                inflater: try Inflater(path: path, from: start), compressed: mark.0, uncompressed: mark.1,
                lastMark: mark))
    }

    /// How many compressed bytes are used up.
    var compressed: Int64 { state.withLock { $0.compressed } }
    /// How many bytes are unpacked.
    var uncompressed: Int64 { state.withLock { $0.uncompressed } }

    /// Announces the wanted bytes, once.
    func begin() throws {
        let isFirst = state.withLock { state in
            defer { state.hasBegun = true }
            return !state.hasBegun
        }
        guard isFirst else { return }
        let end = wanted.upperBound == .max ? length : wanted.upperBound
        try sink.begin(
            FileExtent(
                offset: wanted.lowerBound, count: end.map { $0 - wanted.lowerBound } ?? -1, size: length ?? -1))
    }

    /// Unpacks `input`, which continues the previous one, as long as the sink wants more.
    ///
    /// - Returns: Bytes of `input` used, and why it stopped.
    func run(_ input: Data, flag: CancellationFlag) throws -> (used: Int, outcome: InflatingPass.Outcome) {
        try begin()
        return try input.withUnsafeBytes { input in
            // A pass is run by one task at a time, so this lock is uncontended while the sink blocks.
            try state.withLock { state in try run(input, &state, flag) }
        }
    }

    private func run(_ input: UnsafeRawBufferPointer, _ state: inout State, _ flag: CancellationFlag) throws -> (
        used: Int, outcome: InflatingPass.Outcome
    ) {
        var used = 0
        while !state.isAtEnd {
            try flag.check()
            let isLooking = state.isFarFromMark
            let rest = UnsafeRawBufferPointer(rebasing: input[used...])
            // At the end of the data, more room than should be needed shows the end mark, or an excess.
            let room = length == wanted.upperBound ? Int64.max : wanted.upperBound - state.uncompressed
            let output = state.buffer.bytes(upTo: room)
            let step = try state.inflater.inflate(rest, into: output, stopsBetweenBlocks: isLooking)
            let start = state.uncompressed
            used += step.consumed
            state.compressed += Int64(step.consumed)
            state.uncompressed += Int64(step.produced)
            state.isAtEnd = step.isAtEnd
            try check(state.uncompressed, of: state.compressed)
            let flow = try take(UnsafeRawBufferPointer(rebasing: output[..<step.produced]), at: start)
            let isMark = isLooking && step.isBetweenBlocks
            if isMark { note(&state) }
            if state.isAtEnd { break }
            if state.uncompressed >= wanted.upperBound, wanted.upperBound != length { return (used, .done) }
            if flow == .wait { return (used, .sinkIsFull) }
            if isMark { continue }
            if step.produced < output.count, used == input.count { return (used, .needsInput) }
            if step.produced == 0, step.consumed == 0 { throw damaged("its compressed data makes no progress") }
        }
        try finish(state.uncompressed)
        return (used, .done)
    }

    private func take(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws -> FlowState {
        let part = wanted.clamped(to: offset..<offset + Int64(bytes.count))
        guard !part.isEmpty else { return .ready }
        return try sink.write(
            UnsafeRawBufferPointer(rebasing: bytes[Int(part.lowerBound - offset)..<Int(part.upperBound - offset)]))
    }

    private func note(_ state: inout State) {
        let (compressed, uncompressed) = (state.compressed, state.uncompressed)
        state.lastMark = (compressed, uncompressed)
        guard checkpoints.wants(compressed: compressed, uncompressed: uncompressed) else { return }
        if let point = state.inflater.checkpoint(compressed: compressed, uncompressed: uncompressed) {
            checkpoints.add(point)
        }
    }

    /// Compares what was unpacked with the length and the limits.
    private func check(_ uncompressed: Int64, of compressed: Int64) throws {
        if let length, uncompressed > length { throw damaged("it unpacks to more than its \(length) bytes") }
        if uncompressed > limits.maxEntrySize {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence: "“\(path)” unpacks to more than \(limits.maxEntrySize) bytes, which is the limit.")
        }
        let (most, overflow) = compressed.multipliedReportingOverflow(by: limits.maxRatio)
        if uncompressed > limits.ratioFloor, !overflow, uncompressed > most {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence:
                    "“\(path)” would become more than \(limits.maxRatio) times as large as it is, which is the limit.")
        }
    }

    /// Compares the length at the end of the data with what it should be, or remembers it.
    private func finish(_ uncompressed: Int64) throws {
        guard let length else {
            checkpoints.length = uncompressed
            return
        }
        guard uncompressed == length else { throw damaged("it unpacks to \(uncompressed) bytes instead of \(length)") }
    }

    /// Takes the end of the input for the end of the data: some writers omit the final block.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if bytes are missing.
    func finishWithoutEnd() throws {
        guard uncompressed == length else { throw damaged("its compressed data ends too early") }
    }

    private func damaged(_ why: String) -> CocoaError {
        FileError.make(.fileReadCorruptFile, path: path, sentence: "“\(path)” is damaged: \(why).")
    }
}

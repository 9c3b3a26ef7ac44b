import FileProviderCore
import Foundation
import Synchronization

/// Deflated entries.
extension ZIPArchive {
    /// Unpacks from the start, dropping what lies before the extent. (Checkpoints on the way would be kept by ``InflatingPass``.)
    func streamDeflated(_ entry: ZIPEntry, extent: FileExtent, into sink: any ByteSink) async throws {
        let pass = InflatingPass(try Inflater(path: entry.path), entry: entry, extent: extent)
        for part in compressedParts(of: entry, upTo: extent.offset + extent.count) {
            let isDone =
                if part.count <= CachedFileReader.largestCachedRead {
                    try await unpack(try await bytes(part, of: entry), with: pass, into: sink)
                } else {
                    try await unpack(part, of: entry, with: pass, into: sink)
                }
            if isDone { return }
        }
        throw entry.damaged("its compressed data ends too early")
    }

    /// The compressed data in the parts in which it is asked for: all at once, or, when only the start is wanted, first what that
    /// takes even if nothing could be compressed.
    private func compressedParts(of entry: ZIPEntry, upTo end: Int64) -> [Range<Int64>] {
        let most = min(end, entry.compressedSize)
        let enough = max(most + most / 1024 + 256, Int64(reader.cost.preferredBlock))
        guard end < entry.uncompressedSize, enough < entry.compressedSize else { return [0..<entry.compressedSize] }
        return [0..<enough, enough..<entry.compressedSize]
    }

    /// Unpacks a part as it streams in; leaving early stops the transfer.
    private func unpack(_ part: Range<Int64>, of entry: ZIPEntry, with pass: InflatingPass, into sink: any ByteSink) async throws -> Bool {
        let pipe = BytePipe()
        let transfer = Task {
            do {
                try await streamData(part, of: entry, into: pipe)
                pipe.finish()
            } catch {
                pipe.finish(throwing: error)
            }
        }
        defer {
            pipe.abandon()
            transfer.cancel()
        }
        while let piece = try await pipe.next() {
            if try await unpack(piece, with: pass, into: sink) { return true }
        }
        return false
    }

    /// Unpacks one piece.
    ///
    /// - Returns: Whether all that is wanted has come.
    private func unpack(_ piece: Data, with pass: InflatingPass, into sink: any ByteSink) async throws -> Bool {
        var rest = piece
        while true {
            let input = rest
            let (used, state) = try await sink.onItsThread { flag in try pass.run(input, into: sink, flag: flag) }
            rest = rest.dropFirst(used)
            switch state {
            case .done: return true
            case .needsInput: return false
            case .sinkIsFull:
                try await sink.waitUntilReady()
                try Task.checkCancellation()
            }
        }
    }
}

/// One way through a deflated entry: unpacks, drops what is not wanted, counts and checks.
final class InflatingPass: Sendable {
    enum Outcome: Sendable {
        case needsInput
        case sinkIsFull
        case done
    }

    private struct State: ~Copyable, Sendable {
        var inflater: Inflater
        let buffer = OutputBuffer()
        var produced: Int64 = 0
        var checksum = CRC32()
        var hasBegun = false
    }

    private let state: Mutex<State>
    private let entry: ZIPEntry
    private let extent: FileExtent

    init(_ inflater: consuming sending Inflater, entry: ZIPEntry, extent: FileExtent) {
        state = Mutex(State(inflater: inflater))
        self.entry = entry
        self.extent = extent
    }

    /// Unpacks `input` as far as the sink wants more.
    ///
    /// - Returns: Bytes of `input` used, and why it stopped.
    func run(_ input: Data, into sink: any ByteSink, flag: CancellationFlag) throws -> (used: Int, outcome: Outcome) {
        try input.withUnsafeBytes { input in
            // One pass is run by one task, so nobody else waits for this lock while the sink blocks.
            try state.withLock { state in
                if !state.hasBegun { try sink.begin(extent) }
                state.hasBegun = true
                return try run(input, &state, sink, flag)
            }
        }
    }

    private func run(
        _ input: UnsafeRawBufferPointer, _ state: inout State, _ sink: any ByteSink, _ flag: CancellationFlag
    ) throws -> (used: Int, outcome: Outcome) {
        var used = 0
        while true {
            try flag.check()
            let output = state.buffer.bytes
            let step = try state.inflater.inflate(UnsafeRawBufferPointer(rebasing: input[used...]), into: output)
            used += step.consumed
            let flow = try take(UnsafeRawBufferPointer(rebasing: output[..<step.produced]), &state, sink)
            if try isDone(step, state.produced, state.checksum) { return (used, .done) }
            if flow == .wait { return (used, .sinkIsFull) }
            if step.produced < output.count, used == input.count { return (used, .needsInput) }
            if step.produced == 0, step.consumed == 0 { throw entry.damaged("its compressed data makes no progress") }
        }
    }

    /// Counts new output, and gives the sink what of it is wanted.
    private func take(_ bytes: UnsafeRawBufferPointer, _ state: inout State, _ sink: any ByteSink) throws -> FlowState {
        let start = state.produced
        state.produced += Int64(bytes.count)
        guard state.produced <= entry.uncompressedSize else {
            throw entry.damaged("it unpacks to more than the \(entry.uncompressedSize) bytes that the directory says")
        }
        if extent.count == extent.size { state.checksum.update(bytes) }
        let wanted = (extent.offset..<extent.offset + extent.count).clamped(to: start..<state.produced)
        guard !wanted.isEmpty else { return .ready }
        return try sink.write(UnsafeRawBufferPointer(rebasing: bytes[Int(wanted.lowerBound - start)..<Int(wanted.upperBound - start)]))
    }

    /// Whether all has come; an entry that is read whole has to end where it should, and to have its checksum.
    private func isDone(_ step: Inflater.Step, _ produced: Int64, _ checksum: CRC32) throws -> Bool {
        guard extent.count == extent.size else {
            if produced >= extent.offset + extent.count { return true }
            if step.isAtEnd { throw entry.damaged("it unpacks to \(produced) bytes, and the directory says \(entry.uncompressedSize)") }
            return false
        }
        guard step.isAtEnd else { return false }
        guard produced == entry.uncompressedSize else {
            throw entry.damaged("it unpacks to \(produced) bytes, and the directory says \(entry.uncompressedSize)")
        }
        guard checksum.value == entry.checksum else { throw entry.damaged("its checksum is wrong") }
        return true
    }
}

/// 64 KiB to unpack into.
///
/// Unchecked: the memory has one owner, which cannot be copied.
private struct OutputBuffer: ~Copyable, @unchecked Sendable {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    deinit {
        bytes.deallocate()
    }
}

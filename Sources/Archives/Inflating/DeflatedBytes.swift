package import FileProviderCore
import Foundation

/// Raw deflate data that no archive describes, such as a resource that was compressed before it was encrypted. Unpacked
/// by ranges, from the nearest checkpoint.
package final class DeflatedBytes: Sendable {
    /// Sends the compressed bytes in a range, clamped to what exists, into a sink; all of them if the range is nil.
    package typealias Source = @Sendable (_ range: Range<Int64>?, _ sink: any ByteSink) async throws -> Void

    /// The least compressed data to request for a part, so that short ranges don't need several requests.
    private static let leastPart: Int64 = 16 << 10

    private let path: String
    private let compressedSize: Int64
    private let claimedLength: Int64?
    private let limits: ArchiveLimits
    private let checkpoints: MemoryCheckpoints
    private let source: Source

    /// - Parameters:
    ///   - path: For messages.
    ///   - compressedSize: The most compressed bytes that there can be.
    ///   - length: The unpacked length, if it is known; other lengths are errors.
    ///   - limits: ``ArchiveLimits/maxEntrySize``, ``ArchiveLimits/maxRatio`` and ``ArchiveLimits/ratioFloor`` apply.
    ///   - checkpoints: Those of the same data, found earlier or in other objects.
    package init(
        path: String, compressedSize: Int64, length: Int64?, limits: ArchiveLimits = .standard,
        checkpoints: MemoryCheckpoints, source: @escaping Source
    ) {
        self.path = path
        self.compressedSize = compressedSize
        claimedLength = length
        self.limits = limits
        self.checkpoints = checkpoints
        self.source = source
    }

    private var knownLength: Int64? { claimedLength ?? checkpoints.length }

    /// Returns the unpacked length.
    ///
    /// - Complexity: Unpacks everything if the length is not known, once.
    package func length() async throws -> Int64 {
        if let length = knownLength { return length }
        try await unpack(0..<Int64.max, into: DiscardingSink())
        guard let length = knownLength else {
            throw FileError.make(
                .fileReadCorruptFile, path: path,
                sentence: "“\(path)” is damaged: its compressed data ends too early.")
        }
        return length
    }

    /// Sends the bytes in `range`, clamped to the data, into `sink`; all bytes if `range` is nil.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for data that is not deflate or of another length;
    ///   `CocoaError(.fileReadTooLarge)` past the limits; errors of the source and the sink.
    /// - Complexity: Reads and unpacks from the checkpoint before the range, at most 1 MiB and one block more than the
    ///   range once a read has been there.
    package func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        // Only a read of everything can do without the length.
        let isWhole = range.map { $0.lowerBound <= 0 && $0.upperBound == .max } ?? true
        if isWhole, knownLength == nil { return try await unpack(0..<Int64.max, into: sink) }
        let length = try await length()
        let wanted = (range ?? 0..<length).clamped(to: 0..<length)
        // An empty resource is unpacked all the same if it is read as a whole: it may not be empty.
        if wanted.isEmpty, length > 0 || !isWhole {
            return try await sink.take(
                Data(), extent: FileExtent(offset: wanted.lowerBound, count: 0, size: length))
        }
        try await unpack(wanted, into: sink)
    }

    private func unpack(_ wanted: Range<Int64>, into sink: any ByteSink) async throws {
        let pass = try DeflatedPass(
            path, wanted: wanted, length: knownLength, limits: limits, checkpoints: checkpoints, into: sink)
        let isWhole = wanted == 0..<(knownLength ?? .max)
        if isWhole {
            if try await !unpack(nil, with: pass, into: sink) { try await finish(pass, sink) }
            return
        }
        var least = Self.leastPart
        while true {
            let part = nextPart(of: wanted, from: pass, least: least)
            if part.isEmpty { return try await finish(pass, sink) }
            if try await unpack(part, with: pass, into: sink) { return }
            // The source had less than was asked for: this was its end.
            if pass.compressed < part.upperBound { return try await finish(pass, sink) }
            least = 2 * Int64(part.count)
        }
    }

    private func finish(_ pass: DeflatedPass, _ sink: any ByteSink) async throws {
        try await sink.onItsThread { _ in try pass.begin() }
        try pass.finishWithoutEnd()
    }

    /// Returns the compressed bytes to request next: as many as incompressible data would need, at most up to the first
    /// checkpoint behind the wanted part.
    private func nextPart(of wanted: Range<Int64>, from pass: DeflatedPass, least: Int64) -> Range<Int64> {
        let start = min(pass.compressed, compressedSize)
        let rest = min(wanted.upperBound, compressedSize + pass.uncompressed) - pass.uncompressed
        let enough = start + max(rest + rest / 1024 + 256, least)
        let next = checkpoints.first(notBefore: wanted.upperBound)?.compressed ?? compressedSize
        return start..<min(enough, next > start ? next : compressedSize, compressedSize)
    }

    /// Unpacks a part as it arrives; all bytes if `part` is nil. A part that has all wanted bytes is left early, the
    /// whole is read to its end, so that what checks it below can do so.
    ///
    /// - Returns: Whether all wanted bytes were delivered.
    private func unpack(_ part: Range<Int64>?, with pass: DeflatedPass, into sink: any ByteSink) async throws -> Bool {
        let pipe = BytePipe()
        let transfer = pipe.filling { [source] in try await source(part, $0) }
        defer {
            pipe.abandon()
            transfer.cancel()
        }
        var isDone = false
        while let piece = try await pipe.next() {
            if isDone { continue }
            isDone = try await unpack(piece, with: pass, into: sink)
            if isDone, part != nil { return true }
        }
        return isDone
    }

    private func unpack(_ piece: Data, with pass: DeflatedPass, into sink: any ByteSink) async throws -> Bool {
        var rest = piece
        while true {
            let input = rest
            let (used, outcome) = try await sink.onItsThread { flag in try pass.run(input, flag: flag) }
            rest = rest.dropFirst(used)
            switch outcome {
            case .done: return true
            case .needsInput: return false
            case .sinkIsFull:
                try await sink.waitUntilReady()
                try Task.checkCancellation()
            }
        }
    }
}

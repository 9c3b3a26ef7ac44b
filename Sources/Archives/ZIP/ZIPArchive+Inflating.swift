import FileProviderCore
import Foundation

/// Deflated entries.
extension ZIPArchive {
    /// The most compressed data, 1.25 MiB, that is requested at once for a part of an entry and cached for the reads
    /// around it; more is unpacked as it arrives. It covers the distance between two checkpoints, with room to spare.
    private static let maxHeldPartSize: Int64 = 5 << 18

    /// Unpacks from the nearest known position before the extent, and drops the bytes up to it.
    func streamDeflated(_ entry: ZIPEntry, extent: FileExtent, into sink: any ByteSink) async throws {
        await checkpoints.load(entry)
        let reading = EntryRead(extent, into: sink)
        let mayBeMisled = !reading.isWhole && checkpoints.areLoaded(of: entry)
        defer { checkpoints.save(entry) }
        do {
            try await unpack(entry, for: reading, with: try await pass(through: entry, for: reading))
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            checkpoints.spoil(entry)
            // Either the entry or the stored checkpoint is damaged. A pass from the start excludes the latter.
            guard mayBeMisled, !reading.hasDelivered else { throw error }
            try await unpack(entry, for: reading, with: try InflatingPass(entry))
        }
    }

    /// Returns a pass that another reader left at the right place, or one from the nearest checkpoint. An entry that is
    /// read whole is unpacked from its start, so that it can be verified.
    private func pass(through entry: ZIPEntry, for reading: EntryRead) async throws -> InflatingPass {
        if reading.isWhole { return try InflatingPass(entry) }
        let offset = reading.extent.offset
        let checkpoint = checkpoints.last(upTo: offset, of: entry)
        if let idle = checkpoints.takeIdle(from: checkpoint?.uncompressed ?? 0, upTo: offset, of: entry) { return idle }
        if let checkpoint, checkpoints.areLoaded(of: entry), try await !isRight(checkpoint, of: entry, for: reading) {
            checkpoints.spoil(entry)
            return try InflatingPass(entry)
        }
        return try InflatingPass(entry, from: checkpoint)
    }

    /// Returns whether a stored checkpoint belongs to this data: another file may have the same name in the store.
    ///
    /// - Complexity: The bytes to compare are requested together with those to unpack next.
    private func isRight(_ checkpoint: Checkpoint, of entry: ZIPEntry, for reading: EntryRead) async throws -> Bool {
        let length = checkpoint.approach.length
        let position = InflatingPass.Position(compressed: checkpoint.compressed, uncompressed: checkpoint.uncompressed)
        let part = nextPart(of: entry, for: reading, from: position, least: Int64(reader.cost.preferredBlock))
        let end = part.count <= Self.maxHeldPartSize ? part.upperBound : checkpoint.compressed
        let start = checkpoint.compressed - Int64(length)
        let data = try await bytes(start..<end, of: entry, aheadTo: end)
        return checkpoint.approach.matches(data.prefix(length))
    }

    private func unpack(_ entry: ZIPEntry, for reading: EntryRead, with pass: InflatingPass) async throws {
        let largest = reading.isWhole ? CachedFileReader.maxCachedRead : Self.maxHeldPartSize
        // A sequential reader will want the bytes that follow; other readers won't.
        let readsOn =
            !reading.isWhole && reading.extent.offset > 0 && pass.position.uncompressed == reading.extent.offset
        var least = Int64(reader.cost.preferredBlock)
        while true {
            let part = nextPart(of: entry, for: reading, from: pass.position, least: least)
            let isDone: Bool
            if part.count <= largest {
                let data = try await bytes(part, of: entry, aheadTo: readsOn ? entry.compressedSize : part.upperBound)
                isDone = try await unpack(data, for: reading, with: pass)
            } else {
                isDone = try await unpack(part, of: entry, for: reading, with: pass)
            }
            if isDone {
                if !reading.isWhole { checkpoints.keep(pass) }
                return
            }
            if part.isEmpty {
                if reading.isWhole, pass.isWholeWithoutEnd { return }
                throw entry.damaged("its compressed data ends too early")
            }
            least = 2 * Int64(part.count)
        }
    }

    /// Returns the compressed data to request next: all of it or, for a part of the entry, as much as incompressible
    /// data would need, at most up to the first checkpoint behind the part.
    private func nextPart(
        of entry: ZIPEntry, for reading: EntryRead, from position: InflatingPass.Position, least: Int64
    ) -> Range<
        Int64
    > {
        let start = min(position.compressed, entry.compressedSize)
        guard !reading.isWhole else { return start..<entry.compressedSize }
        let end = reading.wanted.upperBound
        let maxCount = end - position.uncompressed
        let enough = start + max(maxCount + maxCount / 1024 + 256, least)
        let next = checkpoints.first(notBefore: end, of: entry)?.compressed ?? entry.compressedSize
        return start..<min(enough, next > start ? next : entry.compressedSize)
    }

    /// Unpacks a part as it arrives; returning early stops the transfer.
    private func unpack(_ part: Range<Int64>, of entry: ZIPEntry, for reading: EntryRead, with pass: InflatingPass)
        async throws -> Bool
    {
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
            if try await unpack(piece, for: reading, with: pass) { return true }
        }
        return false
    }

    /// Unpacks one piece.
    ///
    /// - Returns: Whether all wanted bytes were delivered.
    private func unpack(_ piece: Data, for reading: EntryRead, with pass: InflatingPass) async throws -> Bool {
        var rest = piece
        while true {
            let input = rest
            let (used, state) = try await reading.sink.onItsThread { [checkpoints] flag in
                try pass.run(input, for: reading, noting: checkpoints, flag: flag)
            }
            rest = rest.dropFirst(used)
            switch state {
            case .done: return true
            case .needsInput: return false
            case .sinkIsFull:
                try await reading.sink.waitUntilReady()
                try Task.checkCancellation()
            }
        }
    }
}

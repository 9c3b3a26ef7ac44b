#if Formats
    import FileProviderCore
    import Foundation
    import Synchronization

    /// Reads a file for libarchive, whose callbacks block until bytes arrive: on the archive's dedicated thread, never
    /// on Swift's shared ones.
    ///
    /// Unchecked: all mutable state except `closed` is used on that thread alone, which debug builds check.
    final class PackedSource: @unchecked Sendable {
        /// The bytes to read after a jump, and the most: headers are small, the data after them is not.
        private static let blocks: ClosedRange<Int64> = 8 << 10...1 << 20
        /// The bytes of gzip data to pass at once: they may unpack to a thousand times as much before more is
        /// requested.
        private static let packedPiece: Int64 = 4 << 10
        /// The largest TAR header, unpacked; 2 MiB. Its names take 1 MiB at most, its map of a sparse file twelve times
        /// its size in memory.
        private static let maxHeaderSize: Int64 = 2 << 20

        /// The limits of one piece of work.
        struct Allowance: Sendable {
            /// The most bytes to read.
            var bytes = Int64.max
            /// The time by which it must be over.
            var deadline: ContinuousClock.Instant?
        }

        private let thread = OwningThread()
        let reader: CachedFileReader
        let size: Int64
        /// The flag of the current work.
        var flag = CancellationFlag()
        var allowance = Allowance()
        /// The error of reading, which libarchive cannot report.
        private(set) var failure: (any Error)?
        /// Bytes read for libarchive since the start of this pass.
        private(set) var delivered: Int64 = 0
        /// Unpacked bytes that libarchive has used since then.
        var unpacked: Int64 = 0
        /// The value of `unpacked` when the current header began; nil outside a header, or if headers are always small.
        private var headerStart: Int64?
        private var format = PackedFormat.tar
        private var position: Int64 = 0
        private var block = PackedSource.blocks.lowerBound
        private var data = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        /// The range of the file in `data`.
        private var held: Range<Int64> = 0..<0
        private let closed = Atomic(false)

        init(_ reader: CachedFileReader, size: Int64) {
            self.reader = reader
            self.size = size
        }

        deinit {
            data.deallocate()
        }

        var isClosed: Bool { closed.load(ordering: .relaxed) }

        /// Ends reading. May be called from any thread.
        func close() { closed.store(true, ordering: .relaxed) }

        /// Goes back to the start, for a new pass.
        func rewind(_ format: PackedFormat) {
            (position, delivered, unpacked, failure, headerStart) = (0, 0, 0, nil, nil)
            block = Self.blocks.lowerBound
            self.format = format
        }

        /// Starts counting the bytes of a header, which begins at `unpacked`.
        func beginHeader(at unpacked: Int64) {
            self.unpacked = unpacked
            headerStart = format.hasEndlessHeaders ? unpacked : nil
        }

        func endHeader() { headerStart = nil }

        /// Returns the next bytes, valid until the next call; empty at the end, nil after a failure.
        func next() -> UnsafeRawBufferPointer? {
            guard failure == nil else { return nil }
            do {
                try check()
                try checkHeader()
                if !held.contains(position) { try load() }
                let maxBytes = format == .gzippedTar ? Self.packedPiece : .max
                let range = position..<held.upperBound - max(0, held.upperBound - position - maxBytes)
                position = range.upperBound
                return UnsafeRawBufferPointer(
                    rebasing: data[Int(range.lowerBound - held.lowerBound)..<Int(range.upperBound - held.lowerBound)])
            } catch {
                failure = error
                return nil
            }
        }

        /// Loads `data` from `position`; empty at the end.
        private func load() throws {
            let range = position..<position + max(0, min(block, size - position))
            held = position..<position
            if range.isEmpty { return }
            let came = try bytes(range)
            if data.count < came.count {
                data.deallocate()
                data = .allocate(byteCount: Int(Self.blocks.upperBound), alignment: 16)
            }
            came.copyBytes(to: data)
            held = range
            delivered += Int64(came.count)
            block = min(2 * block, Self.blocks.upperBound)
        }

        /// Skips up to `count` bytes.
        ///
        /// - Returns: The number of skipped bytes.
        func skip(_ count: Int64) -> Int64 {
            let start = position
            return seek(to: start + max(0, min(count, size - start))) - start
        }

        /// - Parameter origin: As for lseek(2).
        /// - Returns: The new position, never outside the file; nil for an invalid origin.
        func seek(_ offset: Int64, from origin: Int32) -> Int64? {
            guard let start = [SEEK_SET: 0, SEEK_CUR: position, SEEK_END: size][origin] else { return nil }
            let (target, overflow) = start.addingReportingOverflow(offset)
            return overflow ? nil : seek(to: target)
        }

        private func seek(to offset: Int64) -> Int64 {
            let target = max(0, min(offset, size))
            if target != position { block = Self.blocks.lowerBound }
            position = target
            return position
        }

        /// - Throws: The reason why the work must end.
        func check() throws {
            thread.assertIsCurrent()
            try flag.check()
            if isClosed { throw FileError.closed(reader.path) }
            if delivered > allowance.bytes {
                throw FileError.make(
                    .fileReadTooLarge, path: reader.path,
                    sentence:
                        "Listing “\(reader.path)” would mean unpacking more than \(allowance.bytes) bytes of it, which is the limit."
                )
            }
            if let deadline = allowance.deadline, ContinuousClock.now > deadline {
                throw FileError.make(
                    .fileReadTooLarge, path: reader.path, sentence: "Listing “\(reader.path)” took longer than allowed."
                )
            }
        }

        private func checkHeader() throws {
            guard let headerStart, unpacked - headerStart > Self.maxHeaderSize else { return }
            throw FileError.make(
                .fileReadTooLarge, path: reader.path,
                sentence:
                    "The header of an entry in “\(reader.path)” has more than \(Self.maxHeaderSize) bytes, which is the limit."
            )
        }

        /// Reads and blocks until the bytes arrive.
        ///
        /// - Throws: Errors of the reader, also if the file has become shorter.
        func bytes(_ range: Range<Int64>) throws -> Data {
            // Cancellation reaches this thread only as a flag.
            let data: Data
            do {
                data = try TaskWait().value(isCancelled: { [self] in flag.isCancelled || isClosed }) { [reader] in
                    try await reader.read(range)
                }
            } catch let error where error.isCancellation && isClosed && !flag.isCancelled {
                // The read was not cancelled by its task; closing the archive ended it.
                throw FileError.closed(reader.path)
            }
            guard data.count == range.count else { throw FileError.changedWhileReading(reader.path) }
            return data
        }
    }
#endif

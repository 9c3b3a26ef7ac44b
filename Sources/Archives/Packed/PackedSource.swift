#if Formats
    import FileProviderCore
    import Foundation
    import Synchronization

    /// A file for libarchive, which calls back for bytes and waits for them: on the archive's own thread, never on
    /// Swift's shared ones.
    ///
    /// Unchecked: everything mutable is used on that thread alone, which debug builds check, but for `closed`.
    final class PackedSource: @unchecked Sendable {
        /// What is read after a jump, and at most, in bytes: headers are small, what follows them is not.
        private static let blocks: ClosedRange<Int64> = 8 << 10...1 << 20
        /// What is given at once of what gzip has packed, in bytes: it becomes a thousand times as much before more is
        /// asked for.
        private static let packedPiece: Int64 = 4 << 10
        /// Bytes that a header of TAR may take, unpacked; 2 MiB. Its names take 1 MiB at most, its map of a sparse file
        /// memory for twelve times as much.
        private static let maxHeaderSize: Int64 = 2 << 20

        /// What one piece of work may take.
        struct Allowance: Sendable {
            /// Bytes read.
            var bytes = Int64.max
            /// When it has to be over.
            var deadline: ContinuousClock.Instant?
        }

        private let thread = OwningThread()
        let reader: CachedFileReader
        let size: Int64
        /// That of the work under way.
        var flag = CancellationFlag()
        var allowance = Allowance()
        /// Why reading failed, which libarchive cannot tell.
        private(set) var failure: (any Error)?
        /// Bytes read for libarchive since the start of its way through the archive.
        private(set) var delivered: Int64 = 0
        /// Bytes that libarchive has used since then, unpacked.
        var unpacked: Int64 = 0
        /// Of these, those that were used when the header under way began; nil where none is, or where headers are
        /// small anyway.
        private var headerStart: Int64?
        private var format = PackedFormat.tar
        private var position: Int64 = 0
        private var block = PackedSource.blocks.lowerBound
        private var data = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        /// What `data` holds of the file.
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

        /// Ends reading, from any thread.
        func close() { closed.store(true, ordering: .relaxed) }

        /// Back to the start, for a new way through.
        func rewind(_ format: PackedFormat) {
            (position, delivered, unpacked, failure, headerStart) = (0, 0, 0, nil, nil)
            block = Self.blocks.lowerBound
            self.format = format
        }

        /// What is asked for from now on is for a header, which begins when libarchive has used so many bytes,
        /// unpacked.
        func beginHeader(at unpacked: Int64) {
            self.unpacked = unpacked
            headerStart = format.hasEndlessHeaders ? unpacked : nil
        }

        func endHeader() { headerStart = nil }

        /// The next bytes, valid until the next call; none at the end, nil after a failure.
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

        /// Has `data` hold what lies at `position`; nothing at the end.
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

        /// Goes over `count` bytes, as far as there are so many.
        ///
        /// - Returns: How many it were.
        func skip(_ count: Int64) -> Int64 {
            let start = position
            return seek(to: start + max(0, min(count, size - start))) - start
        }

        /// - Parameter origin: As of lseek(2).
        /// - Returns: Where it is now, never outside the file; nil for an origin that is none.
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

        /// - Throws: Why the work has to end.
        func check() throws {
            thread.assertIsCurrent()
            try flag.check()
            if isClosed { throw FileError.closed(reader.path) }
            if delivered > allowance.bytes {
                throw FileError.make(
                    .fileReadTooLarge, path: reader.path,
                    sentence:
                        "To list “\(reader.path)”, more than \(allowance.bytes) bytes of it would have to be unpacked.")
            }
            if let deadline = allowance.deadline, ContinuousClock.now > deadline {
                throw FileError.make(
                    .fileReadTooLarge, path: reader.path, sentence: "Listing “\(reader.path)” takes too long.")
            }
        }

        private func checkHeader() throws {
            guard let headerStart, unpacked - headerStart > Self.maxHeaderSize else { return }
            throw FileError.make(
                .fileReadTooLarge, path: reader.path,
                sentence:
                    "What “\(reader.path)” says of one entry takes more than \(Self.maxHeaderSize) bytes, which is the limit."
            )
        }

        /// Reads and waits.
        ///
        /// - Throws: Errors of the reader; that of a file which has become shorter.
        func bytes(_ range: Range<Int64>) throws -> Data {
            // Cancelling reaches this thread as a flag alone.
            let data: Data
            do {
                data = try TaskWait().value(isCancelled: { [self] in flag.isCancelled || isClosed }) { [reader] in
                    try await reader.read(range)
                }
            } catch let error where error.isCancellation && isClosed && !flag.isCancelled {
                // Nobody cancelled the read: closing the archive ended it.
                throw FileError.closed(reader.path)
            }
            guard data.count == range.count else { throw FileError.changedWhileReading(reader.path) }
            return data
        }
    }
#endif

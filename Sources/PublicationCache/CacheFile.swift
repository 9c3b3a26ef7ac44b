import Archives
import FileProviderCore
import Foundation
import Synchronization

/// One version of one resource on disk: a header, a table of checksums, and the blocks that have arrived so far.
///
/// Header, table and blocks are one file, so that they are created and removed together, and an open file keeps all of
/// them after its name was removed. A block's entry in the table is written after its bytes, but without waiting for
/// the disk: if the bytes were lost, the checksum shows it when the block is first read. A shared lock prevents others
/// from evicting the file. Every call but ``has(_:)`` blocks on the disk.
final class CacheFile: Sendable {
    private struct State {
        /// The entries of the blocks that are known to be stored.
        var checksums: [Int: UInt32] = [:]
        /// The blocks whose bytes this object verified or wrote.
        var verified: Set<Int> = []
        /// The blocks that are not yet in the table on disk.
        var pending: Set<Int> = []
        /// The damaged blocks: their table entries are ignored, even if they could not be changed.
        var struck: Set<Int> = []
    }

    let header: CacheHeader
    private let file: FileDescriptor
    private let state = Mutex(State())

    init(_ file: FileDescriptor, header: CacheHeader) {
        self.file = file
        self.header = header
    }

    /// Whether the file was removed from its folder: further writes are lost.
    var isRemoved: Bool { file.status?.st_nlink == 0 }

    /// How many blocks wait for ``commit()``.
    var pendingBlocks: Int { state.withLock { $0.pending.count } }

    /// Whether all `blocks` are known to be stored; nothing is read.
    func has(_ blocks: Range<Int>) -> Bool {
        state.withLock { state in blocks.allSatisfy { state.checksums[$0] != nil } }
    }

    /// Reads the table's entries of `blocks` that are not known yet: others may have added some.
    ///
    /// - Returns: The number of stored blocks.
    /// - Throws: Only `CancellationError`.
    @discardableResult
    func learn(_ blocks: Range<Int>, _ flag: CancellationFlag) throws -> Int {
        var count = 0
        for start in stride(from: blocks.lowerBound, to: blocks.upperBound, by: 8192) {
            try flag.check()
            let part = start..<min(start + 8192, blocks.upperBound)
            if !has(part) { learnPart(part) }
            count += state.withLock { state in part.reduce(0) { $0 + (state.checksums[$1] == nil ? 0 : 1) } }
        }
        return count
    }

    private func learnPart(_ blocks: Range<Int>) {
        var bytes = [UInt8](repeating: 0, count: 8 * blocks.count)
        // Past the file's end, and in an unreadable table, there are no blocks.
        _ = try? file.readAll(into: &bytes, at: header.slot(of: blocks.lowerBound))
        state.withLock { state in
            for (index, block) in blocks.enumerated()
            where state.checksums[block] == nil && !state.struck.contains(block) {
                let entry = bytes[8 * index..<8 * index + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                let checksum = UInt32(truncatingIfNeeded: entry)
                if entry != 0, entry == header.entry(of: block, checksum: checksum) {
                    state.checksums[block] = checksum
                }
            }
        }
    }

    /// Returns the first run of missing blocks at the start of `blocks`; empty if the first is stored.
    ///
    /// - Throws: As ``learn(_:_:)``.
    func missing(in blocks: Range<Int>, _ flag: CancellationFlag) throws -> Range<Int> {
        try learn(blocks, flag)
        return state.withLock { state in
            let end = blocks.first { state.checksums[$0] != nil } ?? blocks.upperBound
            return blocks.lowerBound..<end
        }
    }

    /// Returns whether the whole resource is stored.
    ///
    /// - Throws: As ``learn(_:_:)``.
    func isComplete(_ flag: CancellationFlag) throws -> Bool { try learn(0..<header.blocks, flag) == header.blocks }

    // MARK: Reading

    /// Fills `buffer` with the resource's bytes from `offset` to the end of the block at most.
    ///
    /// The first read of a block by this object verifies the whole block. A damaged block is removed from the table.
    ///
    /// - Returns: The number of bytes; 0 if the block is missing or damaged.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        let block = Int(offset / header.block)
        let extent = header.extent(of: block)
        let (checksum, isVerified) = state.withLock { ($0.checksums[block], $0.verified.contains(block)) }
        guard let checksum else { return 0 }
        let count = Int(min(Int64(buffer.count), extent.upperBound - offset))
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
        let isGood =
            isVerified
            ? try? file.readAll(into: target, at: header.location(of: offset))
            : try? verify(block, checksum: checksum, copying: offset, to: target)
        guard isGood == true else {
            strike(block)
            return 0
        }
        if !isVerified { state.withLock { _ = $0.verified.insert(block) } }
        return count
    }

    private func verify(_ block: Int, checksum: UInt32, copying offset: Int64, to target: UnsafeMutableRawBufferPointer)
        throws -> Bool
    {
        let extent = header.extent(of: block)
        if target.count == extent.count {
            return try file.readAll(into: target, at: header.location(of: offset))
                && CRC32.of(UnsafeRawBufferPointer(target)) == checksum
        }
        let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: extent.count, alignment: 16)
        defer { whole.deallocate() }
        guard try file.readAll(into: whole, at: header.location(of: extent.lowerBound)),
            CRC32.of(UnsafeRawBufferPointer(whole)) == checksum
        else { return false }
        target.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: whole[Int(offset - extent.lowerBound)...].prefix(target.count)))
        return true
    }

    private func strike(_ block: Int) {
        state.withLock { state in
            state.checksums[block] = nil
            state.verified.remove(block)
            state.pending.remove(block)
            state.struck.insert(block)
        }
        // If this fails, the next reader of the block detects the damage as well.
        try? withUnsafeBytes(of: UInt64(0)) { try file.write($0, at: header.slot(of: block), path: .root) }
    }

    // MARK: Writing

    /// Writes bytes of a block that is still incomplete.
    ///
    /// - Throws: ``StorageFailure``.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        do { try file.write(bytes, at: header.location(of: offset), path: .root) } catch {
            throw StorageFailure(cause: error)
        }
    }

    /// Records that all bytes of a block were written; this object can read them from now on.
    func add(_ block: Int, checksum: UInt32) {
        state.withLock { state in
            state.checksums[block] = checksum
            state.struck.remove(block)
            state.verified.insert(block)
            state.pending.insert(block)
        }
    }

    /// Writes the table entries of all blocks that were added since the last call.
    ///
    /// - Throws: ``StorageFailure``.
    func commit() throws {
        let added = state.withLock { state in
            defer { state.pending = [] }
            return state.pending.sorted().compactMap { block in state.checksums[block].map { (block, $0) } }
        }
        do {
            for (block, checksum) in added {
                try withUnsafeBytes(of: header.entry(of: block, checksum: checksum).littleEndian) {
                    try file.write($0, at: header.slot(of: block), path: .root)
                }
            }
        } catch {
            throw StorageFailure(cause: error)
        }
    }

    /// Forgets the blocks that wait for ``commit()``.
    func dropPending() {
        state.withLock { state in
            for block in state.pending {
                state.checksums[block] = nil
                state.verified.remove(block)
            }
            state.pending = []
        }
    }

    /// Waits until the file is on disk. Source: fsync(2).
    func synchronize() throws {
        if fsync(file.raw) != 0 { throw StorageFailure(cause: posixError(writing: true)) }
    }
}

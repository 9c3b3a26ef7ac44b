import Archives
import FileProviderCore
import Foundation
import Publication
import Synchronization

extension CachedEntry {
    /// The size of the resource in bytes.
    func length() async throws -> Int64 {
        guard let file = try await settled(near: 0) else { return try await resource.length() }
        return file.header.length
    }

    /// Sends the bytes in `range`, clamped to the resource, into `sink`; all bytes if `range` is nil.
    ///
    /// - Parameter mustStore: Whether to fail if the cache did not store the bytes.
    func stream(_ range: Range<Int64>?, into sink: any ByteSink, mustStore: Bool = false) async throws {
        noteAccess()
        if mustStore { state.withLock { $0.refusal = nil } }
        let start = max(0, range?.lowerBound ?? 0)
        guard var file = try await settled(near: start) else {
            if mustStore { throw whyNotStored }
            return try await resource.stream(range, into: sink)
        }
        var wanted = Self.clamped(range, to: file)
        if try await isMissing(wanted, in: file), let current = try await settled(near: start, mustAsk: true) {
            file = current
            wanted = Self.clamped(range, to: file)
        }
        let extent = FileExtent(offset: wanted.lowerBound, count: Int64(wanted.count), size: file.header.length)
        if wanted.isEmpty { return try await sink.take(Data(), extent: extent) }
        let end = try await deliver(wanted, of: file, into: sink)
        try await commit(file, by: resource)
        if end == wanted.upperBound { return }
        if mustStore { throw whyNotStored }
        try await passThrough(end..<wanted.upperBound, of: file, into: sink)
    }

    /// Waits until the stored bytes are on disk.
    func synchronize() async throws {
        guard let file = state.withLock({ $0.file }) else { return }
        try await BlockingThreads.shared.run { try file.synchronize() }
    }

    private var whyNotStored: StorageFailure {
        state.withLock { $0.refusal } ?? StorageFailure(cause: FileError.make(.fileWriteUnknown, path: link.href))
    }

    private static func clamped(_ range: Range<Int64>?, to file: CacheFile) -> Range<Int64> {
        (range ?? 0..<Int64.max).clamped(to: 0..<file.header.length)
    }

    /// Whether bytes are missing that must come from the medium, which has not yet confirmed the version.
    private func isMissing(_ range: Range<Int64>, in file: CacheFile) async throws -> Bool {
        if state.withLock({ $0.isConfirmed }) { return false }
        let blocks = file.header.blocks(of: range)
        if file.has(blocks) { return false }
        return try await BlockingThreads.shared.run { flag in try file.learn(blocks, flag) < blocks.count }
    }

    /// - Returns: The offset that was reached; before the end if the cache's storage fails.
    private func deliver(_ range: Range<Int64>, of file: CacheFile, into sink: any ByteSink) async throws -> Int64 {
        var fetch: BlockFetch?
        do {
            var (offset, failures) = (range.lowerBound, 0)
            var announced: FileExtent? = FileExtent(offset: offset, count: Int64(range.count), size: file.header.length)
            while offset < range.upperBound {
                let (from, extent) = (offset, announced.take())
                let flow: FlowState
                (offset, flow) = try await BlockingThreads.shared.run { flag in
                    // Here, on the way to the bytes, because a separate thread switch would cost more than the call.
                    if let extent { try sink.begin(extent) }
                    return try file.send(from..<range.upperBound, into: sink, flag)
                }
                if flow == .wait {
                    try await sink.waitUntilReady()
                    continue
                }
                if offset == range.upperBound { break }
                // Stop if the storage does not keep the bytes that it accepts.
                failures = offset > from ? 0 : failures + 1
                let block = Int(offset / file.header.block)
                if failures > 3 { refuse(StorageFailure(cause: FileError.make(.fileReadCorruptFile, path: link.href))) }
                guard failures < 4, try await receive(block, for: range, of: file, from: &fetch) else {
                    fetch?.leave()
                    return offset
                }
            }
            try await finish(fetch, at: file.header.blocks(of: range).upperBound)
            return offset
        } catch {
            // Commit the blocks before the reader receives the error, so that the next read continues from there.
            await fetch?.leave()?.value
            throw error
        }
    }

    /// Suspends until `block` has arrived, by `fetch` or by another fetch that replaces it.
    ///
    /// - Returns: False if the cache's storage fails.
    private func receive(_ block: Int, for range: Range<Int64>, of file: CacheFile, from fetch: inout BlockFetch?)
        async throws -> Bool
    {
        do {
            if let left = fetch, left.isOver || !left.blocks.contains(block) {
                if left.isOver || left.blocks.upperBound == block { try await left.end() }
                fetch = nil
                left.leave()
            }
            if fetch == nil {
                fetch = try await self.fetch(block, before: file.header.blocks(of: range).upperBound, of: file)
            }
            try await fetch?.wait(for: block)
            return true
        } catch let failure as StorageFailure {
            refuse(failure)
            return false
        }
    }

    /// Leaves the request that loaded the last wanted block. If it requested no more than that, lets it finish: its
    /// connection stays usable, and its medium may still report an error in the bytes.
    private func finish(_ fetch: BlockFetch?, at block: Int) async throws {
        guard let fetch else { return }
        do {
            if fetch.isOver || fetch.blocks.upperBound == block { try await fetch.end() }
        } catch let failure as StorageFailure {
            refuse(failure)
        } catch {
            // The result of blocks that others wait for is irrelevant to those that arrived.
            if error.resourceFailure != .unavailable, !error.isCancellation { throw error }
        }
        fetch.leave()
    }

    /// Reads the rest directly from the medium, after the cache delivered the beginning.
    private func passThrough(_ range: Range<Int64>, of file: CacheFile, into sink: any ByteSink) async throws {
        let resource = resource
        guard file.header.holds(try await version(of: resource)) else { throw changed() }
        try await resource.stream(range, into: TappedSink(sink, isAnnounced: true))
        guard file.header.holds(try await version(of: resource)) else { throw changed() }
    }
}

extension CacheFile {
    /// Sends the stored bytes from the start of `range` on, until a block is missing or the sink is full.
    ///
    /// - Returns: The offset that was reached.
    func send(_ range: Range<Int64>, into sink: any ByteSink, _ flag: CancellationFlag) throws -> (Int64, FlowState) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Int(min(header.block, Int64(range.count))), alignment: 16)
        defer { buffer.deallocate() }
        var offset = range.lowerBound
        while offset < range.upperBound {
            try flag.check()
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(clamping: range.upperBound - offset)))
            let count = read(into: room, at: offset)
            if count == 0 {
                let block = Int(offset / header.block)
                // The table may contain the block, written earlier or by another process.
                if try missing(in: block..<block + 1, flag).isEmpty { continue }
                return (offset, .ready)
            }
            offset += Int64(count)
            if try sink.write(UnsafeRawBufferPointer(rebasing: room.prefix(count))) == .wait { return (offset, .wait) }
        }
        return (offset, .ready)
    }
}

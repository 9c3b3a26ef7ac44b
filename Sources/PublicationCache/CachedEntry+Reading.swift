import Archives
import FileProviderCore
import Foundation
import Publication
import Synchronization

extension CachedEntry {
    /// Bytes of the resource.
    func length() async throws -> Int64 {
        guard let file = try await settled(near: 0) else { return try await resource.length() }
        return file.header.length
    }

    /// Sends the bytes in `range`, clamped to the resource, into `sink`; nil for all.
    ///
    /// - Parameter mustStore: Whether bytes that the cache did not take are an error.
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

    /// Waits until the disk has what was stored.
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

    /// Whether bytes are missing that the medium has to give, which it has not yet said to be of the same version.
    private func isMissing(_ range: Range<Int64>, in file: CacheFile) async throws -> Bool {
        if state.withLock({ $0.isConfirmed }) { return false }
        let blocks = file.header.blocks(of: range)
        if file.has(blocks) { return false }
        return try await BlockingThreads.shared.run { flag in try file.learn(blocks, flag) < blocks.count }
    }

    /// - Returns: How far it came: short of the end where the cache's storage fails.
    private func deliver(_ range: Range<Int64>, of file: CacheFile, into sink: any ByteSink) async throws -> Int64 {
        var fetch: BlockFetch?
        do {
            var (offset, failures) = (range.lowerBound, 0)
            var announced: FileExtent? = FileExtent(offset: offset, count: Int64(range.count), size: file.header.length)
            while offset < range.upperBound {
                let (from, extent) = (offset, announced.take())
                let flow: FlowState
                (offset, flow) = try await BlockingThreads.shared.run { flag in
                    // On the way to the bytes, because the way costs more than what is done at its end.
                    if let extent { try sink.begin(extent) }
                    return try file.send(from..<range.upperBound, into: sink, flag)
                }
                if flow == .wait {
                    try await sink.waitUntilReady()
                    continue
                }
                if offset == range.upperBound { break }
                // Storage that does not keep what it takes ends the attempts.
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
            // What has come is written down before the reader hears of the error, so that the next one goes on from
            // there.
            await fetch?.leave()?.value
            throw error
        }
    }

    /// Suspends until `block` was brought, by `fetch` or by another one in its place.
    ///
    /// - Returns: False where the cache's storage fails.
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

    /// Leaves the request that brought the last of what was wanted. If no more than that was asked for, it is let come
    /// to its end: its connection stays usable, and its medium may find something wrong with the bytes.
    private func finish(_ fetch: BlockFetch?, at block: Int) async throws {
        guard let fetch else { return }
        do {
            if fetch.isOver || fetch.blocks.upperBound == block { try await fetch.end() }
        } catch let failure as StorageFailure {
            refuse(failure)
        } catch {
            // What became of blocks that others wait for says nothing about those that came.
            if error.resourceFailure != .unavailable, !error.isCancellation { throw error }
        }
        fetch.leave()
    }

    /// The rest of a read whose beginning the cache gave, straight from the medium.
    private func passThrough(_ range: Range<Int64>, of file: CacheFile, into sink: any ByteSink) async throws {
        let resource = resource
        guard file.header.holds(try await version(of: resource)) else { throw changed() }
        try await resource.stream(range, into: TappedSink(sink, isAnnounced: true))
        guard file.header.holds(try await version(of: resource)) else { throw changed() }
    }
}

extension CacheFile {
    /// Gives a sink what is here from the start of `range` on, until a block is missing or the sink has enough.
    ///
    /// - Returns: How far it came.
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
                // The table may have it, written by somebody else or before.
                if try missing(in: block..<block + 1, flag).isEmpty { continue }
                return (offset, .ready)
            }
            offset += Int64(count)
            if try sink.write(UnsafeRawBufferPointer(rebasing: room.prefix(count))) == .wait { return (offset, .wait) }
        }
        return (offset, .ready)
    }
}

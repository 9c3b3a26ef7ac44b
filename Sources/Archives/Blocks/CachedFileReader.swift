public import FileProviderCore
public import Foundation
import Synchronization

/// A reader with a bounded cache of blocks. It requests missing bytes from its base in as few requests as the base's
/// ``/FileProviderCore/Capabilities/ReadCost`` makes sensible.
///
/// Meant for many small reads, such as those of the directory and the small entries of an archive. Reads of up to
/// ``maxCachedRead`` bytes go through the blocks; larger ones are passed through, except for the parts at both ends
/// that are cached. If a range costs a round trip, sequential small reads load the following bytes along with each
/// piece, more each time. Bytes that are cached or being loaded for another reader are not requested again, with one
/// exception: the base itself may read over a hole that is narrower than its coalescing gap.
public final class CachedFileReader: FileReader {
    /// Reads of up to 128 KiB are kept.
    public static let maxCachedRead: Int64 = 128 << 10
    /// No file is as long as 1 EiB: sums of offsets below it don't overflow.
    private static let maxFileSize: Int64 = 1 << 60

    /// The base's path.
    public let path: ProviderPath
    /// The base's cost, by which requests are joined; cached bytes cost nothing.
    public let cost: Capabilities.ReadCost
    private let base: any FileReader
    private let store: Mutex<BlockStore>

    /// - Parameter capacity: The most bytes that are cached, 4 MiB by default; at least four of the base's preferred
    ///   blocks.
    public init(_ base: any FileReader, capacity: Int = 4 << 20) {
        self.base = base
        path = base.path
        cost = base.cost
        store = Mutex(BlockStore(capacity: max(capacity, 4 * base.cost.preferredBlock), cost: base.cost))
    }

    /// Returns the base's attributes, which may cost the base's one request; remembers the size.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` for a base that claims more than 1 EiB; errors of the base.
    public func attributes() async throws -> FileReaderAttributes {
        let attributes = try await base.attributes()
        try checkSize(attributes.size)
        store.withLock { $0.size = attributes.size }
        return attributes
    }

    /// Returns the last `count` bytes of the file, or all if it is shorter.
    ///
    /// - Complexity: If it is the first read, one request that also returns the file's size. Later, one for bytes that
    ///   are not cached.
    public func tail(_ count: Int64) async throws -> (data: Data, extent: FileExtent) {
        if let size = store.withLock({ $0.size }) {
            let range = FilePart.suffix(count).resolved(size: size)
            let data = try await read([range])[0]
            return (data, FileExtent(offset: range.lowerBound, count: Int64(data.count), size: size))
        }
        let (data, extent) = try await base.read(.suffix(count))
        try checkSize(extent.size)
        try check(Int64(data.count), of: FilePart.suffix(count).resolved(size: extent.size))
        store.withLock { store in
            store.size = extent.size
            store.insert([BlockStore.Block(offset: extent.offset, data: data)])
        }
        return (data, extent)
    }

    /// Loads `ranges` into the cache. Leaves out those that, with the gaps between them, exceed half of the capacity.
    ///
    /// - Complexity: No request for cached bytes; the rest in as few as the cost model says, at once.
    public func prefetch(_ ranges: [Range<Int64>]) async throws {
        var room = Int64(store.withLock { $0.capacity } / 2)
        var end: Int64?
        var fitting: [Range<Int64>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            let gap = end.map { range.lowerBound - $0 } ?? .max
            let needed = Int64(range.count) + (gap <= Int64(cost.coalescingGap) ? gap : Int64(cost.preferredBlock))
            guard needed <= room else { continue }
            room -= needed
            end = range.upperBound
            fitting.append(range)
        }
        if !fitting.isEmpty { _ = try await load(fitting) }
    }

    /// Returns the bytes of each of `ranges`, clamped to the file, in their order. All go through the blocks; a piece
    /// that is larger than half of the capacity is not cached.
    ///
    /// - Throws: `CocoaError(.fileReadUnknown)` if the base returns fewer bytes than the file has there; the base's
    ///   errors.
    /// - Complexity: No request for cached bytes; the rest in as few as the cost model says, at once.
    public func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        let blocks = try await load(ranges)
        return try ranges.map { try bytes($0, from: blocks) }
    }

    /// Returns the bytes of `range`, clamped to the file. Sequential reads load the following bytes along with each
    /// piece, twice as many each time, up to 1 MiB or four of the base's preferred blocks.
    ///
    /// - Parameter limit: The offset up to which bytes may be loaded ahead.
    /// - Throws: As ``read(_:)-([Range<Int64>])``.
    func read(_ range: Range<Int64>, aheadTo limit: Int64) async throws -> Data {
        let asked = store.withLock { $0.extend(range, to: limit) }
        return try bytes(range, from: try await load([asked]))
    }

    /// Sends `part` into `sink`: up to ``maxCachedRead`` bytes from the blocks, more than that as it arrives, without
    /// caching it.
    ///
    /// While the file's size is not known, all but small ranges go to the base unchanged.
    ///
    /// - Throws: As ``read(_:)``; an error of the sink.
    /// - Complexity: No request for cached bytes; one for the middle of a large part.
    public func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let known = store.withLock { $0.size }
        guard let range = part.resolved(knowing: known) else { return try await base.stream(part, into: sink) }
        if range.count <= Self.maxCachedRead {
            let data = try await read(range, aheadTo: known ?? range.upperBound)
            let size = try await attributes().size
            let extent = FileExtent(offset: min(range.lowerBound, size), count: Int64(data.count), size: size)
            try await sink.take(data, extent: extent)
            return extent
        }
        guard let known else { return try await base.stream(part, into: sink) }
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: known)
        try await passThrough(extent, into: sink)
        return extent
    }

    /// Drops the blocks and closes the base.
    public func close() async {
        store.withLock { $0.removeAll() }
        await base.close()
    }

    // MARK: How

    /// Returns blocks, in order of offset, that together hold all of `ranges`: cached ones, those being loaded, and new
    /// ones.
    private func load(_ ranges: [Range<Int64>]) async throws -> [BlockStore.Block] {
        try Task.checkCancellation()
        let plan = store.withLock { $0.plan(ranges) }
        defer { for fetch in plan.fetches { leave(fetch) } }
        if let (fetch, missing) = plan.new { fetch.start { try await self.bring(missing, for: fetch) } }
        var blocks = plan.held
        for fetch in plan.fetches { blocks += try await fetch.value() }
        return blocks.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    /// Returns the bytes of `range`, clamped to the file, from `blocks` in order of offset.
    private func bytes(_ range: Range<Int64>, from blocks: [BlockStore.Block]) throws -> Data {
        let range = range.clamped(to: 0..<(store.withLock { $0.size } ?? .max))
        let data = Self.assemble(range, from: blocks)
        try check(Int64(data.count), of: range)
        // A copy, because a slice would keep its whole block alive and has other indices.
        return Data(data)
    }

    private func leave(_ fetch: BlockStore.Fetch) {
        let isLast = store.withLock { store in
            guard fetch.leave() else { return false }
            store.remove(fetch)
            return true
        }
        if isLast { fetch.cancel() }
    }

    private func bring(_ ranges: [Range<Int64>], for fetch: BlockStore.Fetch) async throws -> [BlockStore.Block] {
        do {
            let parts = try await base.read(ranges)
            let size = try await base.attributes().size
            try checkSize(size)
            for (range, data) in zip(ranges, parts) { try check(Int64(data.count), of: range.clamped(to: 0..<size)) }
            let blocks = zip(ranges, parts).map { BlockStore.Block(offset: $0.lowerBound, data: $1) }
            store.withLock { store in
                store.size = size
                store.insert(blocks)
                store.remove(fetch)
            }
            return blocks
        } catch {
            store.withLock { $0.remove(fetch) }
            throw error
        }
    }

    /// Sends a large part: one request for what the blocks do not have at either end.
    private func passThrough(_ extent: FileExtent, into sink: any ByteSink) async throws {
        let range = extent.offset..<extent.offset + extent.count
        let blocks = store.withLock { $0.use(range) }
        let first = Self.assemble(range, from: blocks)
        let last = Self.assembleEnd(range, from: blocks, notBefore: range.lowerBound + Int64(first.count))
        try await sink.take(first, extent: extent)
        let middle = range.lowerBound + Int64(first.count)..<range.upperBound - Int64(last.count)
        if !middle.isEmpty {
            let came = try await base.stream(.range(middle), into: TappedSink(sink, isAnnounced: true))
            try check(came.count, of: middle)
        }
        if !last.isEmpty { try await sink.take(last) }
    }

    private func checkSize(_ size: Int64) throws {
        guard size <= Self.maxFileSize else {
            throw FileError.make(
                .fileReadTooLarge, path: path,
                sentence: "“\(path)” claims a size of \(size) bytes, which is more than any file has.")
        }
    }

    private func check(_ count: Int64, of range: Range<Int64>) throws {
        guard count >= Int64(range.count) else {
            throw FileError.make(
                .fileReadUnknown, path: path,
                sentence:
                    "The storage returned \(count) of \(range.count) bytes of “\(path)” from offset \(range.lowerBound)."
            )
        }
    }

    /// Returns the bytes of `range` from its start up to the first hole in `blocks`, which are in order of offset.
    private static func assemble(_ range: Range<Int64>, from blocks: [BlockStore.Block]) -> Data {
        if let block = blocks.first(where: {
            $0.range.lowerBound <= range.lowerBound && $0.range.upperBound >= range.upperBound
        }) {
            return block.bytes(in: range)
        }
        var data = Data()
        for block in blocks {
            let next = range.lowerBound + Int64(data.count)
            guard block.range.lowerBound <= next else { break }
            if block.range.upperBound > next, next < range.upperBound {
                data += block.bytes(in: next..<range.upperBound)
            }
        }
        return data
    }

    /// Returns the bytes up to the end of `range` that one block has, but not from before `start`.
    private static func assembleEnd(_ range: Range<Int64>, from blocks: [BlockStore.Block], notBefore start: Int64)
        -> Data
    {
        guard start < range.upperBound, let block = blocks.last, block.range.contains(range.upperBound - 1) else {
            return Data()
        }
        return block.bytes(in: max(start, block.range.lowerBound)..<range.upperBound)
    }
}

extension FilePart {
    /// Returns the offsets that this part covers; nil if that depends on an unknown size.
    fileprivate func resolved(knowing size: Int64?) -> Range<Int64>? {
        switch self {
        case .range: resolved(size: size ?? .max)
        default: size.map { resolved(size: $0) }
        }
    }
}

extension BlockStore.Block {
    /// Returns the part of `range` that this block has; `range` starts in it.
    fileprivate func bytes(in range: Range<Int64>) -> Data {
        data.dropFirst(Int(range.lowerBound - self.range.lowerBound)).prefix(range.count)
    }
}

public import FileProviderCore
public import Foundation
import Synchronization

/// A reader that keeps the blocks it has read, bounded, and asks its base for what is missing in as few requests as the
/// base's ``/FileProviderCore/Capabilities/ReadCost`` makes sensible.
///
/// Meant for what many small reads go to, such as the directory and the small entries of an archive. Reads of up to
/// ``maxCachedRead`` bytes go through the blocks; larger ones are passed through, less what the blocks have of their
/// two ends. Who reads on and on in such small pieces gets what follows loaded along with them, more each time, where a
/// range costs a round trip. Bytes that are held, or on their way for somebody else, are not asked for again. The only
/// exception is the base's own: it may read over a hole that is narrower than its coalescing gap.
public final class CachedFileReader: FileReader {
    /// Reads of up to 128 KiB are kept.
    public static let maxCachedRead: Int64 = 128 << 10
    /// No file is as long as 1 EiB: sums of offsets stay numbers below it.
    private static let maxFileSize: Int64 = 1 << 60

    /// The base's.
    public let path: ProviderPath
    /// The base's, by which requests are put together; what is held costs nothing.
    public let cost: Capabilities.ReadCost
    private let base: any FileReader
    private let store: Mutex<BlockStore>

    /// - Parameter capacity: The most bytes that are kept, 4 MiB unless said otherwise; at least four of the base's
    ///   preferred blocks.
    public init(_ base: any FileReader, capacity: Int = 4 << 20) {
        self.base = base
        path = base.path
        cost = base.cost
        store = Mutex(BlockStore(capacity: max(capacity, 4 * base.cost.preferredBlock), cost: base.cost))
    }

    /// The base's answer, which may cost the base's one request; its size is remembered.
    ///
    /// - Throws: `CocoaError(.fileReadTooLarge)` for a base that claims more than 1 EiB; errors of the base.
    public func attributes() async throws -> FileReaderAttributes {
        let attributes = try await base.attributes()
        try checkSize(attributes.size)
        store.withLock { $0.size = attributes.size }
        return attributes
    }

    /// The last `count` bytes of the file, or all when it is shorter.
    ///
    /// - Complexity: As the very first read, one request that also tells the file's size. Later, what is not held.
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

    /// Has `ranges` read and kept; those that with the gaps between them do not fit into half of the capacity are left
    /// out.
    ///
    /// - Complexity: No request for what is held; the rest in as few as the cost model says, at once.
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

    /// The bytes of each of `ranges`, clamped to the file, in their order. All go through the blocks; a piece that is
    /// larger than half of the capacity is not kept.
    ///
    /// - Throws: `CocoaError(.fileReadUnknown)` when the base gives fewer bytes than the file has there; the base's
    ///   errors.
    /// - Complexity: No request for what is held; the rest in as few as the cost model says, at once.
    public func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        let blocks = try await load(ranges)
        return try ranges.map { try bytes($0, from: blocks) }
    }

    /// The bytes of `range`, clamped to the file. Who reads on and on in pieces gets what follows loaded along with a
    /// piece, twice as much each time, up to 1 MiB or four of the base's preferred blocks.
    ///
    /// - Parameter limit: Nothing is loaded ahead from here on.
    /// - Throws: As ``read(_:)-([Range<Int64>])``.
    func read(_ range: Range<Int64>, aheadTo limit: Int64) async throws -> Data {
        let asked = store.withLock { $0.extend(range, to: limit) }
        return try bytes(range, from: try await load([asked]))
    }

    /// Sends `part` into `sink`: up to ``maxCachedRead`` bytes from the blocks, more than that as it comes, without
    /// keeping it.
    ///
    /// While the file's size is not known, all but small ranges go to the base as they are.
    ///
    /// - Throws: As ``read(_:)``; an error of the sink.
    /// - Complexity: No request for what is held; one for the middle of a large part.
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

    /// Forgets the blocks and closes the base.
    public func close() async {
        store.withLock { $0.removeAll() }
        await base.close()
    }

    // MARK: How

    /// Blocks, in order of offset, that together hold all of `ranges`: those that are here, those on their way, and new
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

    /// The bytes of `range`, clamped to the file, from `blocks` in order of offset.
    private func bytes(_ range: Range<Int64>, from blocks: [BlockStore.Block]) throws -> Data {
        let range = range.clamped(to: 0..<(store.withLock { $0.size } ?? .max))
        let data = Self.assemble(range, from: blocks)
        try check(Int64(data.count), of: range)
        // A copy, because a slice would keep its whole block alive and count its bytes from elsewhere.
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

    /// One request for what the blocks do not have at either end of a large part.
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
                .fileReadTooLarge, path: path, sentence: "“\(path)” claims to have \(size) bytes, which no file has.")
        }
    }

    private func check(_ count: Int64, of range: Range<Int64>) throws {
        guard count >= Int64(range.count) else {
            throw FileError.make(
                .fileReadUnknown, path: path,
                sentence: "“\(path)” came short: \(count) of \(range.count) bytes from offset \(range.lowerBound).")
        }
    }

    /// The bytes of `range` from its start as far as `blocks`, in order of offset, have them without a hole.
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

    /// The bytes up to the end of `range` as far back as one block has them, but not from before `start`.
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
    /// The offsets that this part covers; nil when that depends on a size that is not known.
    fileprivate func resolved(knowing size: Int64?) -> Range<Int64>? {
        switch self {
        case .range: resolved(size: size ?? .max)
        default: size.map { resolved(size: $0) }
        }
    }
}

extension BlockStore.Block {
    /// The part of `range` that this block has; `range` starts in it.
    fileprivate func bytes(in range: Range<Int64>) -> Data {
        data.dropFirst(Int(range.lowerBound - self.range.lowerBound)).prefix(range.count)
    }
}

public import FileProviderCore
public import Foundation
import Synchronization

/// Reading entries.
extension ZIPArchive {
    /// How much longer the local header's extra field may be than the directory's before a second request is needed.
    static let headerSlack: Int64 = 128

    /// Sends the unpacked bytes of `entry` in `range`, clamped to the entry, into `sink`; all bytes if `range` is nil.
    ///
    /// An entry that is read whole is verified against its CRC-32 at the end, after the sink has received the bytes. A
    /// part cannot be verified. Parts of large deflated entries are unpacked from the nearest checkpoint of earlier
    /// reads; sequential reads continue where the last one ended.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a damaged entry, `.fileReadNoPermission` for an encrypted one,
    ///   `.featureUnsupported` for another compression, `.fileReadTooLarge` over a limit; errors of the reader and of
    ///   the sink.
    /// - Complexity: One request, for uncached bytes of local header and data together; none if a small entry was
    ///   prefetched. A part of a stored entry costs its bytes, and at most one small request for the header; sequential
    ///   reads in pieces of up to 128 KiB load more with each request. A part of a deflated entry costs everything
    ///   before it, the first time; then, in an entry of 2 MiB or more, about 1 MiB before it at most, to download and
    ///   unpack (more for an incompressible entry of more than 400 MB, which has fewer checkpoints).
    public func stream(_ entry: ZIPEntry, range: Range<Int64>? = nil, into sink: any ByteSink) async throws {
        guard !isClosed else {
            throw FileError.make(
                .fileReadUnknown, path: entry.path, sentence: "“\(entry.path)” cannot be read: its archive was closed.")
        }
        try entry.checkReadable(limits)
        let all = 0..<entry.uncompressedSize
        let wanted = range.map { max(0, $0.lowerBound)..<max(0, $0.upperBound) }?.clamped(to: all) ?? all
        let extent = FileExtent(offset: wanted.lowerBound, count: Int64(wanted.count), size: entry.uncompressedSize)
        if wanted.isEmpty, range != nil || entry.compressedSize == 0 {
            guard !all.isEmpty || entry.checksum == 0 else { throw entry.damaged("its checksum is wrong") }
            return try await sink.take(Data(), extent: extent)
        }
        if entry.isCompressed {
            try await streamDeflated(entry, extent: extent, into: sink)
        } else {
            try await streamStored(entry, extent: extent, into: sink)
        }
    }

    /// Returns the unpacked bytes of `entry` in `range`, clamped to the entry; all bytes if `range` is nil.
    ///
    /// - Throws: As ``stream(_:range:into:)-(ZIPEntry,_,_)``, and `CocoaError(.fileReadTooLarge)` over 256 MiB.
    public func read(_ entry: ZIPEntry, range: Range<Int64>? = nil) async throws -> Data {
        let sink = DataSink(limit: CachedFileReader.memoryLimitInBytes)
        try await stream(entry, range: range, into: sink)
        return sink.data
    }

    /// Loads those of `entries` that are small enough to be cached, together: reading them then costs no request.
    ///
    /// - Complexity: As few requests as the reader's cost model says, at once. Entries over half of the cache's
    ///   capacity are left out.
    public func prefetch(_ entries: [ZIPEntry]) async throws {
        let small = entries.filter { $0.defect == nil && $0.compressedSize <= CachedFileReader.maxCachedRead }
        try await reader.prefetch(small.map { position(of: 0..<$0.compressedSize, in: $0) })
    }

    // MARK: Stored

    private func streamStored(_ entry: ZIPEntry, extent: FileExtent, into sink: any ByteSink) async throws {
        let isWhole = extent.count == extent.size
        let wanted = extent.offset..<extent.offset + extent.count
        if extent.count <= CachedFileReader.maxCachedRead {
            let data = try await bytes(wanted, of: entry, aheadTo: entry.compressedSize)
            if isWhole { try check(data, of: entry) }
            return try await sink.take(data, extent: extent)
        }
        let checking = CheckingSink(sink, extent: extent)
        try await streamData(wanted, of: entry, into: checking)
        if isWhole, checking.checksum != entry.checksum { throw entry.damaged("its checksum is wrong") }
    }

    private func check(_ data: Data, of entry: ZIPEntry) throws {
        var checksum = CRC32()
        data.withUnsafeBytes { checksum.update($0) }
        guard checksum.value == entry.checksum else { throw entry.damaged("its checksum is wrong") }
    }

    // MARK: An entry's bytes as they are in the archive

    /// Sends the part `wanted` of an entry's data into `sink`, in one request if none of it is cached.
    func streamData(_ wanted: Range<Int64>, of entry: ZIPEntry, into sink: any ByteSink) async throws {
        var next = wanted.lowerBound
        if let range = wholeRequest(for: wanted, of: entry) {
            let data = EntryDataSink(sink, count: Int64(wanted.count))
            _ = try await reader.stream(.range(range), into: data)
            try remember(entry, headerLength: data.headerLength)
            next += data.delivered
        }
        // The rest: everything if the offset was known; otherwise what a long extra field pushed out of the first
        // request, usually nothing.
        guard next < wanted.upperBound else { return }
        let start = try await dataOffset(of: entry, for: wanted)
        let rest = start + next..<start + wanted.upperBound
        let came = try await reader.stream(.range(rest), into: TappedSink(sink, isAnnounced: true))
        guard came.count == Int64(rest.count) else { throw entry.damaged("the file ends inside it") }
    }

    /// Returns the range that covers the local header and the data; nil if the data's offset is known, or far from the
    /// header.
    private func wholeRequest(for wanted: Range<Int64>, of entry: ZIPEntry) -> Range<Int64>? {
        guard wanted.lowerBound == 0, knownOffset(of: entry) == nil else { return nil }
        return position(of: wanted, in: entry)
    }

    /// Returns the part `wanted` of an entry's data; for parts that are small enough to be cached.
    ///
    /// - Parameter limit: The offset up to which sequential reads may load ahead.
    package func bytes(_ wanted: Range<Int64>, of entry: ZIPEntry, aheadTo limit: Int64) async throws -> Data {
        if wanted.isEmpty { return Data() }
        let start = try await dataOffset(of: entry, for: wanted)
        return try await reader.read(start + wanted.lowerBound..<start + wanted.upperBound, aheadTo: start + limit)
    }

    /// Returns where the data starts in the file. If that takes a request, it also loads the part `wanted` if that is
    /// small or follows the header.
    private func dataOffset(of entry: ZIPEntry, for wanted: Range<Int64>) async throws -> Int64 {
        if let known = knownOffset(of: entry) { return known }
        let header = entry.headerOffset..<min(entry.headerOffset + entry.expectedHeaderLength, entry.dataLimit)
        var ranges = [header]
        if wanted.count <= CachedFileReader.maxCachedRead || wanted.lowerBound == 0 {
            ranges.append(position(of: wanted, in: entry))
        }
        let bytes = try await reader.read(ranges)[0]
        try remember(entry, headerLength: bytes.withUnsafeBytes { ZIPRecord.lengthOfLocalHeader($0) })
        // Just remembered, or an error was thrown.
        return knownOffset(of: entry) ?? entry.headerOffset
    }

    private func knownOffset(of entry: ZIPEntry) -> Int64? { dataOffsets.withLock { $0[entry.index] } }

    /// Keeps the data's offset, if the data fits there.
    private func remember(_ entry: ZIPEntry, headerLength: Int64?) throws {
        guard let headerLength else { throw entry.damaged("it has no header where the directory says") }
        let start = entry.headerOffset + headerLength
        guard start + entry.compressedSize <= entry.dataLimit else {
            throw entry.damaged("it claims bytes that belong to other parts of the archive")
        }
        dataOffsets.withLock { $0[entry.index] = start }
    }

    /// Returns the expected range of the part `wanted` of the data in the file, with the header if it starts at 0, and
    /// with some slack.
    private func position(of wanted: Range<Int64>, in entry: ZIPEntry) -> Range<Int64> {
        if let start = knownOffset(of: entry) { return start + wanted.lowerBound..<start + wanted.upperBound }
        let expected = entry.headerOffset + entry.expectedHeaderLength
        let end = min(expected + wanted.upperBound + Self.headerSlack, entry.dataLimit)
        return min(wanted.lowerBound == 0 ? entry.headerOffset : expected + wanted.lowerBound, end)..<end
    }
}

extension CachedFileReader {
    /// ``/FileProviderCore/FileReader/memoryLimit`` for sinks, which count in `Int`.
    fileprivate static var memoryLimitInBytes: Int { Int(memoryLimit) }
}

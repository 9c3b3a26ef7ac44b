import FileProviderCore
import Foundation
import SFTPEngine

/// Reads a file with `READ`, at any offsets and any number at once.
///
/// The first read opens the file and looks at it, in one round trip. The file stays open. Each later read looks again,
/// in the same round trip.
final class SFTPReader: SFTPHandleHolder, FileReader {
    /// A file that is open on a session.
    struct OpenFile: Sendable {
        let session: SFTPSession
        let handle: SFTPHandle
    }

    struct State: Sendable {
        var opening: Task<OpenFile, any Error>?
        /// The result of ``opening``.
        var opened: OpenFile?
        var known: FileReaderAttributes?
        /// Seconds since 1970; nil if the server reports no times.
        var modified: UInt32?
        var readers = 0
        /// When the last of ``readers`` was done.
        var rested = ContinuousClock.now
        var isClosed = false
    }

    let path: ProviderPath
    let cost = SFTPFileProvider.readCost
    let provider: SFTPFileProvider
    let state = LockedValue(State())

    /// Larger parts use separate lanes, straight into their sink.
    private static let small: Int64 = 1 << 20

    init(path: ProviderPath, provider: SFTPFileProvider) {
        self.path = path
        self.provider = provider
    }

    deinit {
        // What is still being opened holds the reader.
        if let opened = state.value.opened { opened.session.close([opened.handle]) }
    }

    var url: URL { provider.url(of: path) }

    func attributes() async throws -> FileReaderAttributes {
        if let known = try checked().known { return known }
        try await provider.connection.retrying(path, operation: "open") { _ = try await self.opened() }
        // Set by the opening.
        guard let known = state.value.known else { throw provider.unexpected(path) }
        return known
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let size = try await attributes().size
        let range = part.resolved(size: size)
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
        try sink.begin(extent)
        if range.isEmpty { return extent }
        if Int64(range.count) > Self.small {
            try await SFTPBulkDownload(reader: self, range: range, sink: sink).run()
        } else {
            for piece in try await pieces([range])[0] { try await sink.send(piece) }
        }
        return extent
    }

    /// All of them in one round trip.
    func read(_ ranges: [Range<Int64>]) async throws -> [Data] {
        let size = try await attributes().size
        let ranges = ranges.map { $0.clamped(to: 0..<size) }
        // A server may report any size.
        let total = ranges.reduce(Int64(0)) { total, range in
            let (sum, isTooMuch) = total.addingReportingOverflow(Int64(range.count))
            return isTooMuch ? .max : sum
        }
        guard total <= Self.memoryLimit else {
            throw FileError.make(
                .fileReadTooLarge, path: path, url: url, sentence: "Ranges of \(total) bytes of “\(path)” are too long."
            )
        }
        return try await pieces(ranges).map { $0.reduce(into: Data()) { $0 += $1 } }
    }

    func close() async {
        let opening = state.update { state in
            state.isClosed = true
            return state.opening
        }
        provider.handles.remove(self)
        // Doesn't wait for a silent server; if a handle still arrives, the session closes it.
        opening?.cancel()
        _ = try? await opening?.value
        // Taken once: an idle file may have been given back meanwhile.
        guard let opened = state.update({ $0.opened.take() }) else { return }
        opened.session.close([opened.handle])
    }

    // MARK: Reading

    /// A block that is asked for, for one of the ranges.
    private struct Block {
        let range: Int
        let offset: Int64
        let count: Int
    }

    private func pieces(_ ranges: [Range<Int64>]) async throws -> [[Data]] {
        try await whileReading {
            let total = ranges.reduce(0) { $0 + Int64($1.count) }
            return try await provider.connection.retrying(
                path, operation: "read", tally: { TransferTally(bytesIn: total) }
            ) { try await self.pieces(ranges, of: self.opened()) }
        }
    }

    /// The ranges of what is open, in one round trip; each may be in several pieces.
    func pieces(_ ranges: [Range<Int64>], of opened: OpenFile) async throws -> [[Data]] {
        var pieces = ranges.map { _ in [(offset: Int64, data: Data)]() }
        var blocks = blocks(of: ranges, each: opened.session.limits.read)
        while !blocks.isEmpty {
            let batch = blocks.prefix(64)
            blocks.removeFirst(batch.count)
            let requests = batch.map { SFTPRequest.read(opened.handle, at: UInt64($0.offset), count: UInt32($0.count)) }
            try await provider.connection.receivingPace?.wait(batch.reduce(0) { $0 + $1.count })
            let replies = try await provider.connection.send(requests + [look(at: opened)], opened.session)
            try await settle(replies[batch.count], of: opened)
            for (block, reply) in zip(batch, replies) {
                let data = try data(reply, for: block)
                pieces[block.range].append((block.offset, data))
                // Short replies are legal: the rest is requested again.
                if data.count < block.count {
                    blocks.append(
                        Block(
                            range: block.range, offset: block.offset + Int64(data.count),
                            count: block.count - data.count))
                }
            }
        }
        return pieces.map { $0.sorted { $0.offset < $1.offset }.map(\.data) }
    }

    private func blocks(of ranges: [Range<Int64>], each maxCount: Int) -> [Block] {
        ranges.enumerated().flatMap { index, range in
            stride(from: range.lowerBound, to: range.upperBound, by: maxCount).map { offset in
                Block(range: index, offset: offset, count: Int(min(Int64(maxCount), range.upperBound - offset)))
            }
        }
    }

    private func data(_ reply: SFTPReply, for block: Block) throws -> Data {
        switch reply {
        case .data(let bytes) where (1...block.count).contains(bytes.count): return Data(bytes)
        case .status(let status) where status.isEndOfFile: throw FileError.changedWhileReading(path, url: url)
        case .status(let status): throw SFTPCondition(status: status, path: path, url: url).error
        default: throw provider.unexpected(path)
        }
    }
}

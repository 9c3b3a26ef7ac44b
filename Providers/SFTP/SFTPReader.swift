import FileProviderCore
import Foundation
import SFTPEngine

/// A file that is read by `READ`, at any offsets, any number at once.
///
/// It is opened and looked at in one round trip, by the first read, and stays open. Each later read looks again, in the same round trip.
final class SFTPReader: FileReader {
    /// A file that is open on a session.
    struct Opened: Sendable {
        let session: SFTPSession
        let handle: SFTPHandle
    }

    private struct State: Sendable {
        var opening: Task<Opened, any Error>?
        /// What came of ``opening``.
        var opened: Opened?
        var known: FileReaderAttributes?
        var readers = 0
        var isClosed = false
    }

    let path: ProviderPath
    let cost = SFTPFileProvider.readCost
    let provider: SFTPFileProvider
    private let state = Locked(State())

    /// Parts of more bytes go by lanes of their own, straight into their sink.
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
        try await provider.connection.retrying(path) { _ = try await self.opened() }
        // Set by what was opened.
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
        // A server may tell any size.
        let total = ranges.reduce(Int64(0)) { total, range in
            let (sum, isTooMuch) = total.addingReportingOverflow(Int64(range.count))
            return isTooMuch ? .max : sum
        }
        guard total <= Self.memoryLimit else {
            throw FileError.make(.fileReadTooLarge, path: path, url: url, sentence: "The ranges of “\(path)” have \(total) bytes in all.")
        }
        return try await pieces(ranges).map { $0.reduce(into: Data()) { $0 += $1 } }
    }

    func close() async {
        let opening = state.update { state in
            state.isClosed = true
            return state.opening
        }
        provider.handles.remove(self)
        // A server that doesn't answer holds up nobody; a handle that still comes is closed by the session.
        opening?.cancel()
        _ = try? await opening?.value
        // Taken once: an idle file may have been given back meanwhile.
        guard let opened = state.update({ $0.opened.take() }) else { return }
        opened.session.close([opened.handle])
    }

    /// Closes the file unless it is being read; the next read opens it again.
    ///
    /// - Returns: The closing, which is on its way; nil where there is nothing to close.
    func giveBack() -> SFTPCall? {
        let idle = state.update { state -> Opened? in
            guard state.readers == 0, let opened = state.opened.take() else { return nil }
            state.opening = nil
            return opened
        }
        return idle.map { provider.connection.begin([.close($0.handle)], $0.session) }
    }

    // MARK: Opening

    private func checked() throws -> State {
        let state = state.value
        if state.isClosed { throw FileError.closed(path) }
        return state
    }

    private func opened() async throws -> Opened {
        while true {
            let task = try state.update { state in
                if state.isClosed { throw FileError.closed(path) }
                if let opening = state.opening { return opening }
                let opening = Task {
                    let opened = try await self.open(on: self.provider.connection.pool.session())
                    self.state.update { $0.opened = opened }
                    return opened
                }
                state.opening = opening
                return opening
            }
            do {
                let opened = try await task.sharedValue()
                if opened.session.ending == nil { return opened }
                forget(task)
            } catch {
                if Task.isCancelled { throw error }
                forget(task)
                throw error is CancellationError ? FileError.closed(path) : error
            }
        }
    }

    private func forget(_ task: Task<Opened, any Error>) { state.update { if $0.opening == task { ($0.opening, $0.opened) = (nil, nil) } } }

    /// Opens the file on `session` and sees that it is the version that is being read.
    func open(on session: SFTPSession) async throws -> Opened {
        provider.handles.add(self)
        let name = provider.connection.host.bytes(of: path)
        var replies = try await provider.connection.send([.open(name, .read), .stat(name)], session)
        // What is there and may be read is refused where no handle is left; some servers call it missing then.
        if let code = replies[0].status?.code, case .attributes = replies[1], code != SFTPStatus.Code.permissionDenied,
            await provider.handles.giveBackIdle()
        {
            replies = try await provider.connection.send([.open(name, .read), .stat(name)], session)
        }
        var handle: SFTPHandle?
        if case .handle(let opened) = replies[0] { handle = opened }
        do {
            guard let item = try provider.item(replies[1], at: path) else { throw provider.missing(path) }
            if item.isDirectory { throw FileError.isADirectory(path, url: url) }
            guard let handle else {
                guard let status = replies[0].status else { throw provider.unexpected(path) }
                throw SFTPCondition(status: status, path: path, url: url).error
            }
            try settle(replies[1])
            return Opened(session: session, handle: handle)
        } catch {
            if let handle { session.close([handle]) }
            throw error
        }
    }

    /// - Throws: `CocoaError(.fileReadUnknown)` when the file is not the one of the first read.
    func settle(_ reply: SFTPReply) throws {
        guard case .attributes(let found) = reply else {
            guard let status = reply.status else { throw provider.unexpected(path) }
            throw SFTPCondition(status: status, path: path, url: url).error
        }
        guard let size = found.size.flatMap({ Int64(exactly: $0) }) else {
            throw FileError.unsupported("Reading a file of unknown size", path: path, url: url)
        }
        let attributes = FileReaderAttributes(size: size, validator: found.times.map { "\($0.modification)-\(size)" })
        try state.update { state in
            guard let known = state.known else {
                state.known = attributes
                return
            }
            guard known == attributes else { throw FileError.changedWhileReading(path, url: url) }
        }
    }

    // MARK: Reading

    /// A block that is asked for, for one of the ranges.
    private struct Block {
        let range: Int
        let offset: Int64
        let count: Int
    }

    private func pieces(_ ranges: [Range<Int64>]) async throws -> [[Data]] {
        state.update { $0.readers += 1 }
        defer { state.update { $0.readers -= 1 } }
        return try await provider.connection.retrying(path) { try await self.pieces(ranges, of: self.opened()) }
    }

    /// The ranges of what is open, in one round trip; each may be in several pieces.
    func pieces(_ ranges: [Range<Int64>], of opened: Opened) async throws -> [[Data]] {
        var pieces = ranges.map { _ in [(offset: Int64, data: Data)]() }
        var blocks = blocks(of: ranges, each: opened.session.limits.read)
        while !blocks.isEmpty {
            let some = blocks.prefix(64)
            blocks.removeFirst(some.count)
            let requests = some.map { SFTPRequest.read(opened.handle, at: UInt64($0.offset), count: UInt32($0.count)) }
            try await provider.connection.receivingPace?.wait(some.reduce(0) { $0 + $1.count })
            let replies = try await provider.connection.send(requests + [.fstat(opened.handle)], opened.session)
            try settle(replies[some.count])
            for (block, reply) in zip(some, replies) {
                let data = try data(reply, for: block)
                pieces[block.range].append((block.offset, data))
                // Short answers are legal: the rest is asked for again.
                if data.count < block.count {
                    blocks.append(Block(range: block.range, offset: block.offset + Int64(data.count), count: block.count - data.count))
                }
            }
        }
        return pieces.map { $0.sorted { $0.offset < $1.offset }.map(\.data) }
    }

    private func blocks(of ranges: [Range<Int64>], each most: Int) -> [Block] {
        ranges.enumerated().flatMap { index, range in
            stride(from: range.lowerBound, to: range.upperBound, by: most).map { offset in
                Block(range: index, offset: offset, count: Int(min(Int64(most), range.upperBound - offset)))
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

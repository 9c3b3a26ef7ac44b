import CurlTransport
import FileProviderCore
import Foundation

/// Reads a file with `RETR`, from an offset with `REST` (RFC 3659, section 5).
///
/// Each range takes a data connection, so an open one is read on: a range a little ahead of the last one costs only the
/// bytes between. Small ranges are read one after the other.
final class FTPReader: FileReader {
    let path: ProviderPath
    let cost = FTPFileProvider.readCost
    private let provider: FTPFileProvider
    private let known = LockedValue<FileReaderAttributes?>(nil)
    private let isClosed = LockedValue(false)
    /// The number of parts being fetched, and whether there were several at once.
    private let running = LockedValue((count: 0, wereSeveral: false))
    private let stream: FTPForwardStream

    /// Larger parts use a separate data connection, straight into their sink.
    private static let small: Int64 = 1 << 20

    init(path: ProviderPath, provider: FTPFileProvider) {
        self.path = path
        self.provider = provider
        stream = FTPForwardStream(pool: provider.connection.pool)
    }

    func attributes() async throws -> FileReaderAttributes {
        if isClosed.value { throw FileError.closed(path) }
        if let known = known.value { return known }
        return try await provider.connection.run(path) { try await self.settle($0) }
    }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        // Attributes that were just requested are not requested again.
        let isFresh = known.value == nil
        let size = try await attributes().size
        if isClosed.value { throw FileError.closed(path) }
        let range = part.resolved(size: size)
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
        try sink.begin(extent)
        if range.isEmpty { return extent }
        if range.upperBound == size && range.lowerBound == 0 || Int64(range.count) > Self.small {
            try await retrieve(range, size: size, isFresh: isFresh, into: sink)
        } else {
            try await readOn(range, size: size, isFresh: isFresh, into: sink)
        }
        return extent
    }

    func close() async {
        isClosed.update { $0 = true }
        await stream.close()
    }

    // MARK: The version

    /// Returns size and version, and verifies that they have not changed.
    ///
    /// - Throws: `CocoaError(.fileReadUnknown)` if the file has changed since the first read.
    private func settle(_ session: FTPSession) async throws -> FileReaderAttributes {
        let name = try session.host.transferBytes(of: path)
        let outcome = try await session.sendTogether(
            session.binary + [FTPCommand("SIZE", argument: name), FTPCommand("MDTM", argument: name)])
        var size = outcome.size
        if size == nil {
            // Finds out what 550 means, and serves servers that report no sizes.
            guard let item = try await provider.item(path, session) else { throw provider.missing(path) }
            if item.isDirectory { throw FileError.isADirectory(path, url: provider.url(of: path)) }
            size = item.size
        }
        guard let size else {
            throw FileError.unsupported(
                "read a file of unknown size", by: provider.type, path: path, url: provider.url(of: path))
        }
        let time = outcome["MDTM"].flatMap { $0.code == 213 ? $0.text : nil }
        let validator = time.map { "\($0) \(size)" }
        let attributes = FileReaderAttributes(
            size: size, validator: validator, concurrentRanges: concurrentRanges(outcome["MDTM"]),
            validatorDate: time.map { FTPDate.parse($0) ?? .distantFuture })
        try known.update { known in
            guard let before = known else {
                known = attributes
                return
            }
            guard before.size == size, before.validator == validator else { throw changed }
        }
        return attributes
    }

    /// Ranges read at once are of one version if size and time were the same before and after each. A time that is in
    /// the future, or very recent, may also be that of the next version.
    private func concurrentRanges(_ time: FTPReply?) -> ConcurrentRanges? {
        let options = provider.connection.options
        let maxCount = min(options.maxRangesAtOnce, options.connectionsPerHost)
        guard maxCount > 1, let time, time.code == 213, let date = FTPDate.parse(time.text),
            date.timeIntervalSinceNow < -Self.maxDoubt
        else { return nil }
        return ConcurrentRanges(maxCount: maxCount, minSize: 8 << 20, maxSize: 8 << 20)
    }

    /// Seconds by which the clocks may differ, plus about a minute for times in whole minutes.
    private static let maxDoubt = 120.0

    // MARK: Bytes

    /// Fetches all of `range` over one data connection. After a lost connection, only the missing bytes are requested.
    private func retrieve(_ range: Range<Int64>, size: Int64, isFresh: Bool, into sink: any ByteSink) async throws {
        let counted = TappedSink(sink, limit: (Int64(range.count), changed))
        running.update { $0 = ($0.count + 1, $0.wereSeveral || $0.count > 0) }
        defer { running.update { $0.count -= 1 } }
        try await untilProven {
            try await self.retrieve(range, size: size, isFresh: isFresh, into: counted)
        }
        if let failure = counted.failure { throw failure }
        try Task.checkCancellation()
        if range.count < size, running.value.wereSeveral {
            // One data connection reads one version; the next may read another.
            _ = try await provider.connection.run(path) { try await self.settle($0) }
        }
    }

    private func retrieve(_ range: Range<Int64>, size: Int64, isFresh: Bool, into counted: TappedSink) async throws {
        try await provider.connection.run(path) { session in
            let start = range.lowerBound + counted.count
            if start >= range.upperBound { return }
            if !isFresh || counted.count > 0 { _ = try await self.settle(session) }
            if range.upperBound < size { try await self.proveOffsets(start, size: size, session: session) }
            let count = range.upperBound == size ? nil : range.upperBound - start
            let name = try session.host.transferBytes(of: self.path)
            let outcome: FTPOutcome
            do {
                outcome = try await session.send(
                    FTPExchange(transfer: .retrieve(name, offset: start, count: count, sparingly: false)) { counted })
                try await self.check(outcome, session)
            } catch let error where error is FTPFailure && counted.hasAll(of: range) {
                // Every byte has arrived, and only the server's final reply is missing. The connection is lost, but the
                // file is complete.
                return
            }
            if counted.failure == nil, !counted.hasAll(of: range) {
                // Resuming could append part of another version: within one second, size and time can be unchanged.
                throw outcome.last?.isPositive == true ? self.changed : self.short(counted.count, of: range)
            }
            // Bytes from a wrong offset would have been more.
            if counted.hasAll(of: range), range.upperBound == size, start > 0 { session.host.takesOffsets = true }
        }
    }

    /// Thrown when the offsets are proven, but the connection was lost meanwhile.
    private struct ProofEnd: Error {}

    private func untilProven(_ body: @Sendable () async throws -> Void) async throws {
        do { try await body() } catch is ProofEnd { try await body() }
    }

    /// Verifies once that the server honors offsets, whatever it says (RFC 3659, section 5.1); otherwise wrong bytes
    /// would be returned. A read up to the end of the file verifies it without this.
    ///
    /// - Throws: ``ProofEnd`` if the last byte has arrived, but the server's final reply has not.
    private func proveOffsets(_ start: Int64, size: Int64, session: FTPSession) async throws {
        let host = session.host
        if start == 0 || host.takesOffsets { return }
        let name = try host.transferBytes(of: path)
        let last = FTPExchange(transfer: .retrieve(name, offset: size - 1, count: 2, sparingly: true)) {
            DiscardingSink()
        }
        let outcome: FTPOutcome
        do { outcome = try await session.send(last) } catch let failure as FTPFailure where failure.outcome.bytes == 1 {
            host.takesOffsets = true
            throw ProofEnd()
        }
        try await check(outcome, session)
        if outcome.bytes == 0 { throw short(0, of: size - 1..<size) }
        guard outcome.bytes == 1 else {
            throw FileError.unsupported(
                "read from an offset", by: provider.type, path: path, url: provider.url(of: path))
        }
        host.takesOffsets = true
    }

    /// - Throws: The error for the server's refusal.
    private func check(_ outcome: FTPOutcome, _ session: FTPSession) async throws {
        guard !outcome.wasCut, let reply = outcome.last, !reply.isPositive else { return }
        let replyError = FTPReplyError(reply, path: path)
        if replyError.code.isTransient { throw replyError }
        if reply.verb == "REST" {
            throw FileError.unsupported(
                "read from an offset", by: provider.type, path: path, url: provider.url(of: path))
        }
        guard let item = try await provider.item(path, session) else {
            throw provider.missing(path, underlying: replyError)
        }
        if item.isDirectory { throw FileError.isADirectory(path, url: provider.url(of: path)) }
        throw FTPCondition(reply: reply, path: path, url: provider.url(of: path)).error
    }

    private func readOn(_ range: Range<Int64>, size: Int64, isFresh: Bool, into sink: any ByteSink) async throws {
        let counted = TappedSink(sink, limit: (Int64(range.count), changed))
        try await untilProven { try await self.readOn(range, size: size, isFresh: isFresh, into: counted) }
    }

    private func readOn(_ range: Range<Int64>, size: Int64, isFresh: Bool, into counted: TappedSink) async throws {
        let path = path
        try await provider.connection.options.retries.run(counters: provider.connection.options.counters) {
            // Bytes that arrived before a connection was lost are not sent to the sink again.
            let rest = range.lowerBound + counted.count..<range.upperBound
            if rest.isEmpty { return }
            do {
                try await self.stream.read(rest, of: size, into: counted, endedEarly: self.changed) {
                    session, start, pipe in
                    if !isFresh || counted.count > 0 { _ = try await self.settle(session) }
                    if rest.upperBound < size { try await self.proveOffsets(start, size: size, session: session) }
                    let name = try session.host.transferBytes(of: path)
                    let outcome = try await session.send(
                        FTPExchange(transfer: .retrieve(name, offset: start, count: nil, sparingly: true)) { pipe })
                    try await self.check(outcome, session)
                }
            } catch { throw self.provider.connection.translated(error, path: path) }
        }
    }

    private var changed: CocoaError { FileError.changedWhileReading(path, url: provider.url(of: path)) }

    private func short(_ count: Int64, of range: Range<Int64>) -> CocoaError {
        let url = provider.url(of: path)
        let sentence = "“\(path)” arrived incomplete: \(count) of \(range.count) bytes from offset \(range.lowerBound)."
        return FileError.make(
            .fileReadUnknown, path: path, url: url, sentence: sentence,
            underlying: FileError.make(.networkConnectionLost, url: url, sentence: sentence))
    }
}

extension TappedSink {
    /// Whether every byte of `range` is in the sink.
    fileprivate func hasAll(of range: Range<Int64>) -> Bool { count == Int64(range.count) && failure == nil }
}

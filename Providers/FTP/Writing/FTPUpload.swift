import CurlTransport
import FileProviderCore
import Foundation

/// One upload of a file.
struct FTPUpload: Sendable {
    let provider: FTPFileProvider
    let path: ProviderPath
    let source: any WriteSource
    let options: WriteOptions
    /// What may be on the server.
    let state: LockedValue<FTPWriteState>

    /// Bytes above which the name is looked at before anything is sent, and an interrupted upload is resumed, 1 MiB.
    private static let large: Int64 = 1 << 20

    /// Bytes up to which the name is looked at together with the requests before the transfer, 64 KiB.
    private static let small: Int64 = 64 << 10

    var isSmall: Bool { source.length.map { $0 <= Self.small } == true && source.isRepeatable }
    var isLarge: Bool { (source.length ?? .max) > Self.large }
    var isPublished: Bool { options.placement == .published }
    /// Where the bytes go: a temporary name beside the path, or the path itself.
    var location: ProviderPath { state.value.location }
    var connection: FTPConnection { provider.connection }

    init(provider: FTPFileProvider, path: ProviderPath, source: any WriteSource, options: WriteOptions) {
        self.provider = provider
        self.path = path
        self.source = source
        self.options = options
        state = LockedValue(FTPWriteState(location: path))
    }

    /// Removes the file at the location, cancelled or not.
    func removeNow() async {
        await connection.tidy { session in
            // If the file was never created, the server replies that it is missing.
            _ = try await session.send([FTPCommand("DELE", argument: session.host.bytes(of: location))])
        }
    }

    // MARK: Sending

    /// What the server was sent.
    struct Sent: Sendable {
        /// Bytes of the whole file.
        let count: Int64
        /// The hash to ask the server for, and the expected answer; `nil` to ask for none.
        let hash: (asked: FTPHash, value: String)?
    }

    /// Codes of replies to `APPE`, `REST` and the `STOR` after it that refuse only this way of resuming.
    private static let refusals = [500, 501, 502, 503, 504, 550, 553]

    /// Sends the bytes to ``location``. Resumes after bytes that the server has from an earlier upload, or from a try
    /// whose connection was lost.
    func send() async throws -> Sent {
        try await connection.options.retries.run(counters: connection.options.counters) { error in
            error.isTransient && (source.isRepeatable || !mayHaveBytes)
        } _: {
            while true {
                do {
                    if mayHaveBytes, let sent = try await resume() { return sent }
                    state.update { $0.stage = max($0.stage, .sending) }
                    guard let sent = try await send(from: 0) else { throw FileError.notRepeatable() }
                    return sent
                } catch is FTPGaveWay {
                    // The reader of the source needed the connection. The loop starts again.
                } catch { throw connection.translated(error, path: path) }
            }
        }
    }

    /// Whether the server may have bytes of this upload or of an earlier one.
    private var mayHaveBytes: Bool { keepsPart || state.value.stage != .untouched }

    /// - Returns: `nil` if the server can't store from `start` on.
    func send(from start: Int64) async throws -> Sent? {
        // A resumed file is more likely to be damaged.
        let asks = start > 0 || provider.configuration.verification == .hash
        guard asks, let hash = connection.host.hashes.first else {
            return try await store(source, from: start).map { Sent(count: $0, hash: nil) }
        }
        let hashing = try await FTPHashingTap(source, from: start, kind: hash.kind)
        return try await store(TappedSource(source, hashing), from: start).map {
            Sent(count: $0, hash: (hash, hashing.value))
        }
    }

    private func store(_ bytes: any WriteSource, from start: Int64) async throws -> Int64? {
        if start > 0, start == source.length { return start }
        let counting = FTPCountingTap()
        do { return try await transfer(TappedSource(bytes, counting), from: start) } catch let failure as FTPFailure {
            // All bytes were sent, and only the server's reply is missing. Asks the server for the size.
            let (count, last) = (failure.outcome.bytes, failure.outcome.last?.code ?? 0)
            guard failure.error.isTransient, last < 400, !hasToLook,
                count == source.length.map({ $0 - start }) ?? counting.counted,
                try await isComplete(start + count, else: failure)
            else { throw failure }
            return start + count
        }
    }

    private func transfer(_ bytes: any WriteSource, from start: Int64) async throws -> Int64? {
        try await connection.pool.withUpload(mayGiveWay: source.isRepeatable) { session in
            let name = try session.host.transferBytes(of: location)
            for way in ways(from: start, on: session.host) {
                if way == .restart { state.update { $0.unprovenOffset = start } }
                let outcome = try await send(
                    FTPExchange(transfer: .store(name, bytes, offset: start, continuing: way)), on: session)
                guard let reply = outcome.last, !reply.isPositive else { return start + outcome.bytes }
                guard start > 0, outcome.bytes == 0, Self.refusals.contains(reply.code) else {
                    throw try await provider.refusal(reply, ofWriting: path, session)
                }
                state.update { $0.unprovenOffset = nil }
            }
            return nil
        }
    }

    private func ways(from start: Int64, on host: FTPHost) -> [FTPExchange.Resumption] {
        if start == 0 { return [.never] }
        // The server has exactly `start` bytes, so that it doesn't matter whether `REST` truncates the file.
        return (host.mayKnow("APPE") ? [.append] : []) + (host.mayKnow("REST STOR") ? [.restart] : [])
    }

    /// Sends `exchange`; looks first whether the name is free, if that was not done yet.
    private func send(_ exchange: FTPExchange, on session: FTPSession) async throws -> FTPOutcome {
        guard hasToLook else { return try await sendNoting(exchange, on: session) }
        var looking = exchange
        looking.look = try look(on: session.host)
        if looking.look != nil {
            let outcome = try await sendNoting(looking, on: session)
            if !outcome.wasStopped { return outcome }
        }
        try await refuseTaken(on: session)
        return try await sendNoting(exchange, on: session)
    }

    /// Sends `exchange`, and notes whether the server has begun to store.
    private func sendNoting(_ exchange: FTPExchange, on session: FTPSession) async throws -> FTPOutcome {
        do {
            let outcome = try await session.send(exchange)
            note(outcome)
            if case .store(_, _, offset: 0, _) = exchange.transfer, let reply = outcome.last {
                state.update { $0.isCountStated = reply.states(bytes: outcome.bytes) }
            }
            return outcome
        } catch {
            if let failure = error as? FTPFailure { note(failure.outcome) }
            // A source that has more bytes than it announced fails when all of these were sent.
            if error is CocoaError { state.update { $0.stage = .storing } }
            throw error
        }
    }

    private func note(_ outcome: FTPOutcome) {
        let replies = outcome.replies.filter { ["STOR", "APPE"].contains($0.verb) }
        // A short file is sent together with the command.
        if replies.isEmpty ? outcome.bytes > 0 : replies.contains(where: { $0.code < 300 }) {
            state.update { $0.stage = .storing }
        }
    }

    // MARK: Before and after

    /// - Throws: `CocoaError(.fileWriteFileExists)` if the path is in use and must not be overwritten.
    func refuseTaken(on session: FTPSession) async throws {
        if !options.overwrite, try await provider.isTaken(path, session) { throw taken }
        state.update { $0.isPathFree = true }
    }

    /// Whether the path must still be looked at before it is written in place.
    private var hasToLook: Bool { !isPublished && !options.overwrite && !state.value.isPathFree }

    /// The command that looks at the path before a transfer; `nil` if no single command shows whether the path is free.
    private func look(on host: FTPHost) throws -> FTPLook? {
        let name = try host.bytes(of: path)
        let verb = host.hasMachineListings ? "MLST" : "SIZE"
        guard host.mayKnow(verb) else { return nil }
        return FTPLook(try FTPCommand(verb, argument: name)) { reply in
            // Any other reply needs a closer look.
            guard reply.code == 550, provider.isNothing(reply, path: path) else { return false }
            state.update { $0.isPathFree = true }
            return true
        }
    }

    var taken: CocoaError { FileError.make(.fileWriteFileExists, path: path, url: provider.url(of: path)) }

    /// The command that sets the requested time of the file `name`; `nil` if there is none.
    func timeCommand(for name: [UInt8]) throws -> (way: FTPTimeCommand, command: FTPCommand)? {
        guard let date = options.modificationDate, let way = provider.timeCommand else { return nil }
        return try way.command(date, name).map { (way, $0) }
    }

    /// Notes whether the server has set the time. A refusal is no failure of the upload; the returned item has no time
    /// then.
    func noteTime(_ way: FTPTimeCommand?, in outcome: FTPOutcome, from host: FTPHost) {
        // `MDTM` may be in the outcome a second time, as a look.
        guard let way, let reply = outcome.replies.first(where: { $0.verb == way.verb && $0.code >= 200 }) else {
            return
        }
        state.update { $0.isTimeSet = reply.isPositive }
        if way.isUnknown(reply) { host.lacks(way, by: reply) }
    }

    func finished(_ count: Int64) -> FileObject {
        let state = state.value
        let date = state.isTimeSet ? options.modificationDate : nil
        return FileObject(
            path: path, type: .regular, size: state.isSizeSeen ? count : nil,
            modifiedDate: date.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) })
    }
}

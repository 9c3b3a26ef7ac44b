import CurlTransport
import FileProviderCore
import Foundation

/// Sending, and going on behind what an earlier try has brought to the server, in this process or in another.
extension FTPUpload {
    /// What a server was sent.
    struct Sent: Sendable {
        /// Bytes of the whole.
        let count: Int64
        /// What the server is to be asked, and what it has to say; nil where nothing has to be asked.
        let hash: (asked: FTPHash, value: String)?
    }

    /// Bytes at the end of what came that are compared before an upload goes on behind them.
    private static let proof: Int64 = 64 << 10
    /// Replies to `APPE`, `REST` and the `STOR` behind it that mean no more than: not so.
    private static let refusals = [500, 501, 502, 503, 504, 550, 553]

    /// Whether the part stays when the upload stops, for a later one.
    var keepsPart: Bool { options.resumption != nil && options.placement == .published && isLarge && source.isRepeatable }

    /// Where the bytes go before they are published.
    func partPath() throws -> ProviderPath {
        guard keepsPart, let identity = options.resumption else { return try TemporaryName.make(beside: path) }
        return try TemporaryName.make(beside: path, for: identity)
    }

    /// Sends the bytes, and goes on where the server has them already: from an earlier upload that was kept, or because the connection was
    /// lost on the way.
    func send(to place: ProviderPath) async throws -> Sent {
        let begun = Locked(keepsPart)
        return try await connection.options.retries.run(counters: connection.options.counters) { error in
            error.isTransient && (source.isRepeatable || !begun.value)
        } _: {
            do {
                let start = begun.value ? try await arrived(at: place) : 0
                if start > 0, let sent = try await send(from: start, to: place) { return sent }
                if start > 0, options.placement == .published { await removeNow(place) }
                begun.update { $0 = true }
                guard let sent = try await send(from: 0, to: place) else { throw FileError.notRepeatable() }
                return sent
            } catch { throw connection.translated(error, path) }
        }
    }

    /// - Returns: Nil when the server does not go on behind what it has.
    private func send(from start: Int64, to place: ProviderPath) async throws -> Sent? {
        // A file that came in pieces is where damage hides.
        let asks = start > 0 || provider.configuration.verification == .hash
        guard asks, let hash = connection.host.hashes.first else {
            return try await store(source, from: start, to: place).map { Sent(count: $0, hash: nil) }
        }
        let hashing = try await FTPHashingSource(source, from: start, hash.kind)
        return try await store(hashing, from: start, to: place).map { Sent(count: $0, hash: (hash, hashing.value)) }
    }

    private func store(_ bytes: any WriteSource, from start: Int64, to place: ProviderPath) async throws -> Int64? {
        if start > 0, start == source.length { return start }
        let watched = FTPWatchedSource(bytes)
        do { return try await transfer(watched, from: start, to: place) } catch let failure as FTPFailure {
            // All of it went out, and only the server's word is missing: it is asked what it has.
            let (count, last) = (failure.outcome.bytes, failure.outcome.last?.code ?? 0)
            guard failure.error.isTransient, last < 400, !hasToLook, count == source.length.map({ $0 - start }) ?? watched.counted,
                try await isWhole(start + count, at: place, else: failure)
            else { throw failure }
            return start + count
        }
    }

    private func transfer(_ bytes: any WriteSource, from start: Int64, to place: ProviderPath) async throws -> Int64? {
        try await connection.pool.withSession { session in
            let name = try session.host.transferBytes(of: place)
            // `REST` where the server has so many bytes exactly: whether it cuts behind it or not is all the same then.
            let ways: [FTPExchange.Continuing] = start == 0 ? [.never] : session.host.mayKnow("APPE") ? [.append, .restart] : [.restart]
            for way in ways {
                let outcome = try await send(FTPExchange(transfer: .store(name, bytes, offset: start, continuing: way)), session)
                guard let reply = outcome.last, !reply.isPositive else { return start + outcome.bytes }
                guard start > 0, outcome.bytes == 0, Self.refusals.contains(reply.code) else {
                    throw try await provider.refusal(reply, ofWriting: path, session)
                }
            }
            return nil
        }
    }

    /// Sends, and looks before whether the name is free where that was not done.
    private func send(_ exchange: FTPExchange, _ session: FTPSession) async throws -> FTPOutcome {
        guard hasToLook else { return try await session.send(exchange) }
        var looking = exchange
        looking.look = try look(session.host)
        if looking.look != nil {
            let outcome = try await session.send(looking)
            if !outcome.wasStopped { return outcome }
        }
        try await refuseTaken(session)
        return try await session.send(exchange)
    }

    /// Whether the server has all `count` bytes of the source, over another connection than the one that was lost.
    ///
    /// - Throws: `failure`, when it cannot be asked either.
    private func isWhole(_ count: Int64, at place: ProviderPath, else failure: FTPFailure) async throws -> Bool {
        do {
            let size = try await connection.pool.withSession { session in try await self.size(at: place, session) }
            // What was to be replaced in place may be as long.
            if size != count || count == 0 || options.placement == .published || !options.overwrite { return size == count }
            return source.isRepeatable ? try await isOwn(count, at: place) : false
        } catch let error where !error.isCancellation { throw failure }
    }

    /// How many bytes of the upload are on the server and seen to be the source's; 0 to begin anew.
    ///
    /// What lies there has a name that nobody else makes, unless on purpose; whether it is the source's as far as it goes, its end tells.
    private func arrived(at place: ProviderPath) async throws -> Int64 {
        guard isLarge else { return 0 }
        let found = try await connection.pool.withSession { session in try await self.size(at: place, session) }
        guard let size = found, size > 0 else { return 0 }
        if try await isOwn(size, at: place) { return size }
        // Not written over: what is there may have an owner or a mode of its own. Under the name itself it may be what is to be replaced.
        if options.placement == .published {
            try await connection.pool.withSession { session in
                _ = try await session.send([FTPCommand("DELE", session.host.transferBytes(of: place))])
            }
        }
        return 0
    }

    private func size(at place: ProviderPath, _ session: FTPSession) async throws -> Int64? {
        try await session.send(session.binary + [FTPCommand("SIZE", session.host.transferBytes(of: place))]).size
    }

    /// The source is read while no connection is held: it may be a file of the same server, and wait for one.
    private func isOwn(_ size: Int64, at place: ProviderPath) async throws -> Bool {
        if let length = source.length, size > length { return false }
        let start = max(0, size - Self.proof)
        let sink = DataSink(limit: Int(Self.proof))
        let outcome = try await connection.pool.withSession { session in
            let name = try session.host.transferBytes(of: place)
            return try await session.send(
                FTPExchange(transfer: .retrieve(name, offset: start, count: size - start, sparingly: false)) { sink })
        }
        guard outcome.wasCut || outcome.last?.isPositive == true else { return false }
        return try await sink.data == own(start, count: Int(size - start))
    }

    private func own(_ start: Int64, count: Int) async throws -> Data {
        let bytes = try source.bytes(from: start)
        var data = Data()
        while data.count < count, let piece = try await bytes.next(upTo: count - data.count) { data += piece }
        return data
    }

    /// Has the server compute the hash of what it got, and compares. A server that gives no answer, or one about something else, or takes
    /// longer than the connection waits, has proven nothing and refuted nothing: the size has to do.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when the hash is another; what was published last is as it was, and the part is removed.
    func compare(_ sent: Sent, at place: ProviderPath) async throws {
        guard let hash = sent.hash else { return }
        var theirs: String?
        do {
            theirs = try await connection.run(place, mayRepeat: false) { session in
                try await session.reply(to: hash.asked, of: session.host.bytes(of: place)).flatMap {
                    hash.asked.value(in: $0, size: sent.count)
                }
            }
        } catch let error as URLError where error.code == .timedOut {}
        guard let theirs, theirs != hash.value else { return }
        if keepsPart { await removeNow(place) }
        throw refused("another \(hash.asked.kind.name)")
    }
}

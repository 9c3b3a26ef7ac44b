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

    /// Replies to `APPE`, `REST` and the `STOR` behind it that mean no more than: not so.
    private static let refusals = [500, 501, 502, 503, 504, 550, 553]

    /// Whether the part stays when the upload stops, for a later one.
    var keepsPart: Bool { options.resumption != nil && options.placement == .published && isLarge && source.isRepeatable }

    /// Where the bytes go before they are published.
    func partPath() throws -> ProviderPath {
        guard keepsPart, let identity = options.resumption else { return try TemporaryName.make(beside: path) }
        return try TemporaryName.make(beside: path, for: identity)
    }

    /// Sends the bytes to ``place``, and goes on where the server has them already: from an earlier upload that was kept, or because the
    /// connection was lost on the way.
    func send() async throws -> Sent {
        let begun = Locked(keepsPart)
        return try await connection.options.retries.run(counters: connection.options.counters) { error in
            error.isTransient && (source.isRepeatable || !begun.value)
        } _: {
            while true {
                do {
                    if begun.value, let sent = try await goOn() { return sent }
                    begun.update { $0 = true }
                    guard let sent = try await send(from: 0, to: place.value) else { throw FileError.notRepeatable() }
                    return sent
                } catch is FTPGaveWay {
                    // Whoever read what is to be written here needed the connection.
                } catch { throw connection.translated(error, path) }
            }
        }
    }

    /// - Returns: Nil when it has to be begun anew.
    private func goOn() async throws -> Sent? {
        // What is to be replaced may be like what replaces it, as far as the proof goes.
        if options.placement == .inPlace, options.overwrite { return nil }
        let start = try await arrived(at: place.value)
        guard start > 0 else { return nil }
        if try await isRestartProven(start), let sent = try await send(from: start, to: place.value),
            try await isRestartProven(sent.count)
        {
            return sent
        }
        if options.placement == .published { await removeNow(place.value) }
        return nil
    }

    /// Sees that a server which stored from an offset on has kept what lay before that: some put zeros there, others begin at the start.
    ///
    /// - Parameter count: Bytes that have to be there.
    private func isRestartProven(_ count: Int64) async throws -> Bool {
        guard let start = unproven.value else { return true }
        let place = place.value
        let size = try await connection.pool.withSession { session in try await self.size(at: place, session) }
        if size == count, count > start, try await isOwn(start, at: place) {
            unproven.update { $0 = nil }
            return true
        }
        refuteRestart()
        return false
    }

    /// Notes that the server does not go on where `REST` says, if it was asked to.
    func refuteRestart() {
        if unproven.value != nil { connection.host.lacks("REST STOR") }
        unproven.update { $0 = nil }
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
        try await connection.pool.withUpload(mayGiveWay: source.isRepeatable) { session in
            let name = try session.host.transferBytes(of: place)
            for way in ways(from: start, session.host) {
                if way == .restart { unproven.update { $0 = start } }
                let outcome = try await send(FTPExchange(transfer: .store(name, bytes, offset: start, continuing: way)), session)
                guard let reply = outcome.last, !reply.isPositive else { return start + outcome.bytes }
                guard start > 0, outcome.bytes == 0, Self.refusals.contains(reply.code) else {
                    throw try await provider.refusal(reply, ofWriting: path, session)
                }
                unproven.update { $0 = nil }
            }
            return nil
        }
    }

    private func ways(from start: Int64, _ host: FTPHost) -> [FTPExchange.Continuing] {
        if start == 0 { return [.never] }
        // `REST` where the server has so many bytes exactly: whether it cuts behind it or not is all the same then.
        return (host.mayKnow("APPE") ? [.append] : []) + (host.mayKnow("REST STOR") ? [.restart] : [])
    }

    /// Sends, and looks before whether the name is free where that was not done.
    private func send(_ exchange: FTPExchange, _ session: FTPSession) async throws -> FTPOutcome {
        guard hasToLook else { return try await noting(exchange, session) }
        var looking = exchange
        looking.look = try look(session.host)
        if looking.look != nil {
            let outcome = try await noting(looking, session)
            if !outcome.wasStopped { return outcome }
        }
        try await refuseTaken(session)
        return try await noting(exchange, session)
    }

    /// Sends, and notes whether the server has begun to store.
    private func noting(_ exchange: FTPExchange, _ session: FTPSession) async throws -> FTPOutcome {
        do {
            let outcome = try await session.send(exchange)
            note(outcome)
            if case .store(_, _, offset: 0, _) = exchange.transfer, let reply = outcome.last {
                isTold.update { $0 = reply.tells(bytes: outcome.bytes) }
            }
            return outcome
        } catch {
            if let failure = error as? FTPFailure { note(failure.outcome) }
            // A source that has more than it promised shows when everything was sent.
            if error is CocoaError { isStored.update { $0 = true } }
            throw error
        }
    }

    private func note(_ outcome: FTPOutcome) {
        let replies = outcome.replies.filter { ["STOR", "APPE"].contains($0.verb) }
        // What is short leaves with the command.
        if replies.isEmpty ? outcome.bytes > 0 : replies.contains(where: { $0.code < 300 }) { isStored.update { $0 = true } }
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

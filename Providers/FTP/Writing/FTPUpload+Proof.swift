import CurlTransport
import FileProviderCore
import Foundation

/// What of an upload is on the server, as far as that can be seen.
extension FTPUpload {
    /// Bytes at the end of what came that are compared before an upload goes on behind them.
    private static let proof: Int64 = 64 << 10
    /// Whether the server has all `count` bytes of the source, over another connection than the one that was lost.
    ///
    /// - Throws: `failure`, when it cannot be asked either.
    func isWhole(_ count: Int64, at place: ProviderPath, else failure: FTPFailure) async throws -> Bool {
        do {
            let size = try await connection.pool.withSession { session in try await self.size(at: place, session) }
            if size != count || count == 0 || options.placement == .published || !options.overwrite { return size == count }
            // What was to be replaced in place may be as long, and much the same.
            guard source.isRepeatable, try await isReplaced(count) else { return false }
            return try await isOwn(count, at: place)
        } catch let error where !error.isCancellation { throw failure }
    }

    /// Whether what has the name now is not what had it before, by size or time.
    private func isReplaced(_ count: Int64) async throws -> Bool {
        guard let old = before.value, old.size == count else { return true }
        guard let time = old.modifiedDate else { return false }
        let now = try await connection.pool.withSession { session in try await provider.item(path, session)?.modifiedDate }
        return now.map { $0 != time } ?? false
    }

    /// How many bytes of the upload are on the server and seen to be the source's; 0 to begin anew.
    ///
    /// What lies there has a name that nobody else makes, unless on purpose; whether it is the source's as far as it goes, its end tells.
    /// What a lost connection has brought may still be arriving: then the upload has another place from here on.
    func arrived(at place: ProviderPath) async throws -> Int64 {
        guard isLarge else { return 0 }
        let found = try await connection.pool.withSession { session in try await self.size(at: place, session) }
        guard let size = found, size > 0 else { return 0 }
        if try await isOwn(size, at: place) {
            let isStill = try await connection.pool.withSession { session in try await self.size(at: place, session) == size }
            if isStill { return size }
            if options.placement == .published {
                await removeNow(place)
                let other = try TemporaryName.make(beside: path)
                self.place.update { $0 = other }
            }
            unproven.update { $0 = nil }
            return 0
        }
        refuteRestart()
        // Not written over: what is there may have an owner or a mode of its own. Under the name itself it may be what is to be replaced.
        if options.placement == .published {
            try await connection.pool.withSession { session in
                _ = try await session.send([FTPCommand("DELE", session.host.transferBytes(of: place))])
            }
        }
        return 0
    }

    /// Whether `SIZE` or the reply to `STOR` shows that all is there.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when the server has another number of bytes.
    func verify(_ outcome: FTPOutcome, _ count: Int64) throws -> Bool {
        guard let size = outcome.size else { return isTold.value }
        if size != count { throw refused("\(size) of \(count) bytes") }
        return true
    }

    /// Looks for what was stored where `SIZE` does not tell. A server that shows nothing is believed: its acknowledgement is all there is.
    ///
    /// - Throws: `CocoaError(.fileWriteUnknown)` when nothing is there, or another number of bytes.
    func look(for count: Int64, at place: ProviderPath, _ session: FTPSession) async throws {
        if isTold.value { return }
        switch try await provider.sight(place, session) {
        case .item(let item):
            if let size = item.size, size != count { throw refused("\(size) of \(count) bytes") }
            isSeen.update { $0 = item.size != nil }
        case .hidden: isSeen.update { $0 = false }
        case .nothing:
            // What was put to the name itself may have been taken from the folder at once.
            guard options.placement == .inPlace else { throw refused("no file") }
            isSeen.update { $0 = false }
        }
    }

    func size(at place: ProviderPath, _ session: FTPSession) async throws -> Int64? {
        try await session.send(session.binary + [FTPCommand("SIZE", session.host.transferBytes(of: place))]).size
    }

    /// The source is read while no connection is held: it may be a file of the same server, and wait for one.
    func isOwn(_ size: Int64, at place: ProviderPath) async throws -> Bool {
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
        try await source.bytes(from: start).bytes(upTo: count)
    }
}

extension FTPReply {
    /// Whether the words of a positive reply have this number of bytes in them, as in `226 Transfer complete, 1234 bytes`.
    func tells(bytes count: Int64) -> Bool {
        guard (200..<300).contains(code) else { return false }
        let words = text.lowercased().split { !$0.isLetter && !$0.isNumber }
        return zip(words, words.dropFirst()).contains { Int64($0) == count && ["byte", "bytes", "octets"].contains($1) }
    }
}

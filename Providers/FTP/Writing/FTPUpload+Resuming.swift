import CurlTransport
import FileProviderCore
import Foundation

/// Resumes an upload that was interrupted in this process or in another.
extension FTPUpload {
    /// Bytes at the end of the part that are compared with the source before an upload is resumed, 64 KiB.
    private static let proof: Int64 = 64 << 10

    /// Whether a part is kept for a later upload if this one fails.
    var keepsPart: Bool { options.resumption != nil && isPublished && isLarge && source.isRepeatable }

    /// The temporary name.
    func partPath() throws -> ProviderPath {
        try TemporaryName.make(beside: path, for: keepsPart ? options.resumption : nil)
    }

    /// Sends the bytes that the server doesn't have yet.
    ///
    /// - Returns: `nil` if the upload must start again.
    func resume() async throws -> Sent? {
        // The file to replace may be equal to the new one in all the bytes that are compared.
        if !isPublished, options.overwrite { return nil }
        let start = try await provenCount()
        guard start > 0 else { return nil }
        if try await isRestartProven(start), let sent = try await send(from: start),
            try await isRestartProven(sent.count)
        {
            return sent
        }
        if isPublished { await removeNow() }
        return nil
    }

    /// Verifies that a server which stored from an offset on has kept the bytes before it. Some servers put zeros
    /// there, others store from the start of the file.
    ///
    /// - Parameter count: The number of bytes that the file must have.
    private func isRestartProven(_ count: Int64) async throws -> Bool {
        guard let start = state.value.unprovenOffset else { return true }
        let size = try await connection.pool.withSession { session in try await self.size(on: session) }
        if size == count, count > start, try await isOwn(start) {
            state.update { $0.unprovenOffset = nil }
            return true
        }
        refuteRestart()
        return false
    }

    /// Notes that the server doesn't store from the offset of `REST`, if one was sent.
    private func refuteRestart() {
        if state.value.unprovenOffset != nil { connection.host.lacks("REST STOR") }
        state.update { $0.unprovenOffset = nil }
    }

    /// Whether the server has all `count` bytes of the source. Asks over another connection than the one that was lost.
    ///
    /// - Throws: `failure` if the server cannot be asked.
    func isComplete(_ count: Int64, else failure: FTPFailure) async throws -> Bool {
        do {
            let size = try await connection.pool.withSession { session in try await self.size(on: session) }
            if size != count || count == 0 || isPublished || !options.overwrite { return size == count }
            // The file to replace in place may have the same size and similar bytes.
            guard source.isRepeatable, try await isReplaced(count) else { return false }
            return try await isOwn(count)
        } catch let error where !error.isCancellation { throw failure }
    }

    /// Whether the file at the path differs by size or time from the one before the upload.
    private func isReplaced(_ count: Int64) async throws -> Bool {
        guard let previous = state.value.previous, previous.size == count else { return true }
        guard let time = previous.modifiedDate else { return false }
        let now = try await connection.pool.withSession { session in
            try await provider.item(path, session)?.modifiedDate
        }
        return now.map { $0 != time } ?? false
    }

    /// The number of bytes on the server that are verified to be the source's; 0 to start again.
    ///
    /// No other client uses the part's name by accident, so comparing the part's end with the source is enough. If
    /// bytes of a lost connection are still arriving, changes the location.
    private func provenCount() async throws -> Int64 {
        guard isLarge else { return 0 }
        let found = try await connection.pool.withSession { session in try await self.size(on: session) }
        guard let size = found, size > 0 else { return 0 }
        if try await isOwn(size) {
            let isStill = try await connection.pool.withSession { session in try await self.size(on: session) == size }
            if isStill { return size }
            if isPublished {
                await removeNow()
                let other = try TemporaryName.make(beside: path)
                state.update { $0.location = other }
            }
            state.update { $0.unprovenOffset = nil }
            return 0
        }
        refuteRestart()
        // Removed, not overwritten: the file may have another owner or mode. At the path itself it may be the file to
        // replace.
        if isPublished {
            try await connection.pool.withSession { session in
                _ = try await session.send([FTPCommand("DELE", argument: session.host.transferBytes(of: location))])
            }
        }
        return 0
    }

    /// Whether the end of the first `size` bytes at the location is the source's.
    ///
    /// Reads the source while no connection is held, because the source may be a file on the same server and wait for
    /// one.
    private func isOwn(_ size: Int64) async throws -> Bool {
        if let length = source.length, size > length { return false }
        let start = max(0, size - Self.proof)
        let sink = DataSink(limit: Int(Self.proof))
        let outcome = try await connection.pool.withSession { session in
            let name = try session.host.transferBytes(of: location)
            return try await session.send(
                FTPExchange(transfer: .retrieve(name, offset: start, count: size - start, sparingly: false)) { sink })
        }
        guard outcome.wasCut || outcome.last?.isPositive == true else { return false }
        return try await sink.data == own(from: start, count: Int(size - start))
    }

    private func own(from start: Int64, count: Int) async throws -> Data {
        try await source.bytes(from: start).bytes(upTo: count)
    }
}

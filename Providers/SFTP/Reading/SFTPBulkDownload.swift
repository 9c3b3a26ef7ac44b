import FileProviderCore
import Foundation
import SFTPEngine

/// Downloads a large part of a file into a sink, over as many lanes as the server allows.
struct SFTPBulkDownload: Sendable {
    let reader: SFTPReader
    let range: Range<Int64>
    let sink: any ByteSink

    private var connection: SFTPConnection { reader.provider.connection }

    /// After a lost connection, only the missing bytes are requested, and the first and last bytes received so far are
    /// compared: size and time, in whole seconds, are not enough to distinguish versions.
    func run() async throws {
        let ends = SFTPEndsTap()
        try await connection.retrying(
            reader.path, operation: "read", tally: { TransferTally(bytesIn: ends.count) }
        ) {
            let rest = range.lowerBound + ends.count..<range.upperBound
            if rest.isEmpty { return }
            let session = try await connection.transferLane(for: Int64(rest.count))
            let count: Int64
            // Near servers have the file open on that session already.
            if try await connection.pool.session() === session {
                count = try await reader.whileReading {
                    try await read(rest, ends, reader.opened(), lanes: LockedValue([]))
                }
            } else {
                let first = try await reader.open(on: session)
                count = try await read(rest, ends, first, lanes: LockedValue([first]))
            }
            if count < rest.count { throw FileError.changedWhileReading(reader.path, url: reader.url) }
        }
    }

    /// - Parameter lanes: What is to be closed in the end.
    private func read(
        _ rest: Range<Int64>, _ ends: SFTPEndsTap, _ first: SFTPReader.OpenFile,
        lanes: LockedValue<[SFTPReader.OpenFile]>
    ) async throws -> Int64 {
        defer { for lane in lanes.value { lane.session.close([lane.handle]) } }
        try await prove(ends.proofs, opened: first)
        let transfer = SFTPBulkRead(
            [(first.session, first.handle)], range: rest, into: connection.pace(TappedSink(sink, tap: ends)))
        let more = Task {
            await connection.openLanes(for: Int64(rest.count), beside: first.session) { session in
                // A failure that matters also shows on the first lane.
                guard let lane = try? await reader.openNow(on: session) else { return }
                lanes.update { $0.append(lane) }
                _ = transfer.add((lane.session, lane.handle))
            }
        }
        defer { more.cancel() }
        let count: Int64
        do { count = try await transfer.run() } catch {
            more.cancel()
            await more.value
            throw error
        }
        more.cancel()
        await more.value
        // Verifies that the file has not changed since the beginning.
        try await reader.settle(try await connection.send(reader.look(at: first), first.session), of: first)
        return count
    }

    /// - Throws: `CocoaError(.fileReadUnknown)` if the file no longer has the bytes received so far.
    private func prove(_ proofs: [(range: Range<Int64>, bytes: [UInt8])], opened: SFTPReader.OpenFile) async throws {
        if proofs.isEmpty { return }
        let ranges = proofs.map { range.lowerBound + $0.range.lowerBound..<range.lowerBound + $0.range.upperBound }
        for (pieces, proof) in zip(try await reader.pieces(ranges, of: opened), proofs)
        where !pieces.joined().elementsEqual(proof.bytes) {
            throw FileError.changedWhileReading(reader.path, url: reader.url)
        }
    }
}

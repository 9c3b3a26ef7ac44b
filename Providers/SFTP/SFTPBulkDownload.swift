import FileProviderCore
import Foundation
import SFTPEngine

/// A large part of a file on its way into a sink, over as many lanes as the server gives.
struct SFTPBulkDownload: Sendable {
    let reader: SFTPReader
    let range: Range<Int64>
    let sink: any ByteSink

    /// Bytes for which one more lane is worth its opening.
    static let worthALane: Int64 = 8 << 20

    private var connection: SFTPConnection { reader.provider.connection }

    /// What came before a connection was lost is not asked for again.
    func run() async throws {
        let counted = SFTPCountedSink(sink)
        try await connection.retrying(reader.path) {
            let rest = range.lowerBound + counted.count..<range.upperBound
            if rest.isEmpty { return }
            let count = try await read(rest, into: counted)
            if count < rest.count { throw FileError.changedWhileReading(reader.path, url: reader.url) }
        }
    }

    private func read(_ rest: Range<Int64>, into sink: any ByteSink) async throws -> Int64 {
        let first = try await reader.open(on: connection.pool.firstLane())
        let lanes = Locked([first])
        defer { for lane in lanes.value { lane.session.close([lane.handle]) } }
        let transfer = SFTPBulkRead([(first.session, first.handle)], rest, into: connection.pace(sink))
        let more = Task { await addLanes(to: transfer, for: Int64(rest.count), lanes) }
        defer { more.cancel() }
        let count: Int64
        do { count = try await transfer.run() } catch {
            more.cancel()
            await more.value
            throw error
        }
        more.cancel()
        await more.value
        // Still the version that it was at the beginning?
        try reader.settle(try await connection.send(.fstat(first.handle), first.session))
        return count
    }

    private func addLanes(to transfer: SFTPBulkRead, for bytes: Int64, _ lanes: Locked<[SFTPReader.Opened]>) async {
        let pool = connection.pool
        for number in pool.lanes.dropFirst().prefix(Int(bytes / Self.worthALane)) {
            guard !Task.isCancelled, let session = await pool.lane(number), !lanes.value.contains(where: { $0.session === session }) else {
                continue
            }
            // What is wrong with a lane shows in the first one, too; or is none of the transfer's business.
            guard let lane = try? await reader.open(on: session) else { continue }
            lanes.update { $0.append(lane) }
            if !transfer.add((lane.session, lane.handle)) { return }
        }
    }
}

/// Passes bytes on and knows how many; more than once it may be the sink of a transfer that goes on.
private final class SFTPCountedSink: ByteSink {
    private let base: any ByteSink
    private let counted = Locked(Int64(0))

    init(_ base: any ByteSink) { self.base = base }

    var count: Int64 { counted.value }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flow = try base.write(bytes)
        counted.update { $0 += Int64(bytes.count) }
        return flow
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}

import FileProviderCore
import Foundation

@testable import SFTPEngine

/// First byte: how much comes at a time. Then what a server sends to a session in which every kind of answer is waited
/// for.
func fuzzSFTPPackets(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    var input = FuzzInput(data, size: size)
    guard let step = input.byte() else { return 0 }
    for prefix in [0, 1, 4] {
        let reply = Array(input.bytes.dropFirst(prefix))
        _ = try? SFTPVolume(reply: reply)
        _ = try? SFTPOwners(reply: reply)
        if let limits = try? SFTPLimits(reply: reply) {
            precondition(
                [limits.read, limits.write].allSatisfy((4096...SFTPLimits.maxLength).contains), "Limits make no sense.")
        }
    }
    let session = SFTPSession(FuzzChannel(), patience: .seconds(60))
    let calls = (0..<8).map { _ in session.begin([.lstat([47]), .readdir(SFTPHandle(bytes: [1]))]) }
    let sink = FuzzSink()
    let lane = (session: session, handle: SFTPHandle(bytes: [1]))
    let read = SFTPBulkRead([lane], range: 0..<100_000, into: sink)
    let write = SFTPBulkWrite([lane], from: FuzzSource(), at: 0)
    precondition(read.add(lane) && write.add(lane), "A session that lives takes transfers.")
    send(session)
    var rest = input.bytes[...]
    while !rest.isEmpty {
        let room = session.roomToReceive()
        precondition(!room.isEmpty, "There is always room.")
        let count = min(rest.count, room.count, 1 + Int(step) * 16)
        room.copyBytes(from: rest.prefix(count))
        rest = rest.dropFirst(count)
        do { try session.received(count) } catch {
            precondition(error is URLError, "It is not told in Foundation's words.")
            break
        }
        send(session)
    }
    session.ended(with: URLError(.networkConnectionLost))
    precondition(!session.isWaiting && session.ending != nil, "Somebody still waits.")
    precondition(sink.count <= 100_000 && calls.count == 8, "More came than was asked for.")
    return 0
}

/// Takes what is to leave, a part of the time.
private func send(_ session: SFTPSession) {
    let count = session.bytesToSend().count
    precondition(count <= SFTPOutbox.enough + SFTPOutbox.maxPacketLength, "Too much waits to leave.")
    if count > 0 { session.sent(count > 3 ? count - count / 3 : count) }
}

private final class FuzzChannel: ByteChannel {
    func start(_ user: any ByteChannelUser) {}
    func wake() {}
    func end(with error: any Error) {}
}

/// Unchecked: all is on one thread.
private final class FuzzSink: ByteSink, @unchecked Sendable {
    var count = 0

    func write(_ bytes: UnsafeRawBufferPointer) -> FlowState {
        count += bytes.count
        return .ready
    }
}

/// Unchecked: all is on one thread.
private final class FuzzSource: ByteSource, @unchecked Sendable {
    private var left = 50_000

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SourceStep {
        let count = min(left, buffer.count)
        UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]).initializeMemory(as: UInt8.self, repeating: 7)
        left -= count
        return count > 0 ? .bytes(count) : .end
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { resume() }
}

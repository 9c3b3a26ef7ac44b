import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import SFTPEngine

/// A channel that a test moves itself.
private final class StillChannel: ByteChannel {
    func start(_ user: any ByteChannelUser) {}
    func wake() {}
    func end(with error: any Error) {}
}

/// Numbers that look random and are the same each time (Knuth's linear congruential generator).
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}

@Suite struct SFTPMutationTests {
    private func packet(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        withUnsafeBytes(of: UInt32(body.count + 1).bigEndian) { Array($0) } + [type] + body
    }

    /// VERSION and an answer to each of the ten requests that are asked below.
    private var answers: [UInt8] {
        func id(_ number: UInt8) -> [UInt8] { [0, 0, 0, number] }
        let attributes: [UInt8] = [0, 0, 0, 4, 0, 0, 0x81, 0xA4]
        let data = packet(103, id(5) + [0, 0, 0, 200] + [UInt8](repeating: 1, count: 200))
        return packet(2, [0, 0, 0, 3, 0, 0, 0, 9] + Array("copy-data".utf8) + [0, 0, 0, 1, 0x31])
            + packet(101, id(1) + [0, 0, 0, 2, 0, 0, 0, 2, 0x4E, 0x6F, 0, 0, 0, 0])
            + packet(102, id(2) + [0, 0, 0, 2, 1, 2])
            + packet(104, id(3) + [0, 0, 0, 1, 0, 0, 0, 1, 0x61, 0, 0, 0, 1, 0x62] + attributes)
            + packet(105, id(4) + attributes) + data
            + packet(201, id(6) + [1, 2, 3]) + packet(101, id(7) + [0, 0, 0, 1])
    }

    @Test func `answers that are changed anywhere end the session or leave it whole`() throws {
        var dice = Dice(state: 1)
        var endings = 0
        for _ in 0..<3_000 {
            let session = SFTPSession(StillChannel(), patience: .seconds(60))
            let sink = PatternSink()
            let bulk = SFTPBulkRead([(session, SFTPHandle(bytes: [1]))], range: 0..<1_000, into: sink)
            let calls = (0..<10).map { _ in session.begin([.lstat([47])]) }
            #expect(calls.count == session.unanswered)
            #expect(bulk.add((session, SFTPHandle(bytes: [1]))))
            _ = session.bytesToSend()
            var bytes = answers
            for _ in 0..<Int.random(in: 0...4, using: &dice) {
                let position = Int.random(in: bytes.indices, using: &dice)
                switch Int.random(in: 0..<3, using: &dice) {
                case 0: bytes[position] = UInt8.random(in: 0...255, using: &dice)
                case 1: bytes.remove(at: position)
                default: bytes.insert(UInt8.random(in: 0...255, using: &dice), at: position)
                }
            }
            if let error = feed(session, bytes, &dice) {
                endings += 1
                #expect(error is URLError)
            }
            session.ended(with: URLError(.networkConnectionLost))
            #expect(session.unanswered == 0)
            #expect(sink.count <= 1_000)
        }
        #expect((1_000..<3_000).contains(endings))
    }

    /// - Returns: What the session throws.
    private func feed(_ session: SFTPSession, _ bytes: [UInt8], _ dice: inout Dice) -> (any Error)? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let room = session.roomToReceive()
            let count = min(rest.count, room.count, Int.random(in: 1...300, using: &dice))
            room.copyBytes(from: rest.prefix(count))
            rest = rest.dropFirst(count)
            do { try session.received(count) } catch { return error }
            let waiting = session.bytesToSend().count
            if waiting > 0 { session.sent(waiting) }
        }
        return nil
    }
}

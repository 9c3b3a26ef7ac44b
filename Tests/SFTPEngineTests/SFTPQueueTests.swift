import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Synchronization
import Testing

@testable import SFTPEngine

/// What waits to leave.
@Suite(.timeLimit(.minutes(1))) struct SFTPQueueTests {
    private func packet(_ type: SFTPPacketType, _ id: UInt32, _ size: Int = 20) -> [UInt8] {
        var writer = SFTPWriter()
        writer.put(UInt32(size - 4))
        writer.put(type.rawValue)
        writer.put(id)
        return writer.bytes + [UInt8](repeating: 0, count: size - 9)
    }

    @Test func `calls with data have a row of their own, and each keeps its order`() {
        var queue = SFTPQueue()
        queue.append([packet(.write, 1, 10_000), packet(.fsetstat, 2), packet(.close, 3)])
        queue.append([packet(.lstat, 4)])
        #expect(queue.bytes == 10_060 && queue.hasHeavy)
        #expect(queue.takeLight()?[8] == 4 && queue.takeLight() == nil)
        #expect((0..<3).map { _ in queue.takeHeavy()?[8] } == [1, 2, 3])
        #expect(queue.isEmpty && queue.bytes == 0 && !queue.hasHeavy)
    }

    @Test func `what is dropped only looks or writes`() {
        var queue = SFTPQueue()
        let types: [SFTPPacketType] = [.read, .close, .remove, .write, .open, .rename, .lstat, .readdir, .setstat]
        queue.append(types.enumerated().map { packet($1, UInt32($0)) })
        queue.append([packet(.read, 99)])
        #expect(queue.drop(Set(0..<9)).sorted() == [0, 3, 6, 7])
        #expect(queue.bytes == 6 * 20)
        var left: [UInt8] = []
        while let packet = queue.takeLight() { left.append(packet[8]) }
        #expect(left == [1, 2, 4, 5, 8, 99])
    }

    @Test func `many thousands come out in their order`() {
        var queue = SFTPQueue()
        for id in 0..<5_000 as Range<UInt32> { queue.append([packet(.lstat, id)]) }
        for id in 0..<5_000 as Range<UInt32> {
            #expect(queue.takeLight().map { Array($0[5..<9]) } == withUnsafeBytes(of: id.bigEndian, Array.init))
        }
        #expect(queue.isEmpty)
    }

    @Test func `a cancelled call takes back what has not left, but for what closes`() async throws {
        let double = SFTPDouble(files: ["/file": Data(count: 10)])
        try await withSession(double) { session async throws in
            let handle = try await session.handle("/file", [.read, .write])
            double.resetCounts()
            double.setWindow(0)
            // They fill the outbox, which is closed to what comes later.
            let fillers = (0..<3).map { _ in
                session.begin([.write(handle, at: 0, [UInt8](repeating: 1, count: 100_000))])
            }
            try await eventually { session.state.withLock { $0.queue.isEmpty } }
            let reading = Task {
                try await session.sendTogether((0..<50).map { .read(handle, at: $0, count: 1) } + [.close(handle)])
            }
            try await eventually { session.unanswered == 54 }
            reading.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reading.value }
            double.setWindow(nil)
            for filler in fillers { _ = try await filler.value() }
            try await eventually { !session.isWaiting }
            #expect(double.counts.requests[.close] == 1 && double.counts.openHandles == 0)
            #expect(double.counts.requests[.read] == nil)
        }
    }

    @Test func `a listing passes what small files wait to send`() async throws {
        let double = SFTPDouble(files: ["/file": Data()])
        try await withSession(double) { session async throws in
            let handle = try await session.handle("/file", .write)
            double.setWindow(0)
            let writes = (0..<30).map {
                session.begin([.write(handle, at: UInt64($0) * 100_000, [UInt8](repeating: 1, count: 100_000))])
            }
            let look = session.begin([.lstat(Array("/file".utf8))])
            double.setWindow(nil)
            _ = try await look.value()
            for write in writes { _ = try await write.value() }
            let order = try #require(double.requests.firstIndex { $0.kind == .lstat })
            #expect(double.requests[..<order].count { $0.kind == .write } <= 6)
            session.close([handle])
        }
    }

    @Test func `so much waits to leave and no more, and who waits for room may be cancelled`() async throws {
        let double = SFTPDouble(files: ["/file": Data()])
        try await withSession(double) { session async throws in
            let handle = try await session.handle("/file", .write)
            double.setWindow(0)
            let data = [UInt8](repeating: 1, count: 100_000)
            let writes = (0..<200).map { index in
                Task { try await session.send(.write(handle, at: UInt64(index) * 100_000, data)) }
            }
            try await eventually { session.state.withLock { $0.held.count >= 100 } }
            #expect(session.state.withLock { $0.queue.bytes } < 6 << 20)
            let look = session.begin([.lstat(Array("/file".utf8))])
            let late = Task { try await session.send(.write(handle, at: 0, data)) }
            late.cancel()
            await #expect(throws: CancellationError.self) { _ = try await late.value }
            double.setWindow(nil)
            _ = try await look.value()
            for write in writes { #expect(try await write.value.status?.isOK == true) }
            #expect(double.size("/file") == 20_000_000)
            session.close([handle])
        }
    }
}

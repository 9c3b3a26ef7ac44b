import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@Suite(.timeLimit(.minutes(1))) struct SFTPDoubleStrictnessTests {
    struct Wrong: Sendable, CustomTestStringConvertible {
        var type: UInt8
        var fields: [UInt8]
        var part: String
        var testDescription: String { part }

        init(_ type: UInt8, fields: [any SFTPDoubleField], more: [UInt8] = [], part: String) {
            self.type = type
            self.fields = fields.flatMap { $0.bytes } + more
            self.part = part
        }
    }

    static let wrong = [
        Wrong(7, fields: [], more: [0, 0], part: "A packet of 3 bytes."),
        Wrong(1, fields: [UInt32(3)], part: "A second INIT."),
        Wrong(7, fields: [UInt32(1), UInt32(9)], more: [1], part: "A field of 9 bytes where 1 are left."),
        Wrong(7, fields: [UInt32(1), "/"], more: [0], part: "1 bytes follow"),
        Wrong(7, fields: [UInt32(1), [0] as [UInt8]], part: "holds a NUL"),
        Wrong(14, fields: [UInt32(1), "/", UInt32(16)], part: "flags 0x10"),
        Wrong(101, fields: [UInt32(1)], part: "A packet of type 101."),
        Wrong(7, fields: [UInt32(1), ""], part: "An empty path."),
        Wrong(3, fields: [UInt32(1), "/", UInt32(17), UInt32(0)], part: "doesn't create"),
        Wrong(3, fields: [UInt32(1), "/", UInt32(0), UInt32(0)], part: "neither"),
        Wrong(4, fields: [UInt32(1), "gone"], part: "No such handle"),
        Wrong(5, fields: [UInt32(1), "h", UInt64(0), UInt32(261_121)], part: "Asks for 261121"),
        Wrong(
            6, fields: [UInt32(1), "", UInt64(0), [UInt8](repeating: 0, count: 262_130)],
            part: "A packet of 262151 bytes."),
    ]

    @Test(arguments: wrong)
    func `what a client does wrong is recorded`(wrong: Wrong) async throws {
        let double = SFTPDouble()
        let client = SFTPDoubleClient(double)
        try await client.begin()
        #expect(double.violations == [])
        client.send(raw: UInt32(1 + wrong.fields.count).bytes + [wrong.type] + wrong.fields)
        // Answered or not, the violation is there when the channel has ended or replied.
        _ = try? await client.bytes(1)
        #expect(double.violations.first?.contains(wrong.part) == true, "\(double.violations)")
        double.stop()
    }

    @Test func `requests wait for VERSION`() async throws {
        let early = SFTPDouble()
        let client = SFTPDoubleClient(early)
        client.send(7, UInt32(1), "/")
        #expect(try await client.end() == .networkConnectionLost)
        #expect(early.violations == ["1: A request before INIT."])
        let hasty = SFTPDouble()
        let other = SFTPDoubleClient(hasty)
        other.send(raw: UInt32(5).bytes + [1] + UInt32(3).bytes + UInt32(10).bytes + [7] + UInt32(1).bytes + "/".bytes)
        _ = try await other.packet()
        _ = try await other.packet()
        #expect(hasty.violations == ["1: lstat: A request before VERSION."])
        hasty.stop()
    }

    @Test func `a handle is no more after CLOSE`() async throws {
        let double = SFTPDouble(files: ["/file": Data()])
        let client = SFTPDoubleClient(double)
        try await client.begin()
        let handle = try await client.open("/file", .read)
        client.send(4, UInt32(1), handle)
        client.send(8, UInt32(2), handle)
        #expect(try await client.packet().starts(with: status(1, .ok)))
        #expect(try await client.packet().starts(with: status(2, .failure)))
        #expect(double.violations == ["1: fstat: No such handle, or closed."])
        double.stop()
    }

    @Test(arguments: [1, 7, 1 << 20]) func `dribbling changes nothing, and partly sent bytes are compared`(step: Int)
        async throws
    {
        var settings = SFTPDouble.Settings()
        settings.maximumTake = step
        settings.maximumGive = step
        settings.asksOnlyWhenWoken = true
        let double = SFTPDouble(settings, files: ["/file": Data()])
        let client = SFTPDoubleClient(double)
        try await client.begin()
        for id in 0..<50 { client.send(7, UInt32(id), "/file") }
        for id in 0..<50 { #expect(try await client.packet().prefix(5) == [105] + UInt32(id).bytes) }
        #expect(double.violations == [])
        #expect(double.counts.received == 9 + 50 * 18)
        double.stop()
    }

    /// Says other bytes each time.
    private final class Liar: ByteChannelUser, @unchecked Sendable {
        // Unchecked: belongs to the channel's thread but for `hasEnded`, which is locked.
        let hasEnded = LockedValue(false)
        private var turn: UInt8 = 0
        private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 9, alignment: 1)
        deinit { bytes.deallocate() }

        func roomToReceive() -> UnsafeMutableRawBufferPointer { bytes }
        func received(_ count: Int) {}
        func bytesToSend() throws -> UnsafeRawBufferPointer {
            turn += 1
            if turn == 20 { throw CancellationError() }
            bytes.copyBytes(from: [turn, 0, 0, 0, 0, 0, 0, 0, 0])
            return UnsafeRawBufferPointer(bytes)
        }
        func sent(_ count: Int) {}
        var isWaiting: Bool { false }
        func ended(with error: any Error) { hasEnded.update { $0 = error is CancellationError } }
    }

    @Test func `a user that changes what was partly sent is found out, and what it throws ends the channel`()
        async throws
    {
        var settings = SFTPDouble.Settings()
        settings.maximumTake = 1
        settings.maximumPacket = .max
        let double = SFTPDouble(settings)
        let liar = Liar()
        double.channel().start(liar)
        try await eventually { liar.hasEnded.value }
        #expect(liar.hasEnded.value)
        #expect(double.violations.first?.contains("bytesToSend()") == true)
    }

    @Test func `a user that forgets what it is owed is found out`() async throws {
        var settings = SFTPDouble.Settings { _ in [.silence] }
        settings.timeout = 0.05
        let double = SFTPDouble(settings)
        let client = SFTPDoubleClient(double, isWaiting: false)
        client.send(1, UInt32(3))
        client.send(7, UInt32(1), "/")
        try await eventually { double.violations.count >= 2 }
        #expect(
            double.violations.prefix(2) == [
                "1: lstat: A request before VERSION.", "1: isWaiting is false while a reply is owed.",
            ])
        double.stop()
    }

    @Test func `round trips are counted`() async throws {
        var settings = SFTPDouble.Settings()
        settings.latency = 0.1
        let double = SFTPDouble(settings)
        let client = SFTPDoubleClient(double)
        try await client.begin()
        #expect(double.counts.turns == 1)
        #expect(double.counts.roundTrips == 1)
        double.resetCounts()
        for _ in 0..<3 {
            client.sendTogether(0..<20)
            for _ in 0..<20 { _ = try await client.packet() }
        }
        #expect(double.counts.turns == 3)
        #expect(double.counts.roundTrips == 3)
        #expect(double.counts.requests == [.lstat: 60])
        #expect(double.counts.peakOutstanding == 20)
        double.stop()
    }
}

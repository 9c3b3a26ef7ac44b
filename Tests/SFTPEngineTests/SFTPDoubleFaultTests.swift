import FaultServer
import FileProviderCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct SFTPDoubleFaultTests {
    private func double(_ faults: SFTPDouble.Fault..., on kind: SFTPDouble.Kind) -> SFTPDouble {
        SFTPDouble(SFTPDouble.Settings { $0.kind == kind ? faults : [] }, files: ["/file": Data("0123456789".utf8)])
    }

    /// What LSTAT of the root gives, and what comes behind, as far as `count`.
    private func lstat(_ double: SFTPDouble, _ count: Int) async throws -> [UInt8] {
        let client = SFTPDoubleClient(double)
        try await client.begin()
        client.send(7, UInt32(5), "/")
        defer { double.stop() }
        return try await client.bytes(count)
    }

    @Test func `replies are wrong as they are asked to be`() async throws {
        let start = UInt32(37).bytes + [105] + UInt32(5).bytes
        #expect(try await lstat(double(.id(6), on: .lstat), 9) == UInt32(37).bytes + [105] + UInt32(6).bytes)
        #expect(try await lstat(double(.type(103), on: .lstat), 9) == UInt32(37).bytes + [103] + UInt32(5).bytes)
        #expect(try await lstat(double(.length(.max), on: .lstat), 9) == UInt32.max.bytes + [105] + UInt32(5).bytes)
        let twice = try await lstat(double(.duplicate, on: .lstat), 82)
        #expect(twice.prefix(41) == twice.suffix(41))
        #expect(try await lstat(double(.before(Data("Hi\n".utf8)), on: .lstat), 12) == Array("Hi\n".utf8) + start)
        #expect(
            try await lstat(double(.behind(SFTPDouble.stray(9)), on: .lstat), 62).suffix(17) == status(9, .ok)
                + UInt64(0).bytes)
        #expect(
            try await lstat(double(.missingAttributes, on: .lstat), 13) == UInt32(9).bytes + [105] + UInt32(5).bytes + [
                0, 0, 0, 15,
            ])
        #expect(try await lstat(double(.raw(Data([1, 2])), on: .lstat), 2) == [1, 2])
        #expect(
            try await lstat(double(.packet(type: 77, Data([1])), on: .lstat), 10) == UInt32(6).bytes + [77]
                + UInt32(5).bytes + [1])
        let named = double(.names([[0xFF, 0x2F]]), .nameCount(500), .stringLength(9), on: .lstat)
        #expect(try await lstat(named, 19).suffix(10) == UInt32(500).bytes + UInt32(9).bytes + [0xFF, 0x2F])
        let bare = try await lstat(double(.status(.failure, nil), on: .lstat), 13)
        #expect(bare == UInt32(9).bytes + status(5, .failure))
    }

    @Test func `VERSION is wrong as it is asked to be`() async throws {
        for (fault, expected) in [
            (SFTPDouble.Fault.version(6), [2] + UInt32(6).bytes), (.length(0), [2] + UInt32(3).bytes),
        ] {
            let client = SFTPDoubleClient(double(fault, on: .initialize))
            client.send(1, UInt32(3))
            #expect(try await client.bytes(9).suffix(5) == expected)
            client.channel.end(with: CancellationError())
        }
        let client = SFTPDoubleClient(double(.before(Data("Welcome\n".utf8)), on: .initialize))
        client.send(1, UInt32(3))
        #expect(try await client.bytes(8) == Array("Welcome\n".utf8))
        client.channel.end(with: CancellationError())
    }

    @Test func `READ is short, long, or ends early`() async throws {
        let double = double(on: .read)
        let client = SFTPDoubleClient(double)
        try await client.begin()
        let handle = try await client.open("/file", .read)
        for (fault, expected) in [
            (.shortRead(3), [103] + UInt32(1).bytes + "012".bytes),
            (.longRead(more: 2), [103] + UInt32(1).bytes + "01234++".bytes),
            (.endOfFile(at: 0), status(1, .endOfFile) + "End of file".bytes + "".bytes),
        ] as [(SFTPDouble.Fault, [UInt8])] {
            double.setAnswer { $0.kind == .read ? [fault] : [] }
            client.send(5, UInt32(1), handle, UInt64(0), UInt32(5))
            #expect(try await client.packet() == expected)
        }
        double.stop()
    }

    @Test func `replies come late, in another order, or never`() async throws {
        let double = SFTPDouble()
        double.setAnswer { request in
            switch request.id {
            case 1: [.late(after: 2)]
            case 3: [.silence]
            case 10...12: [.shuffled(of: 3)]
            case 20...21: [.shuffled(of: 99)]
            default: []
            }
        }
        let client = SFTPDoubleClient(double)
        try await client.begin()
        var order: [UInt8] = []
        for ids in [1...5, 10...12, 20...21] as [ClosedRange<UInt32>] {
            client.sendTogether(ids)
            for _ in 0..<(ids.count - (ids.contains(3) ? 1 : 0)) { order.append(try await client.packet()[4]) }
        }
        #expect(order == [2, 4, 1, 5, 12, 11, 10, 21, 20])
        client.send(7, UInt32(3), "/")
        client.send(7, UInt32(4), "/")
        #expect(try await client.packet()[4] == 4)
        #expect(double.violations == ["1: lstat: The id 3 is used again before its reply."])
        double.stop()
    }

    @Test func `the channel is cut where it is asked to be`() async throws {
        let cut = double(.cut(after: 7), on: .lstat)
        #expect(try await lstat(cut, 7) == UInt32(37).bytes + [105, 0, 0])
        for (fault, isDone) in [(SFTPDouble.Fault.close, false), (.closeAfterDoing, true)] {
            let double = double(fault, on: .mkdir)
            let client = SFTPDoubleClient(double)
            try await client.begin()
            client.send(14, UInt32(5), "/new", UInt32(0))
            #expect(try await client.end() == .networkConnectionLost)
            #expect(double.exists("/new") == isDone)
        }
        for (cut, left) in [(.received(10), nil), (.sent(10), 10), (.requests(2), 41)] as [(SFTPDouble.Cut, Int?)] {
            let double = SFTPDouble()
            let client = SFTPDoubleClient(double)
            try await client.begin()
            double.cut(cut)
            client.send(7, UInt32(5), "/")
            if let left { _ = try await client.bytes(left) }
            client.send(7, UInt32(6), "/")
            #expect(try await client.end() == .networkConnectionLost)
        }
    }

    @Test func `the disk is full, handles are few`() async throws {
        var settings = SFTPDouble.Settings(answer: SFTPDouble.diskFull(at: 5))
        settings.maximumHandles = 1
        settings.handleLength = 256
        let double = SFTPDouble(settings)
        let client = SFTPDoubleClient(double)
        try await client.begin()
        let handle = try await client.open("/file", [.write, .create])
        #expect(handle.count == 256)
        client.send(6, UInt32(1), handle, UInt64(0), "01234")
        client.send(6, UInt32(2), handle, UInt64(5), "5")
        client.send(3, UInt32(3), "/file", UInt32(1), UInt32(0))
        #expect(try await client.packet().starts(with: status(1, .ok)))
        #expect(try await client.packet() == status(2, .failure) + "No space left on device".bytes + "".bytes)
        #expect(try await client.packet() == status(3, .failure) + "Too many open files".bytes + "".bytes)
        #expect(double.counts.peakHandles == 1)
        double.stop()
    }

    @Test func `a window that stays closed takes nothing, and time runs out`() async throws {
        var settings = SFTPDouble.Settings()
        settings.timeout = 0.2
        let double = SFTPDouble(settings)
        let client = SFTPDoubleClient(double)
        double.setWindow(4)
        client.send(1, UInt32(3))
        #expect(try await client.end() == .timedOut)
        #expect(double.counts.received == 4)
        #expect(double.counts.requests == [:])
    }

    @Test func `a listing can be without end`() async throws {
        let double = double(.endless, on: .readdir)
        let client = SFTPDoubleClient(double)
        try await client.begin()
        client.send(11, UInt32(99), "/")
        let handle = try await client.handle()
        for turn in 0..<5 {
            client.send(12, UInt32(1), handle)
            #expect(String(decoding: try await client.packet(), as: UTF8.self).contains("endless-\(turn * 100 + 99)"))
        }
        double.stop()
    }
}

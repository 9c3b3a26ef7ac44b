import FaultServer
import FileProviderCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct SFTPDoubleTests {
    private let id = UInt32(7)

    /// The start of a STATUS: type, id, code.
    private func status(_ id: UInt32, _ code: SFTPDouble.Code) -> [UInt8] { [101] + id.bytes + code.rawValue.bytes }

    private func open(_ client: SFTPDoubleClient, _ path: String, _ flags: SFTPDouble.OpenFlags) async throws -> [UInt8] {
        client.send(3, UInt32(1), path, flags.rawValue, UInt32(0))
        let reply = try await client.packet()
        try #require(reply.starts(with: [102] + UInt32(1).bytes))
        return Array(reply.dropFirst(9))
    }

    @Test func `VERSION is 3 and names the extensions`() async throws {
        let double = SFTPDouble()
        let client = SFTPDoubleClient(double)
        client.send(1, UInt32(3))
        let reply = try await client.packet()
        #expect(reply.starts(with: [2, 0, 0, 0, 3] + "posix-rename@openssh.com".bytes + "1".bytes))
        #expect(double.violations == [])
        double.stop()
        #expect(try await client.end() == .networkConnectionLost)
    }

    @Test func `a file that is written, renamed and read is the same`() async throws {
        let double = SFTPDouble(files: ["/folder/old": Data("old".utf8)])
        let client = SFTPDoubleClient(double)
        try await client.begin()
        let handle = try await open(client, "/folder/new", [.write, .create, .exclusive])
        client.send(6, UInt32(2), handle, UInt64(3), "def")
        client.send(6, UInt32(3), handle, UInt64(0), "abc")
        client.send(4, UInt32(4), handle)
        for id in 2...4 { #expect(try await client.packet().starts(with: status(UInt32(id), .ok))) }
        client.send(18, UInt32(5), "/folder/new", "/folder/old")
        #expect(try await client.packet().starts(with: status(5, .failure)))
        client.send(200, UInt32(6), "posix-rename@openssh.com", "/folder/new", "/folder/old")
        #expect(try await client.packet().starts(with: status(6, .ok)))
        let again = try await open(client, "/folder/old", .read)
        client.send(5, UInt32(7), again, UInt64(1), UInt32(100))
        #expect(try await client.packet() == [103] + UInt32(7).bytes + "bcdef".bytes)
        client.send(5, UInt32(8), again, UInt64(6), UInt32(100))
        #expect(try await client.packet().starts(with: status(8, .endOfFile)))
        #expect(double.paths == ["/folder/", "/folder/old"])
        #expect(double.file("/folder/old") == Data("abcdef".utf8))
        #expect(double.violations == [])
        #expect(double.counts.openHandles == 1)
        double.stop()
    }
}

import FaultServer
import FileProviderCore
import Foundation
import Testing

/// The start of a STATUS: type, id, code.
func status(_ id: UInt32, _ code: SFTPDouble.Code) -> [UInt8] { [101] + id.bytes + code.rawValue.bytes }

extension SFTPDoubleClient {
    /// The handle.
    func open(_ path: String, _ flags: SFTPDouble.OpenFlags) async throws -> [UInt8] {
        send(3, UInt32(99), path, flags.rawValue, UInt32(0))
        return try await handle()
    }

    /// The handle that a reply brings.
    func handle() async throws -> [UInt8] {
        let reply = try await packet()
        try #require(reply.starts(with: [102] + UInt32(99).bytes))
        return Array(reply.dropFirst(9))
    }
}

@Suite(.timeLimit(.minutes(1))) struct SFTPDoubleTests {
    @Test func `VERSION is 3 and names the extensions`() async throws {
        let double = SFTPDouble()
        let client = SFTPDoubleClient(double)
        client.send(1, UInt32(3))
        let reply = try await client.packet()
        #expect(reply.starts(with: [2, 0, 0, 0, 3] + "posix-rename@openssh.com".bytes + "1".bytes))
        #expect(double.violations == [])
        double.stop()
        #expect(try await client.end() == .networkConnectionLost)
        #expect(double.counts.openChannels == 0)
    }

    @Test func `a file that is written, renamed and read is the same`() async throws {
        let double = SFTPDouble(files: ["/folder/old": Data("old".utf8)])
        let client = SFTPDoubleClient(double)
        try await client.begin()
        let handle = try await client.open("/folder/new", [.write, .create, .exclusive])
        client.send(6, UInt32(2), handle, UInt64(3), "def")
        client.send(6, UInt32(3), handle, UInt64(0), "abc")
        client.send(4, UInt32(4), handle)
        for id in 2...4 { #expect(try await client.packet().starts(with: status(UInt32(id), .ok))) }
        client.send(18, UInt32(5), "/folder/new", "/folder/old")
        #expect(try await client.packet().starts(with: status(5, .failure)))
        client.send(200, UInt32(6), "posix-rename@openssh.com", "/folder/new", "/folder/old")
        #expect(try await client.packet().starts(with: status(6, .ok)))
        let again = try await client.open("/folder/old", .read)
        client.send(5, UInt32(7), again, UInt64(1), UInt32(100))
        #expect(try await client.packet() == [103] + UInt32(7).bytes + "bcdef".bytes)
        client.send(5, UInt32(8), again, UInt64(6), UInt32(100))
        #expect(try await client.packet().starts(with: status(8, .endOfFile)))
        #expect(double.paths == ["/folder/", "/folder/old"])
        #expect(double.file("/folder/old") == Data("abcdef".utf8))
        #expect(double.violations == [])
        #expect(double.counts.openHandles == 1)
        #expect(double.counts.extended == ["posix-rename@openssh.com": 1])
        double.stop()
        _ = try await client.end()
        #expect(double.counts.leakedHandles == 1)
    }

    @Test func `a folder of 10,000 entries comes a hundred at a time, with dots`() async throws {
        let double = SFTPDouble()
        double.putEntries(10_000, in: "/big")
        let client = SFTPDoubleClient(double)
        try await client.begin()
        client.send(11, UInt32(99), "/big")
        let handle = try await client.handle()
        for id in 0..<102 { client.send(12, UInt32(id), handle) }
        var counts: [UInt32] = []
        for id in 0..<101 {
            let reply = try await client.packet()
            #expect(reply.starts(with: [104] + UInt32(id).bytes))
            counts.append(reply[5..<9].reduce(0) { $0 << 8 | UInt32($1) })
            if id == 0 {
                let text = String(decoding: reply, as: UTF8.self)
                #expect(text.contains("drwxr-xr-x"))
                #expect(text.contains("entry-00097"))
                #expect(!text.contains("entry-00098"))
            }
        }
        #expect(counts == [UInt32](repeating: 100, count: 100) + [2])
        #expect(try await client.packet().starts(with: status(101, .endOfFile)))
        double.stop()
    }

    @Test func `an upload of the pattern is known and takes no memory, and one wrong byte is seen`() async throws {
        let double = SFTPDouble()
        let client = SFTPDoubleClient(double)
        try await client.begin()
        let handle = try await client.open("/file", [.write, .create])
        let size = 20_000_001
        let block = 261_120
        for (index, offset) in stride(from: 0, to: size, by: block).enumerated() {
            client.send(
                6, UInt32(index), handle, UInt64(offset), Array(SFTPDouble.pattern(offset..<min(size, offset + block))))
        }
        for _ in stride(from: 0, to: size, by: block) { #expect(try await client.packet()[8] == 0) }
        #expect(double.isPattern("/file", size: size))
        #expect(!double.isPattern("/file", size: size - 1))
        client.send(6, UInt32(1), handle, UInt64(9_999_999), [UInt8(ascii: "!"), UInt8(ascii: "!")])
        _ = try await client.packet()
        #expect(!double.isPattern("/file", size: size))
        #expect(double.counts.bytesWritten == size + 2)
        double.stop()
    }

    @Test func `sizes are set, gaps are zeros, a pattern is cut`() async throws {
        let double = SFTPDouble(files: ["/short": Data("abc".utf8)])
        double.putPattern(1 << 30, at: "/long")
        let client = SFTPDoubleClient(double)
        try await client.begin()
        client.send(9, UInt32(1), "/short", UInt32(1), UInt64(5))
        client.send(9, UInt32(2), "/long", UInt32(9), UInt64(70_000), UInt32(11), UInt32(12))
        for id in [1, 2] as [UInt32] { #expect(try await client.packet().starts(with: status(id, .ok))) }
        #expect(double.file("/short") == Data([97, 98, 99, 0, 0]))
        #expect(double.isPattern("/long", size: 70_000))
        #expect(double.modified("/long") == 12)
        client.send(9, UInt32(3), "/long", UInt32(1), UInt64(200_000))
        _ = try await client.packet()
        #expect(double.bytes("/long", 69_999..<200_001) == SFTPDouble.pattern(69_999..<70_000) + Data(count: 130_000))
        double.stop()
    }

    @Test(
        arguments: [
            ("remove a folder", 13, ["/folder"], SFTPDouble.Code.failure),
            ("remove nothing", 13, ["/nothing"], .noSuchFile),
            ("remove a full folder", 15, ["/folder"], .failure),
            ("remove a file as a folder", 15, ["/folder/file"], .noSuchFile),
            ("rename onto a file", 18, ["/folder/file", "/other"], .failure),
            ("rename into itself", 18, ["/folder", "/folder/in"], .badMessage),
            ("read no link", 19, ["/other"], .badMessage), ("follow a loop", 17, ["/loop"], .noSuchFile),
            ("make a link over a file", 20, ["target", "/other"], .failure),
            ("a file as a folder", 17, ["/other/below"], .noSuchFile),
            ("a folder that is closed", 11, ["/closed"], .permissionDenied),
            ("a name that is too long", 17, ["/folder/file"], .badMessage),
        ] as [(String, UInt8, [String], SFTPDouble.Code)])
    func `fails as OpenSSH does`(what: String, type: UInt8, paths: [String], code: SFTPDouble.Code) async throws {
        let double = SFTPDouble(files: ["/folder/file": Data(), "/other": Data()])
        double.putLink(to: "/loop", at: "/loop")
        double.putFolder("/closed", mode: 0)
        let client = SFTPDoubleClient(double)
        try await client.begin()
        let isLong = what.contains("too long")
        let body = paths.flatMap { isLong ? String(repeating: "x", count: 256).bytes : $0.bytes }
        client.send(raw: UInt32(5 + body.count).bytes + [type] + UInt32(4).bytes + body)
        #expect(try await client.packet().starts(with: status(4, code)), "\(what)")
        #expect(double.violations == [])
        double.stop()
    }

    @Test func `links take OpenSSH's order, or the draft's`() async throws {
        for isDraft in [false, true] {
            var settings = SFTPDouble.Settings()
            settings.symlinkTakesLinkFirst = isDraft
            let double = SFTPDouble(settings)
            let client = SFTPDoubleClient(double)
            try await client.begin()
            client.send(20, UInt32(1), "/first", "/second")
            #expect(try await client.packet().starts(with: status(1, .ok)))
            #expect(double.target(isDraft ? "/first" : "/second") == (isDraft ? "/second" : "/first"))
            double.stop()
        }
    }

    @Test func `extensions answer`() async throws {
        let double = SFTPDouble(files: ["/a": Data("hello".utf8)])
        let client = SFTPDoubleClient(double)
        try await client.begin()
        client.send(200, UInt32(1), "limits@openssh.com")
        #expect(
            try await client.packet() == [201] + UInt32(1).bytes
                + [262_144, 261_120, 261_120, 1_019].flatMap { UInt64($0).bytes })
        client.send(
            200, UInt32(2), "users-groups-by-id@openssh.com", UInt32(1_000).bytes + UInt32(5).bytes, UInt32(0).bytes)
        #expect(
            try await client.packet() == [201] + UInt32(2).bytes + ("reader".bytes + "".bytes).bytes
                + "root".bytes.bytes)
        client.send(200, UInt32(3), "statvfs@openssh.com", "/a")
        #expect(try await client.packet().count == 5 + 88)
        let source = try await client.open("/a", .read)
        let target = try await client.open("/b", [.write, .create])
        client.send(200, UInt32(4), "copy-data", source, UInt64(1), UInt64(3), target, UInt64(2))
        client.send(200, UInt32(5), "fsync@openssh.com", target)
        client.send(200, UInt32(6), "hardlink@openssh.com", "/b", "/c")
        client.send(200, UInt32(7), "space-available", "/")
        for (id, code) in [(4, .ok), (5, .ok), (6, .ok), (7, .unsupported)] as [(UInt32, SFTPDouble.Code)] {
            #expect(try await client.packet().starts(with: status(id, code)))
        }
        #expect(double.file("/c") == Data([0, 0] + Array("ell".utf8)))
        #expect(double.links("/c") == 2)
        client.send(200, UInt32(8), "expand-path@openssh.com", "~/b")
        #expect(try await client.packet().starts(with: [104] + UInt32(8).bytes + UInt32(1).bytes))
        #expect(double.violations == ["1: extended space-available: Not offered."])
        double.stop()
    }
}

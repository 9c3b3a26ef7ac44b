import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import FTPFileProvider

/// What servers lack, or have in a way of their own.
@Suite struct FTPServerQuirkTests {
    // MARK: Commands together

    @Test func `A server that drops what comes too early is asked one by one from then on`() async throws {
        var settings = FTPDouble.Settings()
        settings.dropsEarlyCommands = true
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
            $0.retries.retries = 1
        } _: { double, provider in
            for doing in FTPActivity.allCases {
                try await doing.run(provider, doing.rawValue)
                if doing == .move { double.put(Data("old".utf8), at: "/old") }
            }
            #expect(
                double.file("/publish") == FTPActivity.content && double.file("/writeInPlace") == FTPActivity.content)
            #expect(double.connections == 2)
        }
    }

    @Test func `A connection that is lost between two replies does not slow down the rest`() async throws {
        let settings = FTPDouble.Settings { $0.verb == "MDTM" && $0.occurrence == 1 ? [.dropConnection] : [] }
        try await withFTPProvider(settings) {
            $0.retries.retries = 1
        } _: { _, provider in
            try await FTPActivity.read.run(provider)
            #expect(provider.connection.host.pipelining.isAllowed)
        }
    }

    // MARK: What a server knows

    @Test func `A command that was refused may be known after an hour`() {
        let host = FTPHost(charset: .utf8)
        host.lacks("MFMT")
        #expect(!host.mayKnow("MFMT") && !host.mayKnow("MFMT", at: .now + .seconds(3_500)))
        #expect(host.mayKnow("MFMT", at: .now + .seconds(3_700)))
    }

    @Test func `A refusal of a long path is not one of the command`() async throws {
        let settings = FTPDouble.Settings { $0.argument.utf8.count > 500 ? [.reply("500 Line too long")] : [] }
        try await withFTPProvider(settings) { double, provider in
            let name = String(repeating: "name", count: 60)
            let long = try ProviderPath([name, name, name, "book"].joined(separator: "/"))
            _ = try await FTPFaults.mustFail { try await provider.attributesOfItem(path: long) }
            _ = try await FTPFaults.mustFail { try await provider.contentsOfDirectory(path: long) }
            _ = try await FTPFaults.mustFail {
                try await provider.writeContents(path: long, contents: FTPActivity.content)
            }
            let before = double.commands.count
            try await FTPActivity.look.run(provider)
            #expect(double.commands.dropFirst(before).map(\.verb) == ["MLST"])
        }
    }

    @Test(arguments: [" MDTM", "211-MDTM", "211- MDTM", "MDTM"])
    func `Features are read whether the code stands before them or not`(line: String) {
        let lines = ["Features:", line, "211-MLST type*;size*;modify*;", "End"].map { Array($0.utf8) }
        let features = FTPFeatures(FTPReply(verb: "FEAT", code: 211, lines: lines))
        #expect(features.has("MDTM") && features.hasMachineListings)
        #expect(features.wantedFacts == nil)
    }

    // MARK: Copies

    @Test(arguments: ["500 What?", "550 Not allowed here", "504 Not with this"], ["CPFR", "CPTO"])
    func `A copy that the server does not make is made by this machine`(reply: String, verb: String) async throws {
        var settings = FTPDouble.Settings { $0.verb == "SITE" && $0.argument.hasPrefix(verb) ? [.reply(reply)] : [] }
        settings.features.append("SITE COPY")
        try await withFTPProvider(settings) { double, provider in
            try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath("new"))
            #expect(double.file("/new") == FTPFaults.book)
        }
    }

    @Test func `A copy that the server takes long for is waited for, and one that never ends is made by this machine`()
        async throws
    {
        for faults in [[FTPDouble.Fault.delay(2)], [.silence]] {
            var settings = FTPDouble.Settings { $0.verb == "SITE" && $0.argument.hasPrefix("CPTO") ? faults : [] }
            settings.features.append("SITE COPY")
            try await withFTPProvider(settings) {
                let isLate = if case .delay = faults[0] { true } else { false }
                $0.timeouts = isLate ? Timeouts(connect: 20, idle: 1.5) : Timeouts(connect: 1, idle: 0.5)
            } _: { double, provider in
                try await provider.copyItem(path: ProviderPath("book"), to: ProviderPath("new"))
                #expect(double.file("/new") == FTPFaults.book)
                if case .delay = faults[0] { #expect(!double.commands.contains { $0.verb == "STOR" }) }
            }
        }
    }

    // MARK: Names and data

    @Test func `The target of a link is in the character set of the server, too`() async throws {
        let line = try #require(
            "lrwxrwxrwx 1 ftp ftp 5 Jan 01 2020 Ссылка -> Книги/Том\r\n".data(using: .windowsCP1251))
        var settings = FTPDouble.Settings()
        (settings.features, settings.listing) = (["SIZE"], .raw(line))
        try await withFTPProvider(settings, configure: { try? $0.setCharset("windows-1251") }) { _, provider in
            let item = try #require(await provider.contentsOfDirectory(path: .root).first)
            #expect(item.name == "Ссылка" && item.linkTarget == Array("Книги/Том".utf8))
        }
    }

    @Test(arguments: ["ProFTPD Server", "Welcome"])
    func `The byte 255 is doubled for servers that know Telnet, and sent to nobody of whom that is unknown`(
        software: String
    ) async throws {
        var settings = FTPDouble.Settings()
        settings.welcome = "220 \(software) ready"
        try await withFTPProvider(settings, files: [:], configure: { try? $0.setCharset("windows-1251") }) {
            double, provider in
            let path = try ProviderPath("Моя книга")
            if software == "Welcome" {
                let error = try await FTPFaults.mustFail { try await provider.createFolder(path: path) }
                #expect(error.cocoaCode == .fileWriteInvalidFileName && !double.commands.contains { $0.verb == "MKD" })
                return
            }
            _ = try await provider.writeContents(path: path, contents: FTPActivity.content)
            #expect(try await provider.contentsOfDirectory(path: .root).map(\.name) == ["Моя книга"])
            #expect(try await provider.contents(path: path) == FTPActivity.content)
            try await provider.removeItem(path: path)
            #expect(double.paths == [])
        }
    }

    @Test func `In active mode, data from another machine than the server is not taken`() async throws {
        for isForeign in [false, true] {
            let settings = FTPDouble.Settings { $0.verb == "RETR" && isForeign ? [.dataFrom("127.0.0.2")] : [] }
            try await withFTPProvider(settings) {
                $0.timeouts = Timeouts(connect: 2, idle: 2)
            } configure: {
                $0.dataMode = .active
            } _: { _, provider in
                let error = await FTPFaults.failure { try await FTPActivity.read.run(provider) }
                #expect((error != nil) == isForeign)
            }
        }
    }

    @Test func `Where nothing comes through to the port of EPSV, PASV is asked from then on`() async throws {
        let hole = try #require(BlackHole())
        let port = hole.port
        defer { withExtendedLifetime(hole) {} }
        let settings = FTPDouble.Settings { $0.verb == "EPSV" ? [.wrongPort(port)] : [] }
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
            $0.retries.retries = 1
        } _: { double, provider in
            for _ in 0..<3 { try await FTPActivity.read.run(provider) }
            try await FTPActivity.publish.run(provider)
            #expect(double.commands.count { $0.verb == "EPSV" } == 1 && double.commands.contains { $0.verb == "PASV" })
        }
    }

    /// A port to which no connection comes about: it listens, and has all it can hold.
    private final class BlackHole {
        let port: Int
        private var sockets: [Int32] = []

        init?() {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let others = (0..<4).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0) }
            let isOpen = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    guard bind(listener, pointer, length) == 0, listen(listener, 0) == 0,
                        getsockname(listener, pointer, &length) == 0
                    else {
                        return false
                    }
                    for other in others { _ = connect(other, pointer, length) }
                    return true
                }
            }
            port = Int(UInt16(bigEndian: address.sin_port))
            sockets = [listener] + others
            if !isOpen { return nil }
        }

        deinit { for socket in sockets { close(socket) } }
    }

    @Test func `Dates without a zone are the server's`() async throws {
        let line = Data("-rw-r--r-- 1 ftp ftp 5 Jul 14 2017 book\r\n".utf8)
        var settings = FTPDouble.Settings()
        (settings.features, settings.listing) = (["SIZE"], .raw(line))
        try await withFTPProvider(settings, configure: { $0.timeZone = "Europe/Berlin" }) { _, provider in
            let item = try #require(await provider.contentsOfDirectory(path: .root).first)
            // Midnight in Berlin, two hours before that of UTC.
            #expect(item.modifiedDate == Date(timeIntervalSince1970: 1_499_990_400 - 7_200))
        }
    }

    @Test func `TCP keeps control connections alive`() async throws {
        try await withFTPProvider { double, provider in
            try await FTPActivity.look.run(provider)
            let own = (0..<4_096 as Range<Int32>).filter { Self.port(behind: $0) == double.port }
            #expect(!own.isEmpty)
            for socket in own {
                #expect(Self.option(SOL_SOCKET, SO_KEEPALIVE, of: socket) == 1)
                #expect(Self.option(Int32(IPPROTO_TCP), TCP_KEEPIDLE, of: socket) == 30)
            }
        }
    }

    private static func port(behind socket: Int32) -> Int? {
        var peer = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isKnown = withUnsafeMutablePointer(to: &peer) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) == 0 }
        }
        return isKnown && Int32(peer.sin_family) == AF_INET ? Int(UInt16(bigEndian: peer.sin_port)) : nil
    }

    private static func option(_ level: Int32, _ name: Int32, of socket: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(socket, level, name, &value, &length) == 0 ? value : nil
    }

    // MARK: Lost replies

    @Test(arguments: [FTPDouble.Fault.noFinalReply, .dropConnection])
    func `A folder or a renaming whose reply is lost is looked at`(fault: FTPDouble.Fault) async throws {
        let settings = FTPDouble.Settings { ["MKD", "RNTO"].contains($0.verb) && $0.occurrence == 1 ? [fault] : [] }
        let isDone = if case .noFinalReply = fault { true } else { false }
        try await withFTPProvider(settings) { double, provider in
            let first = await FTPFaults.failure { try await provider.createFolder(path: ProviderPath("new")) }
            #expect((first == nil) == isDone && double.exists("/new") == isDone)
            let second = await FTPFaults.failure {
                try await provider.moveItem(path: ProviderPath("old"), to: ProviderPath("moved"))
            }
            #expect((second == nil) == isDone && double.exists("/moved") == isDone && double.exists("/old") == !isDone)
        }
    }

    @Test func `A folder that holds something is not the one that was to be made`() async throws {
        try await withFTPProvider(.init { $0.verb == "MKD" ? [.noFinalReply] : [] }) { _, provider in
            let error = try await FTPFaults.mustFail { try await provider.createFolder(path: ProviderPath("shelf")) }
            #expect(error.urlCode == .networkConnectionLost, "\(error)")
        }
    }

    @Test func `A folder is removed with what came after it was listed`() async throws {
        try await withFTPProvider {
            $0.cache = CachePolicy(lifetime: 600)
        } _: { double, provider in
            _ = try await provider.contentsOfDirectory(path: ProviderPath("shelf"))
            double.put(Data("2".utf8), at: "/shelf/two")
            try await provider.removeItem(path: ProviderPath("shelf"))
            #expect(!double.exists("/shelf"))
        }
    }

    @Test func `Whether a server tells free space is asked once`() async throws {
        try await withFTPProvider { double, provider in
            for _ in 0..<3 { _ = try await provider.capabilities() }
            #expect(double.commands.count { $0.verb == "SITE" } == 1)
        }
        var settings = FTPDouble.Settings { $0.verb == "AVBL" ? [.reply("213 1000")] : [] }
        settings.features.append("AVBL")
        try await withFTPProvider(settings) { double, provider in
            for _ in 0..<3 { try await #expect(provider.capabilities()[.storageProperties] == .native) }
            #expect(double.commands.count { $0.verb == "AVBL" } == 1)
        }
    }
}

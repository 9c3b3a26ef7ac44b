import FaultServer
import Foundation
import Testing

/// What the double is told for as long as it runs, and its cuts.
@Suite struct FTPDoubleSettingsTests {
    private let digits = Data("0123456789".utf8)

    @Test func `Replies have many lines and come byte by byte`() throws {
        var settings = FTPDouble.Settings()
        settings.innerLines = FTPDouble.trickyLines
        settings.replyPace = 0.001
        try withFTPDouble(settings) { double, client in
            #expect(client.say("NOOP") == "200-Fine\n 200 padded\n200-goes on\n2500 bytes\n12\n\n 226 Done\n200 Fine")
            #expect(double.logins == 1)
        }
    }

    @Test func `A server without MLSD may say that it has it, and lists as IIS does`() throws {
        var settings = FTPDouble.Settings()
        (settings.unknown, settings.listing) = (["MLSD"], .dos)
        try withFTPDouble(settings, files: ["/sub/c": digits]) { double, client in
            double.put(digits, at: "/a", modified: Date(timeIntervalSince1970: 1_000_000_000))
            #expect(client.say("FEAT")?.contains("\n MLST type*;") == true)
            #expect(client.say("MLSD") == "500 Not known")
            let lines = String(decoding: try client.fetch("LIST").data, as: UTF8.self).components(separatedBy: "\r\n")
            #expect(lines[0] == "09-09-01  01:46AM                   10 a")
            #expect(lines[1].hasSuffix("      <DIR>          sub"))
        }
    }

    @Test func `There is a limit to connections and logins`() throws {
        var settings = FTPDouble.Settings()
        (settings.maximumConnections, settings.maximumLogins) = (2, 1)
        try withFTPDouble(settings) { double, _ in
            let second = try RawFTPClient(double.port)
            #expect(second.reply() == "220 Ready")
            try #expect(RawFTPClient(double.port).reply() == "421 Too many connections")
            second.say("USER x")
            #expect(second.say("PASS x") == "530 Too many of you")
        }
    }

    @Test func `An idle connection is closed`() throws {
        var settings = FTPDouble.Settings()
        settings.idleTimeout = 0.05
        let double = try FTPDouble(settings)
        defer { double.stop() }
        let client = try RawFTPClient(double.port)
        #expect(client.reply() == "220 Ready")
        #expect(client.reply() == "421 Nothing came")
        #expect(client.receive() == nil)
    }

    @Test func `What goes wrong can be said later`() throws {
        try withFTPDouble { double, client in
            #expect(client.say("NOOP") == "200 Fine")
            double.setAnswer { $0.occurrence == 2 ? [.reply("550 Second")] : [] }
            #expect(client.say("NOOP") == "550 Second")
            #expect(client.say("NOOP") == "200 Fine")
        }
    }

    @Test func `A digest is given where the server has one`() throws {
        var settings = FTPDouble.Settings()
        settings.hashes = ["CRC32": FTPDouble.crc32]
        try withFTPDouble(settings, files: ["/a": Data("123456789".utf8)]) { _, client in
            #expect(client.say("XCRC a") == "250 CBF43926")
            #expect(client.say("HASH a") == "213 CRC32 0-8 CBF43926 a")
            #expect(client.say("XMD5 a") == "500 Not known")
        }
    }

    // MARK: Cuts

    @Test func `The control connection is cut after every byte`() throws {
        let double = try FTPDouble()
        defer { double.stop() }
        let commands = ["USER x", "PASS x", "NOOP"]
        let whole = try RawFTPClient(double.port)
        _ = whole.reply()
        for command in commands { whole.say(command) }
        let (received, sent) = double.traffic
        for cut in (0..<sent).map(FaultServer.Cut.afterSending) + (0..<received).map(FaultServer.Cut.afterReceiving) {
            let before = double.traffic
            double.reset(cut)
            let client = try RawFTPClient(double.port)
            let greeting = client.reply()
            #expect(greeting == nil || commands.contains { client.say($0) == nil })
            #expect(client.wasReset)
            switch cut {
            case .afterSending(let count): #expect(double.traffic.sent - before.sent == count)
            case .afterReceiving(let count): #expect(double.traffic.received - before.received == count)
            }
        }
        #expect(whole.say("NOOP") == "200 Fine")
    }

    @Test func `The data connection is cut after every byte`() throws {
        try withFTPDouble(files: ["/a": digits]) { double, client in
            for count in 0..<digits.count {
                double.resetData(.afterSending(count))
                try #expect(client.fetch("RETR a").final == "426 The data connection is lost")
                double.resetData(.afterReceiving(count))
                try #expect(client.store("STOR b", digits) == "426 The data connection is lost")
            }
            #expect(double.dataTraffic.sent == 45)
            #expect(double.dataTraffic.received == 45)
            try #expect(client.fetch("RETR a").data == digits)
        }
    }
}

import FaultServer
import Foundation
import Testing

/// Each fault of the double once.
@Suite struct FTPDoubleFaultTests {
    private let digits = Data("0123456789".utf8)

    /// A client of a server with a file "a" of ten digits, where `faults` happen at each command `verb`.
    private func at(_ verb: String, _ faults: FTPDouble.Fault..., body: (FTPDouble, RawFTPClient) throws -> Void) throws
    {
        try withFTPDouble(.init { $0.verb == verb ? faults : [] }, files: ["/a": digits], body)
    }

    // MARK: Before and in place of a command

    @Test func `A reply comes in place of the command or after it`() throws {
        try at("DELE", .reply("550-No\n550 Never")) { double, client in
            #expect(client.say("DELE a") == "550-No\n550 Never")
            #expect(double.exists("/a"))
        }
        try at("DELE", .replyAfterDoing("451 Hm")) { double, client in
            #expect(client.say("DELE a") == "451 Hm")
            #expect(!double.exists("/a"))
        }
    }

    @Test func `A greeting comes late and in two steps`() throws {
        let double = try FTPDouble(.init { $0.verb.isEmpty ? [.say("120 Soon"), .delay(0.05)] : [] })
        defer { double.stop() }
        let start = ContinuousClock.now
        let client = try RawFTPClient(double.port)
        #expect(client.reply() == "120 Soon")
        #expect(client.reply() == "220 Ready")
        #expect(start.duration(to: .now) >= .milliseconds(50))
    }

    @Test func `The first connections are turned away`() throws {
        let double = try FTPDouble(.init { $0.verb.isEmpty && $0.connection <= 2 ? [.reply("421 Busy"), .close] : [] })
        defer { double.stop() }
        for _ in 0..<2 {
            let client = try RawFTPClient(double.port)
            #expect(client.reply() == "421 Busy")
            #expect(client.receive() == nil)
        }
        try #expect(RawFTPClient(double.port).reply() == "220 Ready")
    }

    @Test func `Nothing is answered any more, and commands are recorded`() throws {
        try at("NOOP", .silence) { double, client in
            client.send(Data("NOOP\r\nQUIT\r\n".utf8))
            #expect(waits { double.commands.suffix(2).map(\.verb) == ["NOOP", "QUIT"] })
            #expect(client.isQuiet(for: 0.1))
        }
    }

    @Test func `The connection is closed or reset`() throws {
        try at("NOOP", .dropConnection) { _, client in
            #expect(client.say("NOOP") == nil)
            #expect(!client.wasReset)
        }
        try at("NOOP", .resetConnection) { _, client in
            #expect(client.say("NOOP") == nil)
            #expect(client.wasReset)
        }
    }

    @Test func `Bytes that are no reply are sent`() throws {
        try at("NOOP", .garbage(Data([0, 200, 10]))) { _, client in
            client.send(Data("NOOP\r\n".utf8))
            #expect(client.receive() == Data([0, 200, 10]))
        }
        try at("NOOP", .reply("250 a\0b")) { _, client in #expect(client.say("NOOP") == "250 a\0b") }
    }

    @Test func `A reply without end goes on until the client goes`() throws {
        let double = try FTPDouble(.init { $0.verb == "FEAT" ? [.endless(Data("211-More\r\n".utf8))] : [] })
        defer { double.stop() }
        do {
            let client = try RawFTPClient.loggedIn(double.port)
            client.send(Data("FEAT\r\n".utf8))
            var count = 0
            while count < 1_000_000, let piece = client.receive() { count += piece.count }
            #expect(count >= 1_000_000)
        }
        #expect(waits { double.openConnections == 0 })
    }

    // MARK: After a command

    @Test func `The final reply does not come`() throws {
        try at("STOR", .noFinalReply) { double, client in
            try #expect(client.store("STOR b", digits) == nil)
            #expect(!client.isQuiet(for: 0))
            #expect(double.file("/b") == digits)
        }
        try at("STOR", .noFinalReplyButOpen) { double, client in
            let data = try client.dataConnection()
            client.say("STOR b")
            data.send(digits)
            data.finish()
            #expect(waits { double.file("/b") == digits })
            #expect(client.isQuiet(for: 0.1))
            #expect(client.say("NOOP") == "200 Fine")
        }
    }

    @Test func `More than the final reply comes`() throws {
        try at("NOOP", .also(Data("421 Bye\r\n".utf8)), .close) { _, client in
            #expect(client.say("NOOP") == "200 Fine")
            #expect(client.reply() == "421 Bye")
            #expect(client.receive() == nil)
        }
        try at("AUTH", .reply("234 Go on"), .afterNextBytes(Data("not TLS".utf8))) { double, client in
            #expect(client.say("AUTH TLS") == "234 Go on")
            client.send(Data([22, 3, 1, 0]))
            #expect(client.receiveAll() == Data("not TLS".utf8))
            #expect(double.violations == [])
        }
    }

    // MARK: Data connections

    @Test func `The reply to PASV lies`() throws {
        try at("PASV", .wrongPASVAddress("10.0.0.1"), .wrongPort(258)) { _, client in
            #expect(client.say("PASV") == "227 Entering passive mode (10,0,0,1,1,2)")
        }
        try at("EPSV", .wrongPort(258)) { _, client in
            #expect(client.say("EPSV") == "229 Entering extended passive mode (|||258|)")
        }
        try at("PASV", .passiveReply { "229 (|||\($0)|)" }) { _, client in
            try #expect(client.fetch("RETR a", by: "EPSV").data == digits)
            #expect(client.say("PASV")?.hasPrefix("229 (|||") == true)
        }
        try at("EPSV", .refuseDataConnection) { _, client in
            #expect(throws: POSIXError.self) { try client.dataConnection() }
            #expect(client.say("RETR a")?.hasPrefix("150") == true)
            #expect(client.reply() == "425 No data connection")
        }
    }

    @Test func `The mark is missing or another, and the end is said too early`() throws {
        try at("RETR", .mark(nil)) { _, client in
            let data = try client.dataConnection()
            #expect(client.say("RETR a") == "226 Done")
            #expect(data.receiveAll() == digits)
        }
        try at("RETR", .mark("125 Here"), .finalReplyFirst, .slowData(bytes: 4, pause: 0.01)) { double, client in
            let got = try client.fetch("RETR a")
            #expect((got.mark, got.data, got.final) == ("125 Here", digits, "226 Done"))
            #expect(client.say("NOOP") == "200 Fine")
        }
    }

    @Test func `A download ends too early`() throws {
        try at("RETR", .closeDataAfter(3, reply: "426 Enough")) { _, client in
            let got = try client.fetch("RETR a")
            #expect((got.data, got.final) == (Data("012".utf8), "426 Enough"))
        }
        try at("RETR", .resetDataAfter(3, reply: "226 Done")) { _, client in
            let data = try client.dataConnection()
            client.say("RETR a")
            _ = data.receiveAll()
            #expect(data.wasReset)
            #expect(client.reply() == "226 Done")
        }
        try at("RETR", .stallDataAfter(3)) { double, client in
            do {
                let data = try client.dataConnection()
                client.say("RETR a")
                #expect(data.receive() == Data("012".utf8))
                #expect(data.isQuiet(for: 0.1))
            }
            #expect(client.reply() == "426 The data connection is lost")
            #expect(double.dataTraffic.sent == 3)
        }
    }

    @Test func `An upload ends too early`() throws {
        try at("STOR", .closeDataAfter(3, reply: "552 Full")) { double, client in
            try #expect(client.store("STOR b", digits) == "552 Full")
            #expect(double.file("/b") == Data("012".utf8))
        }
        try at("STOR", .stallDataAfter(3)) { double, client in
            let data = try client.dataConnection()
            client.say("STOR b")
            data.send(digits)
            #expect(waits { double.file("/b") == Data("012".utf8) })
            #expect(client.isQuiet(for: 0.1))
            #expect(double.file("/b") == Data("012".utf8))
        }
    }

    @Test func `Other bytes are sent`() throws {
        try at("MLSD", .data(Data("nonsense".utf8))) { _, client in
            try #expect(client.fetch("MLSD").data == Data("nonsense".utf8))
        }
        try at("LIST", .endlessData(Data("line\r\n".utf8))) { _, client in
            do {
                let data = try client.dataConnection()
                client.say("LIST")
                var all = Data()
                while all.count < 1_000_000, let piece = data.receive() { all += piece }
                #expect(all.prefix(600) == Data(String(repeating: "line\r\n", count: 100).utf8))
            }
            #expect(client.reply() == "426 The data connection is lost")
        }
    }

    // MARK: What is kept

    @Test(arguments: [
        (FTPDouble.OffsetRule.overwrite, "0123xy6789"), (.truncate, "0123xy"), (.zeroFill, "\0\0\0\0xy"),
        (.ignored, "xy"),
    ]) func `An offset is not what it should be`(rule: FTPDouble.OffsetRule, content: String) throws {
        try at("STOR", .offset(rule)) { double, client in
            #expect(client.say("REST 4") == "350 Restarting at 4")
            try #expect(client.store("STOR a", Data("xy".utf8)) == "226 Done")
            #expect(double.file("/a") == Data(content.utf8))
        }
        try at("RETR", .offset(rule)) { _, client in
            client.say("REST 4")
            try #expect(client.fetch("RETR a").data == digits.dropFirst(rule == .ignored ? 0 : 4))
        }
    }

    @Test func `Less is kept than was sent, and the size is another`() throws {
        try at("STOR", .shortStore(4)) { double, client in
            try #expect(client.store("STOR b", digits) == "226 Done")
            #expect(double.file("/b") == Data("0123".utf8))
        }
        try at("SIZE", .sizeLies(7)) { _, client in #expect(client.say("SIZE a") == "213 7") }
    }
}

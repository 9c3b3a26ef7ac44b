import FaultServer
import Foundation
import Testing

/// What the double does when nothing is to go wrong.
@Suite struct FTPDoubleTests {
    private let text = Data("one\ntwo\n".utf8)

    @Test func `Only the right password is let in, and it is recorded nowhere`() throws {
        var settings = FTPDouble.Settings()
        (settings.user, settings.password) = ("anna", "right")
        let double = try FTPDouble(settings)
        defer { double.stop() }
        let client = try RawFTPClient(double.port)
        #expect(client.reply() == "220 Ready")
        #expect(client.say("PWD") == "530 Log in first")
        client.say("USER anna")
        #expect(client.say("PASS wrong") == "530 Not you")
        client.say("USER anna")
        #expect(client.say("PASS right") == "230 Welcome")
        #expect(double.logins == 1)
        #expect(double.commands.map(\.verb) == ["PWD", "USER", "PASS", "USER", "PASS"])
        #expect(double.commands.filter { $0.verb == "PASS" }.allSatisfy { $0.argument.isEmpty && $0.bytes.isEmpty })
    }

    @Test(arguments: ["PASV", "EPSV"]) func `A folder is listed in every format`(way: String) throws {
        try withFTPDouble(files: ["/a.txt": text, "/sub/b": Data()]) { double, client in
            double.put(text, at: "/a.txt", modified: Date(timeIntervalSince1970: 1_000_000_000))
            try #expect(client.fetch("NLST", by: way).data == Data("a.txt\r\nsub\r\n".utf8))
            let lines = String(decoding: try client.fetch("LIST", by: way).data, as: UTF8.self).components(
                separatedBy: "\r\n")
            #expect(lines[0] == "-rw-r--r--   1 ftp      ftp            8 Sep  9  2001 a.txt")
            #expect(lines[1].hasPrefix("drwxr-xr-x   2 ftp      ftp         4096 ") && lines[1].hasSuffix(" sub"))
            let facts = String(decoding: try client.fetch("MLSD", by: way).data, as: UTF8.self)
            #expect(facts.contains("type=file;size=8;modify=20010909014640;perm=adfrw;unix.mode=0644; a.txt\r\n"))
            #expect(facts.contains("type=cdir;"))
            #expect(
                client.say("MLST a.txt")?.contains(
                    "type=file;size=8;modify=20010909014640;perm=adfrw;unix.mode=0644; /a.txt") == true)
            #expect(double.dataConnections == 3)
            #expect(double.violations == [])
        }
    }

    @Test func `A file is stored, read from the middle, appended to and overwritten from an offset`() throws {
        try withFTPDouble { double, client in
            try #expect(client.store("STOR a", Data("0123456789".utf8)) == "226 Done")
            #expect(client.say("SIZE a") == "213 10")
            client.say("REST 4")
            try #expect(client.fetch("RETR a").data == Data("456789".utf8))
            try #expect(client.fetch("RETR a").data == Data("0123456789".utf8))
            try #expect(client.store("APPE a", Data("AB".utf8)) == "226 Done")
            client.say("REST 2")
            try #expect(client.store("STOR a", Data("xy".utf8)) == "226 Done")
            #expect(double.file("/a") == Data("01xy456789AB".utf8))
            #expect(double.dataTraffic.received == 14)
            #expect(double.dataTraffic.sent == 16)
            #expect(double.violations == [])
        }
    }

    @Test func `A large file comes through in both directions`() throws {
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        try withFTPDouble { double, client in
            try #expect(client.store("STOR a", large) == "226 Done")
            #expect(double.file("/a") == large)
            try #expect(client.fetch("RETR a").data == large)
        }
    }

    @Test func `Folders and files are made, renamed, copied and removed`() throws {
        try withFTPDouble(files: ["/a": text]) { double, client in
            #expect(client.say("MKD new \"one\"") == "257 \"/new \"\"one\"\"\" made")
            #expect(client.say("CWD new \"one\"") == "250 Entered")
            #expect(client.say("PWD") == "257 \"/new \"\"one\"\"\" is the folder")
            client.say("RNFR ../a")
            #expect(client.say("RNTO b") == "250 Renamed")
            client.say("SITE CPFR b")
            #expect(client.say("SITE CPTO c") == "250 Copied")
            #expect(client.say("SITE CHMOD 600 c") == "200 Changed")
            #expect(double.mode("/new \"one\"/c") == 0o600)
            #expect(client.say("DELE b") == "250 Removed")
            client.say("CDUP")
            #expect(client.say("RMD new \"one\"") == "550 Not empty")
            #expect(double.paths == ["/new \"one\"/", "/new \"one\"/c"])
            #expect(double.violations == [])
        }
    }

    @Test(arguments: [
        "MFMT 20010909014640 a", "MDTM 20010909014640 a", "SITE UTIME 20010909014640 a",
        "SITE UTIME a 20010909014641 20010909014640 20010909014642 UTC",
    ]) func `A time is set`(command: String) throws {
        try withFTPDouble(files: ["/a": text]) { double, client in
            #expect(client.say(command)?.first == "2")
            #expect(client.say("MDTM a") == "213 20010909014640")
            #expect(double.modificationDate("/a") == Date(timeIntervalSince1970: 1_000_000_000))
        }
    }

    @Test(arguments: [true, false]) func `The server connects to the client`(isExtended: Bool) throws {
        let waiting = try FTPDouble()
        defer { waiting.stop() }
        try withFTPDouble(files: ["/a": text]) { double, client in
            // Another double is who listens here: its greeting is of no interest, only that a connection came.
            let port = waiting.port
            client.say(isExtended ? "EPRT |1|127.0.0.1|\(port)|" : "PORT 127,0,0,1,\(port >> 8),\(port & 255)")
            client.say("RETR a")
            #expect(client.reply() == "226 Done")
            #expect(double.dataConnections == 1)
            #expect(client.say("EPRT |2|::1|\(port)|") == "522 Only (1)")
            #expect(client.say("PORT 10,0,0,1,4,1") == "500 Not your address")
        }
    }

    @Test func `Text is converted, and that a file is read as text is noticed`() throws {
        try withFTPDouble(files: ["/a": text]) { double, client in
            client.say("TYPE A")
            #expect(client.say("SIZE a") == "550 Not in TYPE A")
            try #expect(client.fetch("RETR a").data == Data("one\r\ntwo\r\n".utf8))
            try #expect(client.store("STOR b", Data("x\r\ny".utf8)) == "226 Done")
            #expect(double.file("/b") == Data("x\ny".utf8))
            #expect(double.violations == ["1: RETR in TYPE A", "1: STOR in TYPE A"])
        }
    }

    @Test func `A transfer is aborted`() throws {
        var settings = FTPDouble.Settings { $0.verb == "RETR" ? [.stallDataAfter(3)] : [] }
        settings.features = []
        try withFTPDouble(settings, files: ["/a": text]) { double, client in
            #expect(client.say("FEAT") == "500 Not known")
            let data = try client.dataConnection()
            client.say("RETR a")
            #expect(data.receive() == Data("one".utf8))
            client.send(Data([255, 244, 255, 242]) + Data("ABOR\r\n".utf8))
            #expect(client.reply() == "426 Aborted")
            #expect(client.reply() == "226 Aborted")
            #expect(client.say("NOOP") == "200 Fine")
            #expect(double.violations == [])
        }
    }

    @Test func `A name may have bytes that are not UTF-8`() throws {
        try withFTPDouble { double, client in
            double.put(text, at: "/\u{FF}b\u{E4}r", encoding: .isoLatin1)
            try #expect(client.fetch("NLST").data == Data([0xFF, 0x62, 0xE4, 0x72, 13, 10]))
            client.send(Data("SIZE ".utf8) + Data([0xFF, 0xFF, 0x62, 0xE4, 0x72, 13, 10]))
            #expect(client.reply() == "213 8")
            #expect(double.violations == [])
        }
    }

    @Test(.enabled(if: hasIPv6)) func `Over IPv6 there is EPSV and EPRT`() throws {
        var settings = FTPDouble.Settings()
        settings.isIPv6 = true
        let double = try FTPDouble(settings, files: ["/a": text])
        defer { double.stop() }
        #expect(double.url().absoluteString == "ftp://[::1]:\(double.port)/")
        let client = try RawFTPClient.loggedIn(double.port, isIPv6: true)
        #expect(client.say("PASV") == "425 Not over IPv6")
        #expect(client.say("EPSV 1") == "522 Only (2)")
        #expect(try client.fetch("RETR a").data == text)
        #expect(client.say("EPRT |2|::1|\(double.port)|") == "200 Fine")
        #expect(client.say("EPRT |1|127.0.0.1|\(double.port)|") == "522 Only (2)")
        #expect(client.say("EPSV ALL") == "200 EPSV alone")
        #expect(client.say("EPRT |2|::1|\(double.port)|") == "501 EPSV alone")
        #expect(double.violations == ["1: EPRT after EPSV ALL"])
    }

    private static var hasIPv6: Bool {
        let addresses = try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8)
        return addresses?.contains("00000000000000000000000000000001") == true
    }

    @Test func `What breaks the protocol is recorded`() throws {
        try withFTPDouble(files: ["/a": text]) { double, client in
            client.send(Data("NOOP\n".utf8))
            _ = client.reply()
            client.say("SIZE a\rb")
            client.say("SIZE a\0b")
            client.send(Data("SIZE ".utf8) + Data([0xFF, 0x62, 13, 10]))
            _ = client.reply()
            client.send(Data("NOOP\r\nNOOP\r\n".utf8))
            _ = (client.reply(), client.reply())
            client.say("RNTO b")
            client.say("RETR a")
            client.say("AUTH TLS")
            client.say("PASS secret")
            #expect(
                double.violations == [
                    "1: LF without CR (NOOP)", "1: CR inside a command (SIZE)", "1: NUL inside a command (SIZE)",
                    "1: byte 255 not doubled (SIZE)", "1: NOOP before the reply to NOOP", "1: RNTO without RNFR",
                    "1: RETR without PASV, EPSV, PORT or EPRT", "1: PASS in clear after AUTH was refused",
                ])
        }
    }

    @Test func `Nothing is left of a server that was stopped`() throws {
        let double = try FTPDouble(
            .init { $0.verb == "NOOP" ? [.silence] : $0.verb == "STAT" ? [.delay(60)] : [] }, files: ["/a": text])
        let clients = try (0..<4).map { _ in try RawFTPClient.loggedIn(double.port) }
        clients[0].send(Data("NOOP\r\n".utf8))
        clients[1].send(Data("STAT\r\n".utf8))
        let data = try clients[2].dataConnection()
        clients[2].say("STOR b")
        data.send(text)
        #expect(double.openConnections == 4)
        let port = double.port
        double.stop()
        #expect(clients.allSatisfy { $0.receiveAll().isEmpty })
        #expect(waits { double.openConnections == 0 })
        #expect(throws: POSIXError.self) { try RawFTPClient(port) }
    }
}

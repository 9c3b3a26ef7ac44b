import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// What servers say, lawful and not.
@Suite struct FTPReplyFaultTests {
    private func everything(_ provider: FTPFileProvider, _ double: FTPDouble) async throws {
        for doing in FTPActivity.allCases {
            try await doing.run(provider, doing.rawValue)
            if doing == .move { double.put(Data("old".utf8), at: "/old") }
        }
        #expect(double.file("/publish") == FTPActivity.content)
        #expect(double.file("/writeInPlace") == FTPActivity.content)
        #expect(double.file("/move") == FTPActivity.content)
        #expect(!double.exists("/old"))
    }

    @Test(arguments: [true, false]) func `Replies come byte by byte`(hasMLST: Bool) async throws {
        var settings = FTPDouble.Settings()
        settings.replyPace = 0
        if !hasMLST { settings.features = [] }
        try await withFTPProvider(settings) { double, provider in try await everything(provider, double) }
    }

    @Test(arguments: [true, false]) func `Every reply has several lines, some of which look like an end`(hasMLST: Bool)
        async throws
    {
        var settings = FTPDouble.Settings()
        settings.innerLines = FTPDouble.trickyLines
        if !hasMLST { settings.features = ["SIZE", "MDTM", "REST STREAM"] }
        try await withFTPProvider(settings) { double, provider in try await everything(provider, double) }
    }

    @Test func `Replies of several lines come byte by byte`() async throws {
        var settings = FTPDouble.Settings()
        (settings.innerLines, settings.replyPace) = (FTPDouble.trickyLines, 0)
        try await withFTPProvider(settings) { double, provider in try await everything(provider, double) }
    }

    @Test func `Replies have no text`() async throws {
        let bare = ["DELE": "250 ", "RNFR": "350 ", "RNTO": "250 ", "MKD": "257 ", "TYPE": "200 ", "CWD": "250 "]
        let settings = FTPDouble.Settings { command in bare[command.verb].map { [.replyAfterDoing($0)] } ?? [] }
        try await withFTPProvider(settings) { double, provider in try await everything(provider, double) }
    }

    @Test func `The end is said together with the beginning`() async throws {
        let transfers: Set = ["RETR", "STOR", "MLSD", "LIST"]
        let settings = FTPDouble.Settings { transfers.contains($0.verb) ? [.finalReplyFirst] : [] }
        try await withFTPProvider(settings) { double, provider in try await everything(provider, double) }
    }

    @Test func `A transfer begins without a preliminary reply`() async throws {
        let settings = FTPDouble.Settings { ["RETR", "STOR"].contains($0.verb) ? [.mark(nil)] : [] }
        try await withFTPProvider(settings) { double, provider in
            for doing in [FTPActivity.read, .publish] {
                let error = try await FTPFaults.mustFail { try await doing.run(provider) }
                #expect(error is URLError || error is FTPReplyError, "\(error)")
            }
            #expect(double.file("/new") == nil)
        }
    }

    @Test(arguments: ["226 Again", "200 Again", "550 Again", "426 Again"], [true, false])
    func `A reply too many is not taken for the next command's`(extra: String, hasMLST: Bool) async throws {
        var settings = FTPDouble.Settings { command in
            ["RETR", "STOR", "MLSD", "LIST"].contains(command.verb) && command.occurrence == 1
                ? [.noFinalReplyButOpen, .also(Data("226 Done\r\n\(extra)\r\n".utf8))] : []
        }
        if !hasMLST { settings.features = ["SIZE", "MDTM", "REST STREAM"] }
        try await withFTPProvider(settings) {
            $0.retries.retries = 1
        } _: { double, provider in
            try await FTPActivity.read.run(provider)
            let item = try await provider.attributesOfItem(path: ProviderPath("book"))
            #expect(item.size == Int64(FTPFaults.book.count))
            await #expect(throws: CocoaError.self) { try await provider.attributesOfItem(path: ProviderPath("gone")) }
            try await FTPActivity.list.run(provider)
            try await FTPActivity.look.run(provider)
            try await FTPActivity.publish.run(provider)
            try await FTPActivity.look.run(provider)
            try await FTPActivity.remove.run(provider)
            #expect(double.file("/new") == FTPActivity.content)
            #expect(!double.exists("/old"))
            double.put(Data("old".utf8), at: "/old")
            double.remove("/new")
            try await everything(provider, double)
        }
    }

    @Test(arguments: [FTPActivity.look, .publish, .makeFolder]) func `A reply without end is given up`(
        doing: FTPActivity
    ) async throws {
        for end in ["250-More\r\n", "x"] {
            for verb in ["TYPE", "MLST", "EPSV", "MKD"] {
                let settings = FTPDouble.Settings { $0.verb == verb ? [.endless(Data(end.utf8))] : [] }
                try await withFTPProvider(settings) {
                    $0.timeouts.idle = 1
                } _: { double, provider in
                    let error = await FTPFaults.failure { try await doing.run(provider) }
                    #expect(error == nil ? !double.commands.contains { $0.verb == verb } : error is URLError)
                    try await eventually { double.openConnections <= 1 }
                }
            }
        }
    }

    @Test(arguments: ["250 a\0b", "250-a\0\n\0\0\n250 \0"]) func `A reply holds NUL`(reply: String) async throws {
        let settings = FTPDouble.Settings { ["DELE", "MKD"].contains($0.verb) ? [.replyAfterDoing(reply)] : [] }
        try await withFTPProvider(settings) { double, provider in
            _ = await FTPFaults.failure { try await FTPActivity.makeFolder.run(provider, "folder") }
            _ = await FTPFaults.failure { try await FTPActivity.remove.run(provider) }
            #expect(double.exists("/folder"))
        }
    }

    @Test(arguments: [
        "\0\u{01}\u{7F}\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n<html>\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "999\r\n",
        "\r\n",
    ])
    func `Something else than FTP answers`(text: String) async throws {
        let settings = FTPDouble.Settings { $0.verb.isEmpty ? [.garbage(Data(text.utf8))] : [] }
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
        } _: { double, provider in
            let error = try await FTPFaults.mustFail { try await FTPActivity.look.run(provider) }
            #expect(error is URLError)
            #expect(!double.commands.contains { $0.verb == "PASS" })
        }
    }

    @Test func `Garbage comes in place of any reply`() async throws {
        for verb in ["USER", "PASS", "PWD", "FEAT", "TYPE", "MLST", "EPSV", "SIZE", "RETR", "STOR", "RNFR", "RNTO"] {
            let settings = FTPDouble.Settings {
                $0.verb == verb ? [.garbage(Data("\0\u{1}garbage\r\n".utf8)), .close] : []
            }
            try await withFTPProvider(settings) {
                $0.timeouts = Timeouts(connect: 2, idle: 2)
            } _: { double, provider in
                for doing in [FTPActivity.look, .read, .publish, .move] {
                    let before = double.commands.count
                    let error = await FTPFaults.failure { try await doing.run(provider) }
                    // What comes in place of a reply is an error.
                    let met = double.commands.dropFirst(before).contains { $0.verb == verb }
                    #expect(error != nil || !met, "\(verb), \(doing)")
                }
                #expect(double.commands.contains { $0.verb == verb }, "\(verb)")
            }
        }
    }
}

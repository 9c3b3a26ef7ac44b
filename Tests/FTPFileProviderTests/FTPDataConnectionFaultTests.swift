import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// How data connections come about, and how they do not.
@Suite struct FTPDataConnectionFaultTests {
    private static let doings: [FTPActivity] = [.read, .readPart, .list, .publish, .writeInPlace]

    private func all(_ provider: FTPFileProvider, _ double: FTPDouble) async throws {
        for doing in Self.doings {
            try await doing.run(provider, doing.rawValue)
        }
        try await #expect(provider.contents(path: ProviderPath("book")) == FTPFaults.book)
        try await #expect(provider.contents(path: ProviderPath("book"), part: .range(7..<99)) == FTPFaults.book[7..<99])
        #expect(double.file("/publish") == FTPActivity.content)
    }

    @Test(arguments: ["10.0.0.1", "0.0.0.0", "192.0.2.7", "127.0.0.2"])
    func `Data comes from the host of the control connection, whatever PASV names`(address: String) async throws {
        var settings = FTPDouble.Settings { $0.verb == "PASV" ? [.wrongPASVAddress(address)] : [] }
        settings.unknown = ["EPSV"]
        try await withFTPProvider(settings) { double, provider in try await all(provider, double) }
    }

    @Test func `A reply to PASV leads to no other server`() async throws {
        let other = try FTPDouble(.init(), files: ["/book": Data("another server's".utf8)])
        defer { other.stop() }
        var settings = FTPDouble.Settings { [other] in
            $0.verb == "PASV" ? [.wrongPASVAddress("127.0.0.3"), .wrongPort(other.port)] : []
        }
        settings.unknown = ["EPSV"]
        settings.dataTimeout = 0.3
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
        } _: { _, provider in
            // At the same host it may lead to another port, whose greeting is then no content of the right size.
            let error = try await FTPFaults.mustFail { try await FTPActivity.read.run(provider) }
            #expect(!(error is CancellationError))
            #expect(other.commands == [])
        }
    }

    @Test(arguments: [
        "500 What?", "502 No", "522 No", "227 Entering passive mode (127,0,0,1,1,2)", "229 (|||)", "229 (|||0|)",
        "229 ok",
    ])
    func `PASV is used where EPSV gives nothing`(reply: String) async throws {
        let settings = FTPDouble.Settings { $0.verb == "EPSV" ? [.reply(reply)] : [] }
        try await withFTPProvider(settings) { double, provider in
            let error = await FTPFaults.failure { try await all(provider, double) }
            // A reply that names a port that nobody listens at is as good as none.
            #expect((error == nil) == !["229 (|||)", "229 ok"].contains(reply), "\(String(describing: error))")
            if let error { #expect(error.urlCode == .badServerResponse, "\(error)") }
        }
    }

    @Test(arguments: ["227 ", "227 (1,2,3)", "227 (127,0,0,1,999,999)", "227 nowhere", "500 No", "200 (127,0,0,1,1,2)"])
    func `PASV that names no place is an error`(reply: String) async throws {
        var settings = FTPDouble.Settings { $0.verb == "PASV" ? [.reply(reply)] : [] }
        settings.unknown = ["EPSV"]
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
        } _: { double, provider in
            for doing in Self.doings {
                let error = try await FTPFaults.mustFail { try await doing.run(provider) }
                let isUnknown = reply.hasPrefix("500") && error.cocoaCode == .featureUnsupported
                #expect(error is URLError || error is FTPReplyError || isUnknown, "\(error)")
            }
            #expect(double.file("/new") == nil)
        }
    }

    @Test(arguments: ["EPSV", "PASV"]) func `Nobody listens at the port that was named`(verb: String) async throws {
        for fault in [FTPDouble.Fault.refuseDataConnection, .wrongPort(1)] {
            var settings = FTPDouble.Settings { $0.verb == verb ? [fault] : [] }
            if verb == "PASV" { settings.unknown = ["EPSV"] }
            try await withFTPProvider(settings) {
                $0.timeouts = Timeouts(connect: 2, idle: 2)
            } _: { double, provider in
                for doing in Self.doings {
                    // Known to work before, or not: the first time, libcurl waits for the connection, and later no
                    // more.
                    let error = await FTPFaults.failure { try await doing.run(provider, doing.rawValue) }
                    if verb == "EPSV", error == nil { continue }
                    #expect(error?.isTransient == true, "\(verb) \(fault) \(doing): \(String(describing: error))")
                }
            }
        }
    }

    @Test func `A port that is dead once is tried again, also where data connections have worked`() async throws {
        let settings = FTPDouble.Settings {
            $0.verb == "EPSV" && $0.occurrence.isMultiple(of: 2) ? [.refuseDataConnection] : []
        }
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
            $0.retries.retries = 2
        } _: { double, provider in
            try await all(provider, double)
        }
    }

    @Test(arguments: ["RETR", "MLSD", "STOR"]) func `No data connection can be had once, or ever`(verb: String)
        async throws
    {
        let doings: [FTPActivity] =
            verb == "RETR" ? [.read, .readPart] : verb == "MLSD" ? [.list] : [.publish, .writeInPlace]
        for code in ["425 No", "426 Lost", "451 Later"] {
            for doing in doings {
                try await withFTPProvider(.init { $0.verb == verb && $0.occurrence == 1 ? [.reply(code)] : [] }) {
                    $0.retries.retries = 1
                } _: { _, provider in
                    try await doing.run(provider)
                }
                try await withFTPProvider(.init { $0.verb == verb ? [.reply(code)] : [] }) { double, provider in
                    let error = try await FTPFaults.mustFail { try await doing.run(provider) }
                    #expect(error.isTransient, "\(error)")
                    #expect(double.file("/new") == nil)
                }
            }
        }
    }

    @Test func `The server never takes the data connection`() async throws {
        let settings = FTPDouble.Settings { ["RETR", "STOR", "MLSD"].contains($0.verb) ? [.silence] : [] }
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
        } _: { double, provider in
            for doing in Self.doings {
                let error = try await FTPFaults.mustFail { try await doing.run(provider) }
                #expect(error.urlCode == .timedOut, "\(doing): \(error)")
            }
            #expect(double.file("/new") == nil)
        }
    }

    @Test func `The server connects to this machine`() async throws {
        for unknown in [[], ["EPRT"]] as [Set<String>] {
            var settings = FTPDouble.Settings()
            settings.unknown = unknown
            try await withFTPProvider(settings) { _ in
            } configure: {
                $0.dataMode = .active
            } _: { double, provider in
                try await all(provider, double)
                #expect(!double.commands.contains { ["EPSV", "PASV"].contains($0.verb) })
            }
        }
    }

    @Test func `A server that does not connect to this machine is an error`() async throws {
        let settings = FTPDouble.Settings { ["RETR", "STOR", "MLSD"].contains($0.verb) ? [.reply("425 Cannot")] : [] }
        let silent = FTPDouble.Settings { ["RETR", "STOR", "MLSD"].contains($0.verb) ? [.silence] : [] }
        for settings in [settings, silent] {
            try await withFTPProvider(settings) {
                $0.timeouts = Timeouts(connect: 2, idle: 2)
            } configure: {
                $0.dataMode = .active
            } _: { double, provider in
                for doing in [FTPActivity.read, .list, .publish] {
                    let error = try await FTPFaults.mustFail { try await doing.run(provider) }
                    #expect(error.isTransient, "\(doing): \(error)")
                }
            }
        }
    }

    @Test(arguments: [0, 1]) func `A cut upload that the server calls done is refused, and not gone on with`(
        retries: Int
    ) async throws {
        // So little that it is under way before the server closes: 226 is what the client hears.
        let settings = FTPDouble.Settings { $0.verb == "STOR" ? [.closeDataAfter(1_000, reply: "226 Done")] : [] }
        try await withFTPProvider(settings) {
            $0.retries.retries = retries
        } _: { double, provider in
            let error = try await FTPFaults.mustFail {
                try await provider.writeContents(path: ProviderPath("old"), contents: FTPFaults.book, overwrite: true)
            }
            #expect(error.cocoaCode == .fileWriteUnknown, "\(error)")
            #expect(double.file("/old") == FTPFaults.files["/old"] && double.commands.count { $0.verb == "STOR" } == 1)
        }
    }
}

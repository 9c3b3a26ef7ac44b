import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Logging
import ProviderDoubles
import Testing

/// The lines of what goes over control connections, and that no secret is in them.
@Suite struct FTPLogTests {
    private static let secrets = secretForms(of: FTPFaults.password, user: "anna")

    private func expectNoSecret(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in Self.secrets { #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation) }
        #expect(!text.contains("anna"), "\(text)", sourceLocation: sourceLocation)
    }

    @Test func `commands are lines with the codes of their replies, and no login's arguments`() async throws {
        let log = RecordedLog()
        var settings = FTPDouble.Settings()
        (settings.user, settings.password) = ("anna", FTPFaults.password)
        try await withFTPProvider(settings, options: { $0.logger = log.logger }) { double, provider in
            _ = try await provider.contents(path: ProviderPath("book"))
            _ = try await provider.contentsOfDirectory(path: ProviderPath("shelf"))
            _ = try await provider.writeContents(path: ProviderPath("new"), contents: Data("12345".utf8))
            let large = Data(count: 200_000)
            _ = try await provider.writeContents(path: ProviderPath("large"), contents: large)
            try await provider.removeItem(path: ProviderPath("old"))
            let host = "127.0.0.1:\(double.port)"
            #expect(log.lines.allSatisfy { $0.metadata["host"] == host && $0.level == .debug })
        }
        let lines = log.lines
        #expect(lines.allSatisfy { $0.metadata["provider"] == "FTP" && $0.metadata["ms"] != nil })
        let connecting = try #require(lines.first { $0.message == "connect" })
        #expect(connecting.metadata["status"]?.contains("PASS 230") == true, "\(log.text)")
        let reading = try #require(lines.first { $0.message.hasPrefix("RETR ") && $0.message.hasSuffix("book") })
        #expect(reading.metadata["status"]?.contains("RETR 226") == true)
        #expect(try Int(#require(reading.metadata["bytes-in"])) ?? 0 >= FTPFaults.book.count)
        let stored = lines.filter { $0.message.hasPrefix("STOR ") }
        #expect(stored.contains { Int($0.metadata["bytes-out"] ?? "") ?? 0 >= 200_000 }, "\(log.text)")
        #expect(lines.contains { $0.metadata["status"]?.contains("DELE 250") == true }, "\(log.text)")
        expectNoSecret(log.text)
    }

    @Test func `a refused login is a line with the error, without user and password`() async throws {
        let log = RecordedLog()
        var settings = FTPDouble.Settings()
        (settings.user, settings.password) = ("bert", "another")
        try await withFTPProvider(settings, options: { $0.logger = log.logger }) { _, provider in
            let error = try await FTPFaults.mustFail { try await provider.contents(path: ProviderPath("book")) }
            for secret in Self.secrets { #expect(!shownForms(of: error).contains(secret)) }
        }
        let line = try #require(log.lines.first { $0.message == "connect" })
        #expect(line.metadata["error"] != nil && line.metadata["status"]?.contains("PASS 530") == true, "\(log.text)")
        expectNoSecret(log.text)
    }

    @Test func `what is done again says so, and why`() async throws {
        let log = RecordedLog()
        let settings = FTPDouble.Settings { $0.verb.isEmpty && $0.connection == 1 ? [.reply("421 Busy"), .close] : [] }
        try await withFTPProvider(
            settings,
            options: {
                $0.logger = log.logger
                $0.retries.retries = 1
            }
        ) { _, provider in _ = try await provider.contents(path: ProviderPath("book")) }
        #expect(log.lines.contains { $0.metadata["retry"] == "1" && $0.metadata["reason"] != nil }, "\(log.text)")
        expectNoSecret(log.text)
    }
}

import Carrel
import Foundation
import SampleBooks
import Testing

/// A book of 100 MB on FTP servers: few data connections, and little of it.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct FTPBookTests {
    private static let servers = (TestServers.ftp + TestServers.ftpes).filter {
        ["vsftpd", "ProFTPD"].contains($0.program)
    }

    @Test(arguments: servers, [true, false])
    func `a large book opens and shows its first chapter with four data connections`(
        _ server: TestServers.FTP, _ textFirst: Bool
    ) async throws {
        let path = try ProviderPath("large-\(UInt64.random(in: 0 ... .max)).epub")
        defer { try? FileManager.default.removeItem(at: server.location(path)) }
        try SampleBook.large(textFirst: textFirst, to: server.location(path))
        try server.give(path)
        let options = TestServers.ftpOptions
        let provider = try server.provider(options)
        try await provider.checkReachability()
        let (connections, bytes) = (options.counters[.dataConnections], options.counters[.bytesIn])
        let book = try await Publication.open(path: path, of: provider)
        let chapter = try await book.get(#require(book.readingOrder.first)).read()
        #expect(chapter.count > 10_000)
        await book.close()
        #expect(options.counters[.dataConnections] - connections <= 4)
        #expect(options.counters[.bytesIn] - bytes <= 1_500_000)
        #expect(options.counters[.retries] == 0)
    }
}

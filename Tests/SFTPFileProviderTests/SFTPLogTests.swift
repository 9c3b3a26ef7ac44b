import FaultServer
import FileProviderCore
import Foundation
import Logging
import ProviderDoubles
import Testing

@testable import SFTPFileProvider

/// The lines of operations over SFTP, and that no secret is in them.
@Suite struct SFTPLogTests {
    private func expectNoSecret(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
        for secret in secretForms(of: SFTPFaults.secret, user: "anna") {
            #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation)
        }
    }

    @Test func `an operation is one line, and its packets are there at trace`() async throws {
        let log = RecordedLog()
        try await withSFTPProvider(options: { $0.logger = log.logger }) { _, provider in
            for activity in [
                SFTPActivity.look, .list, .read, .publish, .publishLarge, .move, .remove, .removeTree, .makeFolder,
            ] { _ = try? await activity.run(provider, "new-\(activity)") }
            let error = await #expect(throws: (any Error).self) {
                _ = try await provider.attributesOfItem(path: ProviderPath("missing"))
            }
            expectNoSecret(shownForms(of: try #require(error)))
        }
        let lines = log.lines.filter { $0.level == .debug }
        #expect(lines.allSatisfy { $0.metadata["provider"] == "SFTP" && $0.metadata["host"] == "shelf.example" })
        for start in ["connect", "attributesOfItem /book", "list /shelf", "read /book", "write /new-"] {
            #expect(lines.contains { $0.message.hasPrefix(start) }, "\(start): \(log.text)")
        }
        let reading = try #require(lines.first { $0.message == "read /book" })
        #expect(reading.metadata["bytes-in"] == "\(SFTPFaults.book.count)")
        #expect(lines.contains { $0.metadata["bytes-out"] == "\(SFTPActivity.large.count)" }, "\(log.text)")
        let missing = try #require(lines.last { $0.message == "attributesOfItem /missing" })
        #expect(missing.metadata["error"]?.contains("missing") == true)
        #expect(log.lines.contains { $0.level == .trace && $0.message.contains("open") })
        expectNoSecret(log.text)
    }

    @Test func `a folder and a large file are few lines at debug`() async throws {
        let log = RecordedLog(level: .debug)
        var files = ["/large": Data(count: 20_000_000)]
        for number in 0..<2_000 { files["/many/\(number)"] = Data() }
        try await withSFTPProvider(files: files, options: { $0.logger = log.logger }) { _, provider in
            try await #expect(provider.contentsOfDirectory(path: ProviderPath("many")).count == 2_000)
            try await #expect(provider.contents(path: ProviderPath("large")).count == 20_000_000)
        }
        #expect(log.lines.count <= 10, "\(log.text)")
        let reading = try #require(log.lines.first { $0.message == "read /large" })
        #expect(reading.metadata["bytes-in"] == "20000000")
    }
}

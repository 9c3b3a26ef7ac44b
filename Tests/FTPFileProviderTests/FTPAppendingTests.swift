import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// Bytes that are added to a file of a server.
@Suite struct FTPAppendingTests {
    private static let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 | 1) })

    private func append(_ data: Data, to provider: FTPFileProvider, createsFile: Bool = true) async throws -> FileObject
    {
        try await provider.appendContents(path: ProviderPath("old"), contents: data, createsFile: createsFile)
    }

    @Test func `Bytes go up by APPE, and nothing is sent again`() async throws {
        try await withFTPProvider { double, provider in
            for data in [Data("er".utf8), Self.large] { _ = try await append(data, to: provider) }
            #expect(double.file("/old") == Data("older".utf8) + Self.large)
            #expect(double.commands.count { $0.verb == "APPE" } == 2)
            #expect(!double.commands.contains { $0.verb == "STOR" })
            #expect(try await provider.capabilities()[.appending] == .native)
        }
    }

    @Test func `An append that breaks off is not tried again, and leaves a beginning`() async throws {
        let settings = FTPDouble.Settings { command in
            command.verb == "APPE" ? [.closeDataAfter(1_000_000, reply: "426 Cut")] : []
        }
        try await withFTPProvider(settings) {
            $0.retries.retries = 3
        } _: { double, provider in
            _ = try await FTPFaults.mustFail { _ = try await append(Self.large, to: provider) }
            let left = try #require(double.file("/old"))
            #expect(left.starts(with: Data("old".utf8)) && (Data("old".utf8) + Self.large).starts(with: left))
            #expect(double.commands.count { $0.verb == "APPE" } == 1)
        }
    }

    @Test func `A server without APPE is refused by name, and keeps its file`() async throws {
        var settings = FTPDouble.Settings()
        settings.unknown = ["APPE"]
        try await withFTPProvider(settings) { double, provider in
            let error = try await FTPFaults.mustFail { _ = try await append(Data([1]), to: provider) }
            #expect(error.cocoaCode == .featureUnsupported)
            #expect((error as? CocoaError)?.sentence == "FTP cannot append here (“/old”).")
            #expect(double.file("/old") == Data("old".utf8))
            #expect(try await provider.capabilities()[.appending] == .unavailable)
        }
    }

    @Test func `A missing file is made only where that was asked for`() async throws {
        try await withFTPProvider(files: ["/book": FTPFaults.book]) { double, provider in
            let error = try await FTPFaults.mustFail {
                _ = try await append(Data([1]), to: provider, createsFile: false)
            }
            #expect(error.cocoaCode == .fileNoSuchFile)
            #expect(double.file("/old") == nil)
            _ = try await append(Data([1]), to: provider)
            #expect(double.file("/old") == Data([1]))
        }
    }
}

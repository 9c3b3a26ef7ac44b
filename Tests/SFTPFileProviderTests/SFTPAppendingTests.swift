import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import SFTPFileProvider

/// Bytes that are added to a file of a server.
@Suite struct SFTPAppendingTests {
    private let old = Data("old".utf8)

    @Test func `Bytes go behind those that the server has`() async throws {
        try await withSFTPProvider { double, provider in
            let path = try ProviderPath("old")
            for data in [Data("er".utf8), SFTPActivity.large] {
                let file = try await provider.appendContents(path: path, contents: data)
                #expect(file.size == double.file("/old").map { Int64($0.count) })
            }
            #expect(double.file("/old") == Data("older".utf8) + SFTPActivity.large)
        }
    }

    @Test func `A server that empties files when they are opened is refused, and nothing is lost`() async throws {
        try await withSFTPProvider(.rclone) { double, provider in
            let error = try await SFTPFaults.mustFail {
                _ = try await provider.appendContents(path: ProviderPath("old"), contents: Data([1]))
            }
            #expect((error as? CocoaError)?.sentence == "SFTP cannot append here (“/old”).")
            #expect(double.file("/old") == old)
            #expect(try await provider.capabilities()[.appending] == .unavailable)
        }
    }

    @Test func `A server without hard links is tried with a file of its own before the first append`() async throws {
        try await withSFTPProvider(.plain) { double, provider in
            for count in 1...2 {
                try await provider.appendContents(path: ProviderPath("old"), contents: Data("er".utf8))
                #expect(double.file("/old") == old + Data(String(repeating: "er", count: count).utf8))
            }
            let opened = double.requests.filter { $0.kind == .open }.map(\.path)
            #expect(opened.count { $0.contains(TemporaryName.suffix) } == 2 && opened.count { $0 == "/old" } == 2)
        }
        var settings = SFTPDouble.Settings.plain
        settings.isCareless = true
        try await withSFTPProvider(settings) { double, provider in
            for _ in 1...2 {
                let error = try await SFTPFaults.mustFail {
                    _ = try await provider.appendContents(path: ProviderPath("old"), contents: Data([1]))
                }
                #expect(error.cocoaCode == .featureUnsupported)
            }
            #expect(double.file("/old") == old)
            #expect(!double.requests.contains { $0.kind == .open && $0.path == "/old" })
            #expect(try await provider.capabilities()[.appending] == .unavailable)
        }
    }

    @Test func `After a refused write, the file ends where the bytes have their first gap`() async throws {
        try await withSFTPProvider { double, provider in
            // The second one alone fails, and three later ones are done before that is known.
            double.setAnswer { $0.kind == .write && $0.occurrence == 2 ? [.status(.failure), .late(after: 3)] : [] }
            _ = try await SFTPFaults.mustFail {
                _ = try await provider.appendContents(path: ProviderPath("old"), contents: SFTPActivity.large)
            }
            try expectBeginning(of: double)
        }
    }

    @Test func `A cancelled append of which a write is refused leaves no gap`() async throws {
        try await withSFTPProvider { double, provider in
            double.setAnswer { $0.kind == .write && $0.occurrence == 2 ? [.status(.failure), .held] : [] }
            let path = try ProviderPath("old")
            let appending = Task { try await provider.appendContents(path: path, contents: SFTPActivity.large) }
            try await eventually { double.counts.bytesWritten > SFTPActivity.large.count / 2 }
            appending.cancel()
            double.letGo()
            await #expect(throws: CancellationError.self) { _ = try await appending.value }
            try expectBeginning(of: double)
        }
    }

    /// The file holds the old bytes and the first ones of the new.
    private func expectBeginning(of double: SFTPDouble) throws {
        let file = try #require(double.file("/old"))
        #expect(file.count > old.count && file.count < old.count + SFTPActivity.large.count)
        #expect(file == old + SFTPActivity.large.prefix(file.count - old.count))
        #expect(double.requests.contains { $0.kind == .fsetstat })
    }

    @Test func `An append that fails keeps the old bytes`() async throws {
        for kind in [SFTPDouble.Kind.open, .write] {
            try await withSFTPProvider { double, provider in
                double.setAnswer { $0.kind == kind ? [.status(.failure)] : [] }
                _ = try await SFTPFaults.mustFail {
                    _ = try await provider.appendContents(path: ProviderPath("old"), contents: SFTPActivity.content)
                }
                #expect(double.file("/old")?.starts(with: old) == true)
            }
        }
    }
}

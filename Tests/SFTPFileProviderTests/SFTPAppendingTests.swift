import FaultServer
import FileProviderCore
import Foundation
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

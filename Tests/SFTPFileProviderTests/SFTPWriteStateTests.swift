import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import SFTPFileProvider

/// What an upload says about the server at each of its requests.
@Suite struct SFTPWriteStateTests {
    private typealias NotedStep = (kind: SFTPDouble.Kind, state: SFTPWriteState)

    /// The state at each request that opens, writes, renames or removes a file.
    private static func run(
        _ upload: SFTPUpload, on double: SFTPDouble,
        _ answer: @escaping @Sendable (SFTPDouble.Request) -> [SFTPDouble.Fault] = { _ in [] }
    ) async throws -> [NotedStep] {
        let noted = LockedValue<[NotedStep]>([])
        double.setAnswer { request in
            if [.open, .write, .rename, .remove].contains(request.kind) {
                noted.update { $0.append((request.kind, upload.state.value)) }
            }
            return answer(request)
        }
        _ = try await upload.publish()
        return noted.value
    }

    private static func upload(to name: String, _ provider: SFTPFileProvider, overwrite: Bool = true) throws
        -> SFTPUpload
    {
        SFTPUpload(
            provider: provider, path: try ProviderPath(name), source: DataSource(SFTPActivity.content),
            options: WriteOptions(overwrite: overwrite))
    }

    @Test func `A replaced file is named from its renaming to its removal`() async throws {
        try await withSFTPProvider(.plain) { double, provider in
            let upload = try Self.upload(to: "old", provider)
            #expect("\(upload.state.value)" == "Nothing of “/old” has been written or renamed.")
            let noted = try await Self.run(upload, on: double)
            #expect(noted.map(\.kind) == [.open, .write, .rename, .rename, .rename, .remove])
            let displaced = try #require(noted.last?.state.displaced)
            #expect(
                noted.map(\.state.stage) == [
                    .opening, .opened, .renaming, .displaced(to: displaced), .displaced(to: displaced),
                    .displaced(to: displaced),
                ])
            let part = upload.location
            #expect("\(noted[0].state)" == "“\(part)” may exist.")
            #expect("\(noted[1].state)" == "“\(part)” may be incomplete.")
            #expect("\(noted[3].state)" == "The file that “\(part)” replaces may be at “\(displaced)”.")
            #expect(upload.state.value.stage == .placed && "\(upload.state.value)" == "“\(part)” has its final name.")
        }
    }

    @Test func `A placeholder is known while it holds the name`() async throws {
        var settings = SFTPDouble.Settings.plain
        settings.renameReplaces = true
        try await withSFTPProvider(settings) { double, provider in
            let upload = try Self.upload(to: "new", provider, overwrite: false)
            let noted = try await Self.run(upload, on: double)
            let last = try #require(noted.last)
            #expect(last.kind == .rename && last.state.stage == .placeholder)
            #expect("\(last.state)" == "An empty file holds the final name of “\(upload.location)”.")
            #expect(upload.state.value.stage == .placed)
        }
    }

    @Test func `A file that was opened stays known when the upload is tried again`() async throws {
        try await withSFTPProvider(options: { $0.retries.retries = 1 }) { double, provider in
            let upload = try Self.upload(to: "old", provider)
            let noted = try await Self.run(upload, on: double) {
                $0.kind == .write && $0.occurrence == 1 ? [.close] : []
            }
            #expect(noted.map(\.kind) == [.open, .write, .remove, .open, .write])
            #expect(noted.map(\.state.stage) == [.opening, .opened, .opened, .opened, .opened])
            #expect(double.file("/old") == SFTPActivity.content)
        }
    }
}

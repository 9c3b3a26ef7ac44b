import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import FTPFileProvider

/// What an upload says about the server at each of its commands.
@Suite struct FTPWriteStateTests {
    private typealias NotedStep = (verb: String, state: FTPWriteState)

    /// The state at each command that stores, renames or removes a file.
    private static func run(
        _ upload: FTPUpload, on double: FTPDouble,
        _ answer: @escaping @Sendable (FTPDouble.Command) -> [FTPDouble.Fault] = { _ in [] }
    ) async throws -> [NotedStep] {
        let noted = LockedValue<[NotedStep]>([])
        double.setAnswer { command in
            if ["STOR", "RNFR", "RNTO", "DELE"].contains(command.verb) {
                noted.update { $0.append((command.verb, upload.state.value)) }
            }
            return answer(command)
        }
        _ = try await upload.options.placement == .inPlace ? upload.writeInPlace() : upload.publish()
        return noted.value
    }

    private static func upload(to name: String, _ provider: FTPFileProvider, options: WriteOptions) throws -> FTPUpload
    {
        FTPUpload(
            provider: provider, path: try ProviderPath(name), source: DataSource(FTPActivity.content), options: options)
    }

    @Test func `A replaced file is named from its renaming to its removal`() async throws {
        var settings = FTPDouble.Settings()
        settings.renameReplaces = false
        try await withFTPProvider(settings) { double, provider in
            let upload = try Self.upload(to: "old", provider, options: WriteOptions(overwrite: true))
            #expect("\(upload.state.value)" == "Nothing of “/old” has been stored or renamed.")
            let noted = try await Self.run(upload, on: double)
            #expect(noted.map(\.verb) == ["STOR", "RNFR", "RNTO", "RNFR", "RNTO", "RNFR", "RNTO", "DELE"])
            let aside = try ProviderPath(#require(double.commands.last { $0.verb == "DELE" }).path)
            #expect(
                noted.map(\.state.stage) == [.sending, .renaming, .renaming]
                    + Array(repeating: .displaced(to: aside), count: 5))
            let part = upload.location
            #expect("\(noted[0].state)" == "“\(part)” may exist.")
            #expect("\(noted[2].state)" == "“\(part)” may have its final name.")
            #expect("\(noted[3].state)" == "The file that “\(part)” replaces may be at “\(aside)”.")
            #expect(upload.state.value.stage == .placed && "\(upload.state.value)" == "“\(part)” has its final name.")
        }
    }

    @Test func `A file that is stored in place may be incomplete until its size is seen`() async throws {
        try await withFTPProvider(.init { $0.verb == "STOR" ? [.shortStore(3)] : [] }) { double, provider in
            let upload = try Self.upload(
                to: "old", provider, options: WriteOptions(overwrite: true, placement: .inPlace))
            _ = try await FTPFaults.mustFail { try await upload.writeInPlace() }
            #expect(upload.state.value.stage == .storing && "\(upload.state.value)" == "“/old” may be incomplete.")
            #expect(upload.state.value.previous?.size == 3)
            double.setAnswer { _ in [] }
            let again = try Self.upload(to: "old", provider, options: upload.options)
            let noted = try await Self.run(again, on: double)
            #expect(noted.map(\.verb) == ["STOR"] && noted.map(\.state.stage) == [.sending])
            #expect(again.state.value.stage == .placed && double.file("/old") == FTPActivity.content)
        }
    }
}

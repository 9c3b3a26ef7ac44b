import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// Short files that go to the server without libcurl: over connections that have carried a transfer before.
@Suite struct FTPShortUploadTests {
    private static let inPlace = WriteOptions(overwrite: false, placement: .inPlace)

    /// Runs `body` when the only connection has carried a file.
    private func withWarmProvider(
        _ settings: FTPDouble.Settings = .init(), idle: Double = 5,
        _ body: (FTPDouble, FTPFileProvider) async throws -> Void
    ) async throws {
        try await withFTPProvider(settings) {
            $0.connectionsPerHost = 1
            $0.timeouts = Timeouts(connect: 2, idle: idle)
        } _: { double, provider in
            _ = try await send("first", provider)
            try await body(double, provider)
        }
    }

    @discardableResult
    private func send(
        _ name: String, _ data: Data = FTPActivity.content, _ provider: FTPFileProvider,
        _ options: WriteOptions = inPlace
    ) async throws -> FileObject {
        try await provider.writeContents(path: ProviderPath(name), from: DataSource(data), options: options)
    }

    private func send(_ name: String, _ provider: FTPFileProvider) async throws -> FileObject {
        try await send(name, FTPActivity.content, provider)
    }

    @Test(arguments: [0, 1, 64 << 10])
    func `A short file takes a look, EPSV and STOR, and is whole`(count: Int) async throws {
        try await withWarmProvider { double, provider in
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
            let before = double.commands.count
            let item = try await send("new", data, provider)
            #expect(item.size == Int64(count) && double.file("/new") == data)
            #expect(double.commands.dropFirst(before).prefix(3).map(\.verb) == ["MLST", "EPSV", "STOR"])
        }
    }

    @Test func `A short file is published as any other`() async throws {
        try await withWarmProvider { double, provider in
            for _ in 0..<20 { try await send("old", FTPActivity.content, provider, WriteOptions(overwrite: true)) }
            #expect(double.file("/old") == FTPActivity.content && Set(double.commands.map(\.connection)) == [1])
        }
    }

    @Test(arguments: [false, true])
    func `A name that is taken stops a short file before STOR, and the connection goes on`(knowsMLST: Bool) async throws
    {
        var settings = FTPDouble.Settings()
        if !knowsMLST { settings.features = ["EPSV", "MDTM", "SIZE"] }
        try await withWarmProvider(settings) { double, provider in
            let error = try await FTPFaults.mustFail { try await send("old", provider) }
            #expect((error as? CocoaError)?.code == .fileWriteFileExists)
            #expect(
                double.file("/old") == Data("old".utf8)
                    && !double.commands.contains { $0.verb == "STOR" && $0.path == "/old" })
            _ = try await send("new", provider)
            #expect(double.file("/new") == FTPActivity.content && Set(double.commands.map(\.connection)) == [1])
        }
    }

    @Test func `What lies under a name that could not be looked at stays`() async throws {
        let settings = FTPDouble.Settings { $0.verb == "MLST" && $0.path == "/old" ? [.dropConnection] : [] }
        try await withWarmProvider(settings) { double, provider in
            _ = try await FTPFaults.mustFail { try await send("old", provider) }
            #expect(double.file("/old") == Data("old".utf8) && !double.commands.contains { $0.verb == "DELE" })
        }
    }

    @Test func `A refused STOR leaves nothing, and the connection goes on`() async throws {
        let settings = FTPDouble.Settings {
            $0.verb == "STOR" && $0.path == "/new" ? [.reply("553 Not that name")] : []
        }
        try await withWarmProvider(settings) { double, provider in
            _ = try await FTPFaults.mustFail { try await send("new", Data(repeating: 7, count: 64 << 10), provider) }
            #expect(!double.exists("/new"))
            _ = try await send("other", provider)
            #expect(double.file("/other") == FTPActivity.content && Set(double.commands.map(\.connection)) == [1])
        }
    }

    @Test(arguments: ["502 No", "229 Yes", "229 (|||99999|)", "229 (||||)", "229 (|||0|)"])
    func `A server that gives no port is left to libcurl`(reply: String) async throws {
        let settings = FTPDouble.Settings {
            $0.verb == "EPSV" && $0.occurrence == 2 ? [.passiveReply { _ in reply }] : []
        }
        try await withWarmProvider(settings) { double, provider in
            _ = try await send("new", provider)
            #expect(double.file("/new") == FTPActivity.content)
        }
    }

    @Test func `Without a data connection there is no STOR`() async throws {
        let settings = FTPDouble.Settings { $0.verb == "EPSV" && $0.occurrence > 1 ? [.refuseDataConnection] : [] }
        try await withWarmProvider(settings) { double, provider in
            let error = try await FTPFaults.mustFail { try await send("new", provider) }
            #expect((error as? URLError)?.code == .networkConnectionLost)
            #expect(!double.exists("/new") && !double.commands.contains { $0.verb == "STOR" && $0.path == "/new" })
        }
    }

    @Test(arguments: [0, 1, 2, 3])
    func `A short file that does not arrive leaves nothing`(kind: Int) async throws {
        let settings = FTPDouble.Settings { command in
            guard command.verb == "STOR", command.path == "/new" else { return [] }
            return [
                [.closeDataAfter(3, reply: "426 Cut")], [.shortStore(3), .noFinalReply], [.silence],
                [.resetDataAfter(3, reply: "426 Cut")],
            ][kind]
        }
        try await withWarmProvider(settings, idle: 1) { double, provider in
            _ = try await FTPFaults.mustFail { try await send("new", provider) }
            #expect(!double.exists("/new"))
            _ = try await send("other", provider)
            #expect(double.file("/other") == FTPActivity.content)
        }
    }

    @Test func `A server that says nothing before its final reply is understood`() async throws {
        let settings = FTPDouble.Settings { $0.verb == "STOR" && $0.path == "/new" ? [.mark(nil)] : [] }
        try await withWarmProvider(settings) { double, provider in
            _ = try await send("new", provider)
            #expect(double.file("/new") == FTPActivity.content)
        }
    }

    @Test(arguments: [-1, 1])
    func `A source that gives another number of bytes than it says is not sent`(difference: Int) async throws {
        try await withWarmProvider { double, provider in
            let source = ScriptedSource(FTPActivity.content, length: Int64(FTPActivity.content.count + difference))
            let error = try await FTPFaults.mustFail {
                try await provider.writeContents(path: ProviderPath("new"), from: source, options: Self.inPlace)
            }
            #expect((error as? CocoaError)?.code == .fileWriteUnknown && !double.exists("/new"))
            _ = try await send("other", provider)
            #expect(Set(double.commands.map(\.connection)) == [1])
        }
    }

    @Test func `A cancelled upload ends at once`() async throws {
        let settings = FTPDouble.Settings { $0.verb == "STOR" && $0.path == "/new" ? [.silence] : [] }
        try await withWarmProvider(settings, idle: 60) { double, provider in
            let task = Task { try await send("new", provider) }
            try await eventually { double.commands.contains { $0.verb == "STOR" && $0.path == "/new" } }
            let start = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(start.duration(to: .now) < .seconds(40))
        }
    }
}

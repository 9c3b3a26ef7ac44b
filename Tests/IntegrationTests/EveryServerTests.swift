import FileProviderCore
import Foundation
import Testing

/// What real servers of every kind do alike.
@Suite(.serialized) struct EveryServerTests {
    private static let time = Date(timeIntervalSince1970: 1_400_000_000)
    private static let plain: [TestServer] = TestServer.ftp + TestServer.sftp
    private static let all: [TestServer] = TestServer.ftp + TestServer.ftpes + TestServer.sftp

    /// Without Pure-FTPd; of FTP with TLS, ProFTPD stands for all.
    private static let refusing: [TestServer] =
        TestServer.webDAV + TestServers.ftp.filter { $0.program != "Pure-FTPd" }.map { TestServer($0) }
        + TestServers.ftpes.filter { $0.program == "ProFTPD" }.map { TestServer($0) } + TestServer.sftp

    @Test(.enabled(if: !refusing.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: refusing)
    func `a wrong password is refused with a sentence, and is no reason to try again`(_ server: TestServer) async throws
    {
        let options = server.options(.password(user: "reader", password: "WRONG"), 3)
        let provider = try server.connect(server.url, options)
        let error = await #expect(throws: URLError.self) {
            _ = try await provider.attributesOfItem(path: ProviderPath("a"))
        }
        #expect(error?.code == .userAuthenticationRequired)
        let sentence = try #require(error).localizedDescription
        #expect(!sentence.contains("WRONG"))
        if let words = server.refusal { #expect(sentence.contains(words), "\(sentence)") }
        #expect(options.counters[.retries] == 0)
    }

    @Test(
        .enabled(if: !all.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: all,
        [WriteOptions.Placement.published, .inPlace])
    func `a file is written, refused where there is one, and replaced`(
        _ server: TestServer, _ placement: WriteOptions.Placement
    ) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("file")
            for (data, overwrite) in [
                (patterned(300_000), false), (Data(), true), (patterned(2_000_000), true), (Data("1".utf8), true),
            ] {
                let options = WriteOptions(overwrite: overwrite, placement: placement)
                let written = try await provider.writeContents(path: path, from: DataSource(data), options: options)
                #expect(written.size == Int64(data.count))
                #expect(try Data(contentsOf: server.location(path)) == data)
            }
            let again = WriteOptions(placement: placement)
            let error = await #expect(throws: CocoaError.self) {
                _ = try await provider.writeContents(path: path, from: DataSource(Data("2".utf8)), options: again)
            }
            #expect(error?.code == .fileWriteFileExists)
            #expect(try Data(contentsOf: server.location(path)) == Data("1".utf8))
            #expect(try server.names(folder) == ["file"])
        }
    }

    private static let keepingAttributes: [TestServer] =
        TestServer.ftp + TestServers.sftp.filter(\.keepsAttributes).map { TestServer($0) }

    @Test(
        .enabled(if: !keepingAttributes.isEmpty, "the servers are not up; run bash Tests/run.sh"),
        arguments: keepingAttributes)
    func `times and permissions are set on the server's disk`(_ server: TestServer) async throws {
        try await server.withFolder { provider, folder in
            #expect(try await provider.capabilities()[.settingModificationDate] == .native)
            let (a, b) = (try folder.appending("a"), try folder.appending("b with a blank"))
            for (path, placement) in [(a, WriteOptions.Placement.published), (b, .inPlace)] {
                let options = WriteOptions(
                    placement: placement, modificationDate: Self.time, permissions: server.writtenPermissions)
                let written = try await provider.writeContents(
                    path: path, from: DataSource(Data("1".utf8)), options: options)
                #expect(written.modifiedDate == Self.time)
                #expect(try server.modified(path) == Self.time)
                let item = try await provider.attributesOfItem(path: path)
                #expect(item.modifiedDate == Self.time)
                if let permissions = server.writtenPermissions { #expect(item.permissions == permissions) }
            }
            let later = Self.time + 86_400
            let setter = try #require(provider as? any FileProviderAttributes)
            try await setter.setAttributes(path: b, permissions: 0o640, modificationDate: later)
            #expect(try server.modified(b) == later)
            let mode =
                try FileManager.default.attributesOfItem(atPath: server.location(b).path)[.posixPermissions] as? Int
            #expect(mode == 0o640)
            let error = await #expect(throws: CocoaError.self) {
                try await setter.setAttributes(
                    path: folder.appending("missing"), permissions: 0o600, modificationDate: nil)
            }
            #expect(error?.code == .fileNoSuchFile)
        }
    }

    /// Without the login that is locked up in a folder.
    private static let rooted: [TestServer] =
        TestServer.ftp + TestServers.sftp.filter { !$0.name.contains("chroot") }.map { TestServer($0) }

    @Test(
        .enabled(if: !rooted.isEmpty, "the servers are not up; run bash Tests/run.sh"), arguments: rooted, ["", "~/"])
    func `a provider's root may be a folder of the server, also below the login's`(_ server: TestServer, _ home: String)
        async throws
    {
        try await server.withFolder { provider, folder in
            try await provider.writeContents(path: folder.appending("file"), contents: Data("1".utf8))
            var parts = try #require(URLComponents(url: server.url, resolvingAgainstBaseURL: true))
            parts.path = "\(home.isEmpty ? parts.path : "/~/")\(folder.string.dropFirst())/"
            let rooted = try server.connect(#require(parts.url), server.options(TestServers.credential, 1))
            #expect(try await rooted.contentsOfDirectory(path: .root).map(\.name) == ["file"])
            #expect(try await rooted.contents(path: ProviderPath("file")) == Data("1".utf8))
        }
    }

    @Test(
        .enabled(if: !plain.isEmpty, "the servers are not up; run bash Tests/run.sh"), .timeLimit(.minutes(2)),
        arguments: plain)
    func `changes by others are seen`(_ server: TestServer) async throws {
        try await server.withFolder { provider, folder in
            try server.put(folder.appending("kept"), Data("1".utf8))
            try server.put(folder.appending("removed"), Data("1".utf8))
            let changes = try await provider.changes(
                at: folder, options: WatchOptions(minInterval: 0.05, maxInterval: 0.2))
            try server.put(folder.appending("created"), Data("1".utf8))
            try server.put(folder.appending("kept"), Data("longer".utf8))
            try FileManager.default.removeItem(at: server.location(folder.appending("removed")))
            let wanted: Set = ["created created", "modified kept", "removed removed"]
            var seen: Set<String> = []
            for try await event in changes {
                seen.insert("\(event.kind) \(event.path.name)")
                if seen.isSuperset(of: wanted) { break }
            }
            #expect(seen.isSuperset(of: wanted))
            await changes.stop()
        }
    }
}

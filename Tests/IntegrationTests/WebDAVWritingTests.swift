import FileProviderCore
import Foundation
import Testing
import WebDAVFileProvider

/// Writing, with conditions and by several at once, against real servers. `bash Tests/run.sh` starts them.
@Suite(.enabled(if: !TestServers.webDAV.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct WebDAVWritingTests {
    private func bytes(_ text: String) -> DataSource { DataSource(Data(text.utf8)) }

    @Test(arguments: TestServers.webDAV)
    func `a server is recognised by what it says of itself`(_ server: TestServers.WebDAV) async throws {
        let servers = WebDAVServers()
        let configuration = WebDAVConfiguration(baseURL: server.url)
        let provider = try WebDAVFileProvider(
            configuration: configuration, options: TestServers.options(), servers: servers)
        let vendor = try await provider.quirks().vendor
        #expect(server.name.lowercased().hasPrefix(vendor.rawValue))
        #expect(servers[server.url]?.vendor == vendor)
        // Kept with the configuration, nobody has to ask again.
        let options = TestServers.options()
        let again = try WebDAVFileProvider(
            configuration: provider.configuration, options: options, servers: WebDAVServers())
        #expect(try await again.quirks().vendor == vendor)
        #expect(options.counters[.requests] == 0)
    }

    @Test(arguments: TestServers.webDAV)
    func `a small new file costs no request more than it needs`(_ server: TestServers.WebDAV) async throws {
        let options = TestServers.options()
        try await server.withFolder(options) { provider, folder in
            // Settles the login, and what the server is.
            try await provider.writeContents(path: folder.appending("first"), contents: Data("1".utf8))
            var before = options.counters[.requests]
            for name in ["a", "b", "c"] {
                let written = try await provider.writeContents(path: folder.appending(name), contents: Data(name.utf8))
                #expect(written.size == 1)
            }
            let quirks = try await provider.quirks()
            let isOneStep = quirks.putsWhole && quirks.ifNoneMatch != .ignored
            // Each with one look.
            #expect(options.counters[.requests] - before == (isOneStep ? 6 : 9))
            before = options.counters[.requests]
            let isHonoured = quirks.ifNoneMatch != .ignored
            _ = try await provider.writeContents(
                path: folder.appending("d"), from: bytes("d"), options: WriteOptions(placement: .inPlace))
            #expect(options.counters[.requests] - before == (isHonoured ? 2 : 3))
        }
    }

    @Test(arguments: TestServers.webDAV, [WriteOptions.Placement.published, .inPlace])
    func `what is there is not replaced unless that is wanted`(
        _ server: TestServers.WebDAV, _ placement: WriteOptions.Placement
    )
        async throws
    {
        try await server.withFolder { provider, folder in
            let file = try folder.appending("f")
            _ = try await provider.writeContents(
                path: file, from: bytes("old"), options: WriteOptions(placement: placement))
            let taken = await #expect(throws: CocoaError.self) {
                _ = try await provider.writeContents(
                    path: file, from: bytes("new"), options: WriteOptions(placement: placement))
            }
            #expect(taken?.code == .fileWriteFileExists)
            let full = try folder.appending("full")
            let empty = try folder.appending("empty")
            for path in [full, empty] { try await provider.createFolder(path: path) }
            try await provider.writeContents(path: full.appending("inner"), contents: Data("inner".utf8))
            for overwrite in [false, true] {
                let options = WriteOptions(overwrite: overwrite, placement: placement)
                let refused = await #expect(throws: CocoaError.self) {
                    _ = try await provider.writeContents(path: full, from: bytes("new"), options: options)
                }
                #expect(refused?.code == .fileWriteFileExists)
            }
            #expect(try await provider.contents(path: full.appending("inner")) == Data("inner".utf8))
            _ = try await provider.writeContents(
                path: empty, from: bytes("1"), options: WriteOptions(overwrite: true, placement: placement))
            _ = try await provider.writeContents(
                path: file, from: bytes("new"), options: WriteOptions(overwrite: true, placement: placement))
            #expect(try await provider.contents(path: empty) == Data("1".utf8))
            #expect(try await provider.contents(path: file) == Data("new".utf8))
            #expect(
                try await provider.contentsOfDirectory(path: folder).map(\.name).sorted() == ["empty", "f", "full"])
        }
    }

    @Test(arguments: TestServers.webDAV, [WriteOptions.Placement.published, .inPlace])
    func `a version is replaced only while it is there`(
        _ server: TestServers.WebDAV, _ placement: WriteOptions.Placement
    ) async throws {
        try await server.withFolder { provider, folder in
            let file = try folder.appending("f")
            try await provider.writeContents(path: file, contents: Data("first".utf8))
            let tag = try await tag(of: file, provider)
            func write(_ text: String, at path: ProviderPath, ifMatch: String) async throws {
                _ = try await provider.writeContents(
                    path: path, from: bytes(text),
                    options: WriteOptions(overwrite: true, ifMatch: ifMatch, placement: placement))
            }
            for (path, other) in [(file, "\"other\""), (try folder.appending("missing"), tag)] {
                let error = await #expect(throws: CocoaError.self) { try await write("x", at: path, ifMatch: other) }
                #expect(error?.code == .fileWriteUnknown)
                #expect(error?.localizedDescription.contains("no longer the version") == true)
            }
            try await write("second version", at: file, ifMatch: tag)
            #expect(try await provider.contents(path: file) == Data("second version".utf8))
            await #expect(throws: CocoaError.self) { try await write("third", at: file, ifMatch: tag) }
            #expect(try await provider.contents(path: file) == Data("second version".utf8))
            #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["f"])
        }
    }

    /// nginx tells it with the bytes only.
    private func tag(of path: ProviderPath, _ provider: WebDAVFileProvider) async throws -> String {
        if let tag = try await provider.attributesOfItem(path: path).entryTag { return tag }
        let reader = try await provider.open(path: path)
        return try #require(try await reader.attributes().validator)
    }

    @Test(arguments: TestServers.webDAV)
    func `of several writers at once one wins, where the server is said to decide`(_ server: TestServers.WebDAV)
        async throws
    {
        var options = TestServers.options(retries: 8)
        options.settings = ["lock-use": "always"]
        try await server.withFolder(options) { provider, folder in
            guard try await provider.capabilities()[.exclusiveCreation] == .native else { return }
            for round in 0..<12 {
                let path = try folder.appending("new-\(round)")
                let winners = await winners(of: 4) { writer in
                    _ = try await provider.writeContents(path: path, from: bytes("\(writer)"), options: WriteOptions())
                }
                #expect(winners.count == 1)
                #expect(try await provider.contents(path: path) == Data("\(winners.first ?? -1)".utf8))
            }
        }
    }

    @Test(arguments: TestServers.webDAV)
    func `of several writers of one version one wins, where the server is said to decide`(_ server: TestServers.WebDAV)
        async throws
    {
        try await server.withFolder(TestServers.options(retries: 8)) { provider, folder in
            guard try await provider.capabilities()[.conditionalWriting] == .native else { return }
            for round in 0..<12 {
                let path = try folder.appending("f-\(round)")
                try await provider.writeContents(path: path, contents: Data("old version".utf8))
                let tag = try await tag(of: path, provider)
                let winners = await winners(of: 4) { writer in
                    _ = try await provider.writeContents(
                        path: path, from: bytes("\(writer)"), options: WriteOptions(overwrite: true, ifMatch: tag))
                }
                #expect(winners.count == 1)
                #expect(try await provider.contents(path: path) == Data("\(winners.first ?? -1)".utf8))
            }
            #expect(try await provider.contentsOfDirectory(path: folder).count == 12)
        }
    }

    private func winners(of count: Int, _ write: @escaping @Sendable (Int) async throws -> Void) async -> [Int] {
        await withTaskGroup(of: Int?.self) { group in
            for writer in 0..<count { group.addTask { (try? await write(writer)).map { writer } } }
            return await group.reduce(into: []) { if let writer = $1 { $0.append(writer) } }
        }
    }

    @Test(arguments: TestServers.webDAV)
    func `the time of a file is set where the server is said to take it`(_ server: TestServers.WebDAV) async throws {
        try await server.withFolder { provider, folder in
            let date = Date(timeIntervalSince1970: 784_111_777)
            let isThere = try await provider.capabilities().has(.settingModificationDate)
            for placement in [WriteOptions.Placement.published, .inPlace] {
                let path = try folder.appending(placement.rawValue)
                let written = try await provider.writeContents(
                    path: path, from: bytes("x"), options: WriteOptions(placement: placement, modificationDate: date))
                #expect((try await provider.attributesOfItem(path: path).modifiedDate == date) == isThere)
                if isThere { #expect(written.modifiedDate == date) }
            }
        }
    }
}

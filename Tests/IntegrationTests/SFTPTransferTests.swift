import FaultServer
import FileProviderCore
import Foundation
import SFTPFileProvider
import Testing

/// Files large and small on their way to real SFTP servers and back.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct SFTPTransferTests {
    /// More than one lane is worth.
    private static let size = TestServers.environment["CARREL_STRESS"] != nil ? 300_000_007 : 40_000_007

    private func withFile<Value>(_ size: Int = size, _ body: (_ file: URL, _ folder: URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carrel-sftp-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "file")
        let piece = patterned(1_000_003)
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        for start in stride(from: 0, to: size, by: piece.count) { try handle.write(contentsOf: piece.prefix(size - start)) }
        return try await body(file, folder)
    }

    private func upAndDown(
        _ server: TestServers.SFTP, _ options: ConnectionOptions = TestServers.sftpOptions(), _ placement: WriteOptions.Placement = .published
    ) async throws {
        try await withFile { file, local in
            try await server.withFolder(options) { provider, folder in
                let path = try folder.appending("file")
                let written = try await provider.copyItem(localFile: file, to: path, options: WriteOptions(placement: placement))
                #expect(written.size == Int64(Self.size))
                #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: server.place(path).path))
                let copy = local.appending(path: "copy")
                try await provider.copyItem(path: path, toLocalURL: copy)
                #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: copy.path))
                #expect(try server.names(folder) == ["file"])
            }
        }
        #expect(options.counters[.retries] == 0)
    }

    @Test(arguments: TestServers.sftp)
    func `a large file goes up and comes down`(_ server: TestServers.SFTP) async throws { try await upAndDown(server) }

    @Test(arguments: TestServers.sftp.filter { $0.name != "OpenSSH, chroot" })
    func `a large file goes up in place`(_ server: TestServers.SFTP) async throws {
        try await upAndDown(server, TestServers.sftpOptions(), .inPlace)
    }

    @Test(arguments: ["OPENSSH_ONE", "OPENSSH_REKEY"])
    func `where there is one session, and where keys change on the way`(_ port: String) async throws {
        let server = try TestServers.sftp(port: port, of: "OpenSSH")
        try await upAndDown(server)
        try await crowd(server)
    }

    @Test(arguments: TestServers.sftp)
    func `forty operations at once`(_ server: TestServers.SFTP) async throws { try await crowd(server) }

    private func crowd(_ server: TestServers.SFTP) async throws {
        let options = TestServers.sftpOptions()
        try await server.withFolder(options) { provider, folder in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<40 {
                    group.addTask {
                        let path = try folder.appending("\(index / 4)-\(index % 4)")
                        let data = index % 8 == 3 ? patterned(3_000_000, seed: index) : Data("contents of \(index)".utf8)
                        switch index % 4 {
                        case 0: try await provider.createFolder(path: path)
                        case 1: _ = try await provider.contentsOfDirectory(path: folder)
                        default:
                            try await provider.writeContents(path: path, contents: data)
                            let read = try await provider.contents(path: path)
                            #expect(read == data)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let items = try await provider.contentsOfDirectory(path: folder)
            #expect(items.count == 30 && items.count(where: \.isDirectory) == 10)
        }
        #expect(options.counters[.retries] == 0)
    }

    @Test(arguments: TestServers.sftp)
    func `a file is written, refused where there is one, and replaced`(_ server: TestServers.SFTP) async throws {
        for placement in [WriteOptions.Placement.published, .inPlace] {
            try await server.withFolder { provider, folder in
                let path = try folder.appending("file")
                for (data, overwrite) in [(patterned(300_000), false), (Data(), true), (patterned(2_000_000), true), (Data("1".utf8), true)] {
                    let options = WriteOptions(overwrite: overwrite, placement: placement)
                    let written = try await provider.writeContents(path: path, from: DataSource(data), options: options)
                    #expect(written.size == Int64(data.count))
                    #expect(try Data(contentsOf: server.place(path)) == data)
                }
                let again = WriteOptions(placement: placement)
                let error = await #expect(throws: CocoaError.self) {
                    _ = try await provider.writeContents(path: path, from: DataSource(Data("2".utf8)), options: again)
                }
                #expect(error?.code == .fileWriteFileExists)
                #expect(try Data(contentsOf: server.place(path)) == Data("1".utf8))
                #expect(try server.names(folder) == ["file"])
            }
        }
    }

    @Test(arguments: TestServers.sftp)
    func `parts of a file are read, many at once`(_ server: TestServers.SFTP) async throws {
        try await server.withFolder { provider, folder in
            let path = try folder.appending("file")
            let data = patterned(3_000_000)
            try server.put(path, data)
            let reader = try await provider.open(path: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<64 {
                    group.addTask {
                        let range = index * 45_000..<index * 45_000 + index * 2_000
                        let part = try await reader.read(Int64(range.lowerBound)..<Int64(range.upperBound))
                        #expect(part == data[range])
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await reader.read(.suffix(1000)).data == data.suffix(1000))
            #expect(try await reader.read(2_999_000..<3_500_000) == data.suffix(1000))
            await reader.close()
        }
    }

    @Test(arguments: TestServers.sftp)
    func `a cancelled transfer ends, and leaves nothing`(_ server: TestServers.SFTP) async throws {
        try await withFile { file, local in
            try await server.withFolder { provider, folder in
                let (path, there) = (try folder.appending("file"), try folder.appending("there"))
                let write = Task { try await provider.copyItem(localFile: file, to: path) }
                try await wait { try self.bytes(in: folder, on: server) > 1 << 20 }
                write.cancel()
                await #expect(throws: (any Error).self) { _ = try await write.value }
                try await wait { try server.names(folder).isEmpty }
                try server.put(there, Data(count: Self.size))
                let copy = local.appending(path: "copy")
                let read = Task { try await provider.copyItem(path: there, toLocalURL: copy) }
                read.cancel()
                await #expect(throws: (any Error).self) { try await read.value }
                #expect(try FileManager.default.contentsOfDirectory(atPath: local.path) == ["file"])
                // What else the provider is asked for is not held up.
                #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["there"])
            }
        }
    }

    // MARK: Lost connections

    /// The server by a relay, and options that know its key there.
    private func relayed(
        _ server: TestServers.SFTP, retries: Int, _ body: (TestServers.SFTP, TCPRelay, ConnectionOptions) async throws -> Void
    ) async throws {
        let relay = try TCPRelay(to: server.port)
        defer { relay.stop() }
        let hosts = FileManager.default.temporaryDirectory.appending(path: "carrel-hosts-\(UInt64.random(in: 0 ... .max))")
        try server.knownHosts(port: relay.port).write(to: hosts, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: hosts) }
        var options = TestServers.sftpOptions(retries: retries)
        options.trust.knownHosts = [hosts.path]
        try await body(server.through(relay.port), relay, options)
    }

    @Test(arguments: TestServers.sftp)
    func `an upload whose connection is lost goes on over a new one`(_ server: TestServers.SFTP) async throws {
        try await relayed(server, retries: 3) { relayed, relay, options in
            try await withFile { file, _ in
                try await server.withFolder { _, folder in
                    let provider = try relayed.provider(options)
                    let path = try folder.appending("file")
                    let upload = Task { try await provider.copyItem(localFile: file, to: path) }
                    try await wait { relay.traffic.received > Self.size / 2 }
                    relay.cut()
                    _ = try await upload.value
                    #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: server.place(path).path))
                    #expect(try server.names(folder) == ["file"])
                    #expect(relay.connections >= 2 && options.counters[.retries] >= 1)
                    // rclone empties a file that is opened again.
                    if server.name != "rclone" { #expect(relay.traffic.received < Self.size * 3 / 2) }
                }
            }
        }
    }

    @Test(arguments: TestServers.sftp)
    func `a download whose connection is lost goes on over a new one`(_ server: TestServers.SFTP) async throws {
        try await relayed(server, retries: 3) { relayed, relay, options in
            try await withFile { file, local in
                try await server.withFolder { _, folder in
                    let path = try folder.appending("file")
                    try FileManager.default.copyItem(at: file, to: server.place(path))
                    try server.give(path)
                    let provider = try relayed.provider(options)
                    let copy = local.appending(path: "copy")
                    let download = Task { try await provider.copyItem(path: path, toLocalURL: copy) }
                    try await wait { relay.traffic.sent > Self.size / 2 }
                    relay.cut()
                    try await download.value
                    #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: copy.path))
                    #expect(relay.connections >= 2 && options.counters[.retries] >= 1)
                    #expect(relay.traffic.sent < Self.size * 3 / 2)
                }
            }
        }
    }

    @Test(arguments: TestServers.sftp)
    func `without another try, a lost connection is an error, and nothing is replaced`(_ server: TestServers.SFTP) async throws {
        try await relayed(server, retries: 0) { relayed, relay, options in
            try await withFile { file, _ in
                try await server.withFolder { _, folder in
                    let provider = try relayed.provider(options)
                    let path = try folder.appending("file")
                    try server.put(path, Data("old".utf8))
                    let upload = Task { try await provider.copyItem(localFile: file, to: path, options: WriteOptions(overwrite: true)) }
                    try await wait { relay.traffic.received > Self.size / 2 }
                    relay.cut()
                    let error = await #expect(throws: URLError.self) { _ = try await upload.value }
                    #expect(error?.code == .networkConnectionLost, "\(String(describing: error))")
                    #expect(try Data(contentsOf: server.place(path)) == Data("old".utf8))
                    // The next operation has a connection of its own.
                    #expect(try await provider.attributesOfItem(path: path).size == 3)
                    try await wait { try server.names(folder) == ["file"] }
                }
            }
        }
    }

    @Test(arguments: TestServers.sftp)
    func `a connection that ended while nobody used it is made anew`(_ server: TestServers.SFTP) async throws {
        try await relayed(server, retries: 1) { relayed, relay, options in
            try await server.withFolder { _, folder in
                let provider = try relayed.provider(options)
                let path = try folder.appending("file")
                for round in 0..<3 {
                    try await provider.writeContents(path: path, contents: Data("\(round)".utf8), overwrite: true)
                    let reader = try await provider.open(path: path)
                    #expect(try await reader.read(0..<1) == Data("\(round)".utf8))
                    relay.cut()
                    #expect(try await provider.contentsOfDirectory(path: folder).map(\.name) == ["file"])
                    #expect(try await reader.read(0..<1) == Data("\(round)".utf8))
                    await reader.close()
                }
                #expect(relay.connections >= 4)
            }
        }
    }

    // MARK: Waiting

    private func bytes(in folder: ProviderPath, on server: TestServers.SFTP) throws -> Int {
        try server.names(folder).reduce(0) { sum, name in
            let file = server.place(folder).appending(path: name).path
            return sum + ((try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0)
        }
    }

    private func wait(until isSo: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while try !isSo() {
            try #require(ContinuousClock.now < deadline, "it did not come to that")
            try await Task.sleep(for: .milliseconds(5))
        }
    }
}

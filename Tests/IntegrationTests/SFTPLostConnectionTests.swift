import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import SFTPEngine
import SFTPFileProvider
import SSHTransport
import Testing

/// Connections to real SFTP servers that go away: what was on its way goes on over a new one, or ends with an error and
/// no traces.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct SFTPLostConnectionTests {
    private static let size = SFTPFiles.size

    /// The server by a relay, and options that know its key there.
    private func relayed(
        _ server: TestServers.SFTP, retries: Int,
        _ body: (TestServers.SFTP, TCPRelay, ConnectionOptions) async throws -> Void
    ) async throws {
        let relay = try TCPRelay(to: server.port)
        defer { relay.stop() }
        let hosts = FileManager.default.temporaryDirectory.appending(
            path: "carrel-hosts-\(UInt64.random(in: 0 ... .max))")
        try server.knownHosts(port: relay.port).write(to: hosts, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: hosts) }
        var options = TestServers.sftpOptions(retries: retries)
        options.trust.knownHosts = [hosts.path]
        // A transfer that is over before anybody comes to cut it proves nothing.
        options.bandwidth = 16 << 20
        try await body(server.through(relay.port), relay, options)
    }

    @Test(arguments: TestServers.sftp)
    func `an upload whose connection is lost goes on over a new one`(_ server: TestServers.SFTP) async throws {
        try await relayed(server, retries: 3) { relayed, relay, options in
            try await SFTPFiles.with { file, _ in
                try await server.withFolder { _, folder in
                    let provider = try relayed.provider(options)
                    let path = try folder.appending("file")
                    let upload = Task { try await provider.copyItem(localFile: file, to: path) }
                    try await eventually { relay.traffic.received > Self.size / 2 }
                    relay.cut()
                    _ = try await upload.value
                    #expect(FileManager.default.contentsEqual(atPath: file.path, andPath: server.location(path).path))
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
            try await SFTPFiles.with { file, local in
                try await server.withFolder { _, folder in
                    let path = try folder.appending("file")
                    try FileManager.default.copyItem(at: file, to: server.location(path))
                    try server.give(path)
                    let provider = try relayed.provider(options)
                    let copy = local.appending(path: "copy")
                    let download = Task { try await provider.copyItem(path: path, toLocalURL: copy) }
                    try await eventually { relay.traffic.sent > Self.size / 2 }
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
    func `without another try, a lost connection is an error, and nothing is replaced`(_ server: TestServers.SFTP)
        async throws
    {
        try await relayed(server, retries: 0) { relayed, relay, options in
            try await SFTPFiles.with { file, _ in
                try await server.withFolder { _, folder in
                    let provider = try relayed.provider(options)
                    let path = try folder.appending("file")
                    try server.put(path, Data("old".utf8))
                    let upload = Task {
                        try await provider.copyItem(localFile: file, to: path, options: WriteOptions(overwrite: true))
                    }
                    try await eventually { relay.traffic.received > Self.size / 2 }
                    relay.cut()
                    let error = await #expect(throws: URLError.self) { _ = try await upload.value }
                    #expect(error?.code == .networkConnectionLost, "\(String(describing: error))")
                    #expect(try Data(contentsOf: server.location(path)) == Data("old".utf8))
                    // The next operation has a connection of its own.
                    #expect(try await provider.attributesOfItem(path: path).size == 3)
                    try await eventually { try server.names(folder) == ["file"] }
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

    @Test(arguments: TestServers.sftp)
    func `a network that falls silent times out, and what comes after it goes by a new connection`(
        _ server: TestServers.SFTP
    ) async throws {
        try await relayed(server, retries: 0) { relayed, relay, options in
            try await server.withFolder { _, folder in
                var options = options
                options.timeouts.idle = 6
                let provider = try relayed.provider(options)
                #expect(try await provider.attributesOfItem(path: folder).isDirectory)
                relay.hush()
                let error = await #expect(throws: URLError.self) { try await provider.attributesOfItem(path: folder) }
                #expect(error?.code == .timedOut, "\(String(describing: error))")
                #expect(try await provider.attributesOfItem(path: folder).isDirectory)
                #expect(relay.connections == 2)
            }
        }
    }

    @Test func `a server is asked whether it is there while nobody uses the connection, which ends when it is not`()
        async throws
    {
        let server = try TestServers.sftp("OpenSSH")
        try await relayed(server, retries: 0) { _, relay, options in
            guard case .password(let user, let password) = TestServers.credential.kind else {
                Issue.record("The login is another.")
                return
            }
            var sshOptions = SSHOptions(timeouts: options.timeouts) { _ in }
            sshOptions.keepAlive = .seconds(2)
            let login = SSHLogin(user: user, methods: [.password(SSHSecret(password))])
            let connection = try await SSHConnection.connect(
                to: SSHServer(host: "127.0.0.1", port: relay.port), login: login, options: sshOptions)
            let session = try await SFTPSession.open(over: connection.channel(subsystem: "sftp"))
            try await eventually { session.limits.handles != nil }
            let before = relay.traffic
            // Two questions, and their answers.
            try await eventually {
                relay.traffic.received > before.received + 100 && relay.traffic.sent > before.sent + 40
            }
            #expect(session.ending == nil && connection.end == nil)
            relay.hush()
            try await eventually { session.ending != nil }
            #expect((session.ending as? URLError)?.code == .networkConnectionLost)
            #expect((connection.end as? URLError)?.code == .networkConnectionLost)
        }
    }
}

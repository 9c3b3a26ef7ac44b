import FileProviderCore
import Foundation
import ProviderDoubles
import SFTPFileProvider
import Testing

extension TestServers {
    /// An SFTP server on one of its ports.
    struct SFTP: Sendable, CustomTestStringConvertible, ServerDisk {
        var name: String
        /// With the user in it, and the path of ``data``.
        var url: URL
        var data: URL

        var testDescription: String { name }
    }

    private static let sftpPermits = [
        ("OpenSSH", "CARREL_SFTP_OPENSSH"), ("OpenSSH, chroot", "CARREL_SFTP_OPENSSH_CHROOT"),
        ("ProFTPD", "CARREL_SFTP_PROFTPD"),
        ("asyncssh", "CARREL_SFTP_ASYNCSSH"), ("rclone", "CARREL_SFTP_RCLONE"),
    ]

    /// Every program once, and OpenSSH twice: with a shell, and locked up in a folder.
    static let sftp = sftpPermits.compactMap { sftp($0.0, $0.1, data: $0.1) }
    static let sftpNames = sftpPermits.map(\.0)

    static func sftp(_ name: String) throws -> SFTP {
        try #require(sftp.first { $0.name == name }, "the servers are not up; run bash Tests/run.sh")
    }

    /// A further port of a program: `OPENSSH_ONE` has one session for each connection, `OPENSSH_REKEY` changes keys
    /// every 16 MiB, `OPENSSH_TRIES` takes six tries at a login, `OPENSSH_BOTH` wants a key and then the password;
    /// `KBDINT` asks for the password, `KBDINT_TWICE` for more, `KBDINT_CODE` for more at once.
    static func sftp(port: String, of name: String) throws -> SFTP {
        var server = try sftp(name)
        server.name = port
        server.url = try #require(environment["CARREL_SFTP_\(port)"].flatMap { URL(string: $0) })
        return server
    }

    private static func sftp(_ name: String, _ variable: String, data: String) -> SFTP? {
        guard let url = environment[variable].flatMap({ URL(string: $0) }), let data = environment[data + "_DATA"]
        else { return nil }
        return SFTP(name: name, url: url, data: URL(fileURLWithPath: data))
    }

    static let knownHosts = environment["CARREL_SSH_KNOWN_HOSTS"] ?? ""

    /// The file of a key that every server takes: `ED25519`, `ENCRYPTED`, `ECDSA`, `RSA` or `RSA_PEM`.
    static func sshKey(_ name: String) throws -> String { try #require(environment["CARREL_SSH_KEY_\(name)"]) }

    /// Options that log in by password and know the servers' keys.
    static func sftpOptions(_ credential: Credential? = credential, retries: Int = 1) -> ConnectionOptions {
        var options = options(credential, retries: retries)
        options.trust.knownHosts = [knownHosts]
        options.timeouts = Timeouts(connect: 30, idle: 30)
        return options
    }
}

extension TestServers.SFTP {
    /// Whether there are symbolic links.
    var hasLinks: Bool { name != "rclone" }
    /// Whether times and permissions are the disk's.
    var keepsAttributes: Bool { name != "rclone" }
    var port: Int { url.port ?? 22 }

    func provider(
        _ options: ConnectionOptions = TestServers.sftpOptions(), _ change: (inout SFTPConfiguration) -> Void = { _ in }
    ) throws -> SFTPFileProvider {
        var configuration = SFTPConfiguration(baseURL: url)
        // What the one who runs the tests has configured is none of their business.
        configuration.readsSSHConfig = false
        change(&configuration)
        return try SFTPFileProvider(configuration: configuration, options: options)
    }

    /// A new folder on the server for one test, removed at its end.
    func withFolder<Value>(
        _ options: ConnectionOptions = TestServers.sftpOptions(),
        _ change: (inout SFTPConfiguration) -> Void = { _ in },
        _ body: (SFTPFileProvider, ProviderPath) async throws -> Value
    ) async throws -> Value {
        let provider = try provider(options, change)
        return try await TestServers.withFolder(of: provider, removedBy: { try self.provider() }) { folder in
            try await body(provider, folder)
        }
    }

    /// The same server by another port of this machine.
    func through(_ port: Int) throws -> TestServers.SFTP {
        var other = self
        var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: true))
        parts.port = port
        other.url = try #require(parts.url)
        return other
    }

    /// The lines of this server in the known hosts, for another port too.
    func knownHosts(port: Int? = nil) throws -> String {
        let name = "[127.0.0.1]:\(self.port) "
        let lines = try String(contentsOfFile: TestServers.knownHosts, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix(name)
        }
        return lines.map { "[127.0.0.1]:\(port ?? self.port) \($0.dropFirst(name.count))\n" }.joined()
    }
}

/// A file for large transfers, and waiting for what they do.
enum SFTPFiles {
    /// More than one lane is worth; `CARREL_STRESS=1` takes 300 MB.
    static let size = TestServers.environment["CARREL_STRESS"] != nil ? 300_000_007 : 40_000_007

    /// A file of that size in a folder of its own on this machine, removed after `body`.
    static func with<Value>(_ body: (_ file: URL, _ folder: URL) async throws -> Value) async throws -> Value {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "file")
        let piece = patterned(1_000_003)
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        for start in stride(from: 0, to: size, by: piece.count) {
            try handle.write(contentsOf: piece.prefix(size - start))
        }
        return try await body(file, folder.url)
    }
}

@Suite struct SFTPServersTests {
    @Test(.enabled(if: TestServers.areRequired, "only a run that requires the servers checks that they are there"))
    func `all servers of SFTP are up`() throws {
        #expect(TestServers.sftp.map(\.name) == TestServers.sftpNames)
        let ports = [
            "OPENSSH_ONE", "OPENSSH_REKEY", "OPENSSH_TRIES", "OPENSSH_BOTH", "OPENSSH_BOTH_REVERSED", "KBDINT",
            "KBDINT_TWICE",
            "KBDINT_CODE",
        ]
        for port in ports {
            _ = try TestServers.sftp(port: port, of: "OpenSSH")
        }
    }
}

import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import SFTPFileProvider
import Testing

/// Host keys of a real server, by files of known hosts of each kind.
@Suite(.enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct SFTPHostKeyTests {
    private let server: TestServers.SFTP

    init() throws {
        server = try TestServers.sftp("OpenSSH")
    }

    private func connect(_ file: String, _ hostKeys: TrustPolicy.HostKeys = .known) async throws {
        var options = TestServers.sftpOptions(retries: 0)
        options.trust.knownHosts = [file]
        options.trust.hostKeys = hostKeys
        try await server.provider(options).checkReachability()
    }

    private func refusal(_ file: String, _ hostKeys: TrustPolicy.HostKeys = .known) async throws -> URLError {
        try #require(await #expect(throws: URLError.self) { try await connect(file, hostKeys) })
    }

    /// The fingerprints in a file of known hosts, as ssh-keygen has them.
    private func fingerprints(_ runner: CommandRunner, _ file: String) async throws -> [String] {
        let shown = try await runner.shell("ssh-keygen -l -f '\(file)'")
        #expect(shown.code == 0, "\(shown.error)")
        return shown.text.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("SHA256:") }.map(String.init)
    }

    /// Lines for the server with keys that are not its own.
    private func otherKeys(_ runner: CommandRunner) async throws -> String {
        var lines = ""
        for kind in ["ed25519", "ecdsa", "rsa"] {
            #expect(try await runner.shell("ssh-keygen -q -t \(kind) -N '' -C '' -f other_\(kind)").code == 0)
            lines += "[127.0.0.1]:\(server.port) \(try runner.read("other_\(kind).pub"))"
        }
        return lines
    }

    @Test func `an unknown key is refused with its fingerprint, and known once it was accepted`() async throws {
        try await CommandRunner.use { runner in
            let file = runner.path("hosts")
            let own = try await fingerprints(runner, TestServers.knownHosts)
            for _ in 0..<2 {
                let error = try await refusal(file)
                #expect(error.code == .serverCertificateHasUnknownRoot)
                #expect(own.contains { error.localizedDescription.contains($0) }, "\(error.localizedDescription)")
                try runner.write("hosts", "# nobody\n")
            }
            try FileManager.default.removeItem(atPath: file)
            try await connect(file, .acceptNew)
            #expect(try runner.read("hosts").hasPrefix("[127.0.0.1]:\(server.port) "))
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            let kept = try runner.read("hosts")
            try await connect(file)
            try await connect(file, .acceptNew)
            #expect(try runner.read("hosts") == kept)
        }
    }

    private func connectByProgram(_ file: String, hostKeys: TrustPolicy.HostKeys = .known) async throws {
        var options = TestServers.sftpOptions(nil, retries: 0)
        options.trust.identities = [try TestServers.sshKey("ED25519")]
        options.trust.knownHosts = [file]
        options.trust.hostKeys = hostKeys
        let provider = try server.provider(options) { $0.transport = .program }
        defer { provider.invalidate() }
        try await provider.checkReachability()
    }

    @Test func `the ssh program refuses, accepts and tells host keys likewise`() async throws {
        try await CommandRunner.use { runner in
            let file = runner.path("hosts")
            try runner.write("hosts", "")
            let unknown = await #expect(throws: URLError.self) { try await connectByProgram(file) }
            #expect(unknown?.code == .serverCertificateHasUnknownRoot, "\(String(describing: unknown))")
            try await connectByProgram(file, hostKeys: .acceptNew)
            #expect(try runner.read("hosts").contains("ssh-"))
            try await connectByProgram(file)
            try runner.write("hosts", try await otherKeys(runner))
            let (own, others) = (
                try await fingerprints(runner, TestServers.knownHosts), try await fingerprints(runner, file)
            )
            for hostKeys in [TrustPolicy.HostKeys.known, .acceptNew] {
                let changed = await #expect(throws: URLError.self) {
                    try await connectByProgram(file, hostKeys: hostKeys)
                }
                let sentence = changed?.localizedDescription ?? ""
                #expect(changed?.code == .serverCertificateUntrusted)
                for list in [own, others] { #expect(list.contains { sentence.contains($0) }, "\(sentence)") }
            }
            let pinned = await #expect(throws: CocoaError.self) {
                try await connectByProgram(file, hostKeys: .pinned(own))
            }
            #expect(pinned?.code == .featureUnsupported)
        }
    }

    @Test func `a login by the ssh program is cancelled at once`() async throws {
        // It takes connections, and says nothing.
        let silent = try TCPRelay(to: server.port)
        defer { silent.stop() }
        silent.hushesNew = true
        var options = TestServers.sftpOptions(nil, retries: 0)
        options.trust.identities = [try TestServers.sshKey("ED25519")]
        let provider = try server.through(silent.port).provider(options) { $0.transport = .program }
        let login = Task { try await provider.checkReachability() }
        try await eventually { silent.connections == 1 }
        let start = ContinuousClock.now
        login.cancel()
        let error = await #expect(throws: (any Error).self) { try await login.value }
        #expect(error is CancellationError, "\(String(describing: error))")
        #expect(ContinuousClock.now - start < .seconds(15))
    }

    @Test func `any of the server's keys may be the pinned one`() async throws {
        try await CommandRunner.use { runner in
            for kind in ["ssh-ed25519", "ecdsa-sha2-nistp256"] {
                let lines = try server.knownHosts().split(separator: "\n").filter { $0.contains(" \(kind) ") }
                try runner.write("own", lines.joined(separator: "\n") + "\n")
                try await connect(runner.path("nothing"), .pinned(fingerprints(runner, runner.path("own"))))
            }
            let error = try await refusal(
                runner.path("nothing"), .pinned(["SHA256:" + String(repeating: "A", count: 43)]))
            #expect(
                error.code == .serverCertificateUntrusted && error.localizedDescription.contains("ED25519"), "\(error)")
        }
    }

    @Test func `a changed key is refused always, with both fingerprints`() async throws {
        try await CommandRunner.use { runner in
            let lines = try await otherKeys(runner)
            try runner.write("hosts", lines)
            let file = runner.path("hosts")
            let own = try await fingerprints(runner, TestServers.knownHosts)
            let others = try await fingerprints(runner, file)
            for policy in [TrustPolicy.HostKeys.known, .acceptNew] {
                let error = try await refusal(file, policy)
                #expect(error.code == .serverCertificateUntrusted)
                let sentence = error.localizedDescription
                #expect(
                    own.contains { sentence.contains($0) } && others.contains { sentence.contains($0) }, "\(sentence)")
                #expect(try runner.read("hosts") == lines)
            }
        }
    }

    @Test func `a pinned fingerprint goes before what is known`() async throws {
        try await CommandRunner.use { runner in
            let file = runner.path("hosts")
            let own = try await fingerprints(runner, TestServers.knownHosts)
            try await connect(file, .pinned(own))
            #expect(try runner.names().contains("hosts") == false)
            try runner.write("hosts", try await otherKeys(runner))
            let wrong = try await fingerprints(runner, file)
            try await connect(file, .pinned(own))
            let error = try await refusal(TestServers.knownHosts, .pinned(wrong))
            #expect(error.code == .serverCertificateUntrusted && error.localizedDescription.contains(wrong[0]))
            let malformed = try await refusal(file, .pinned(["MD5:00:11"]))
            #expect(malformed.code == .badURL && malformed.localizedDescription.contains("SHA256:"))
        }
    }

    @Test func `hidden names, patterns and lists are known`() async throws {
        try await CommandRunner.use { runner in
            let lines = try server.knownHosts()
            let list = lines.replacingOccurrences(of: "[127.0.0.1]", with: "other,[127.0.0.*]")
            for text in [lines, list] {
                try runner.write("hosts", text)
                try await connect(runner.path("hosts"))
            }
            try runner.write("hosts", lines)
            #expect(try await runner.shell("ssh-keygen -q -H -f hosts").code == 0)
            #expect(try runner.read("hosts").hasPrefix("|1|"))
            try await connect(runner.path("hosts"))
            try runner.write("hosts", list.replacingOccurrences(of: "other,", with: "![127.0.0.1]:\(server.port),"))
            #expect(try await refusal(runner.path("hosts")).code == .serverCertificateHasUnknownRoot)
        }
    }

    @Test func `a revoked key is refused whatever else is known`() async throws {
        try await CommandRunner.use { runner in
            let lines = try server.knownHosts()
            let revoked = lines.split(separator: "\n").map { "@revoked * \($0.drop { $0 != " " }.dropFirst())\n" }
                .joined()
            try runner.write("hosts", lines + revoked)
            let own = try await fingerprints(runner, TestServers.knownHosts)
            for policy in [TrustPolicy.HostKeys.known, .acceptNew, .pinned(own)] {
                let error = try await refusal(runner.path("hosts"), policy)
                #expect(error.code == .serverCertificateUntrusted && error.localizedDescription.contains("revoked"))
            }
        }
    }

    @Test func `an authority alone is refused clearly, and a key beside it is taken`() async throws {
        try await CommandRunner.use { runner in
            let lines = try server.knownHosts()
            let authority = try await otherKeys(runner).split(separator: "\n").map { "@cert-authority \($0)\n" }
                .joined()
            try runner.write("hosts", authority)
            for policy in [TrustPolicy.HostKeys.known, .acceptNew] {
                let error = try await refusal(runner.path("hosts"), policy)
                #expect(error.code == .serverCertificateHasUnknownRoot)
                #expect(error.localizedDescription.contains("authority"), "\(error.localizedDescription)")
                #expect(try runner.read("hosts") == authority)
            }
            try runner.write("hosts", authority + lines)
            try await connect(runner.path("hosts"))
        }
    }
}

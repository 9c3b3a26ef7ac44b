import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import SFTPFileProvider

/// Who speaks SSH, by what ssh's configuration asks for.
@Suite(.timeLimit(.minutes(1))) struct SFTPTransportChoiceTests {
    /// A program in place of ssh. It writes down its runs, answers `-G`, and logs in or refuses.
    private final class Program: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "carrel-ssh-\(UInt64.random(in: 0 ... .max))"
        ).path

        init(says lines: [String], host: String = "127.0.0.1", logsIn: Bool = true) throws {
            try FileManager.default.createDirectory(atPath: folder + "/.ssh", withIntermediateDirectories: true)
            // Nobody listens at port 1: libssh2's way ends there.
            let answer = ["user anna", "hostname \(host)", "port 1", "stricthostkeychecking ask"] + lines
            try Data((answer.joined(separator: "\n") + "\n").utf8).write(to: URL(fileURLWithPath: folder + "/answer"))
            let login =
                logsIn
                ? "printf xxxx; exec cat >/dev/null"
                : "echo 'anna@127.0.0.1: Permission denied (publickey).' >&2; exit 255"
            let script = """
                #!/bin/sh
                for word; do [ "$word" = -G ] && { echo asked >>'\(folder)/runs'; exec cat '\(folder)/answer'; }; done
                for word; do [ "$word" = -V ] && exit 0; done
                echo login >>'\(folder)/runs'
                \(login)
                """
            try Data(script.utf8).write(to: URL(fileURLWithPath: folder + "/ssh"))
            #expect(chmod(folder + "/ssh", 0o700) == 0)
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        var runs: [String] {
            ((try? String(contentsOfFile: folder + "/runs", encoding: .utf8)) ?? "").split(separator: "\n").map(
                String.init)
        }

        func access(
            _ options: ConnectionOptions = SFTPTransportChoiceTests.options, to url: String = "sftp://shelf/",
            password: String? = nil, environment: [String: String] = [:],
            _ change: (inout SFTPConfiguration) -> Void = { _ in }
        ) throws -> SFTPAccess {
            var configuration = SFTPConfiguration(baseURL: try #require(URL(string: url)))
            change(&configuration)
            return try SFTPAccess(
                configuration: configuration, password: password, options: options, program: folder + "/ssh",
                environment: environment.merging(["HOME": folder, "PATH": "/nowhere"]) { $1 })
        }
    }

    private static let options = ConnectionOptions(
        trust: TrustPolicy(knownHosts: []), timeouts: Timeouts(connect: 10, idle: 10), retries: RetryPolicy(retries: 0),
        proxy: .none)

    /// libssh2's way ends where nobody listens, or for want of anything to log in with.
    private func goesByLibrary(_ access: SFTPAccess) async throws -> URLError {
        let error = try await SFTPFaults.mustFail { _ = try await access.connect() }
        let found = try #require(error as? URLError)
        #expect([.cannotConnectToHost, .userAuthenticationRequired].contains(found.code), "\(found)")
        return found
    }

    @Test(arguments: ["proxyjump gate", "proxycommand nc %h %p"])
    func `a host behind another is reached by the program, without a try`(line: String) async throws {
        let program = try Program(says: [line], logsIn: false)
        #expect(try await program.access().connect() is SFTPProgramLink)
        #expect(program.runs == ["asked"])
    }

    @Test func `a host that asks for nothing is reached by libssh2, and no program logs in`() async throws {
        let program = try Program(says: [])
        _ = try await goesByLibrary(program.access())
        #expect(program.runs == ["asked"])
    }

    @Test(arguments: ["controlmaster auto", "controlpath /tmp/x", "certificatefile /c", "pkcs11provider /p.so"])
    func `what libssh2 does not have leads to the program, which is tried once`(line: String) async throws {
        let program = try Program(says: [line])
        let access = try program.access()
        for _ in 0..<3 { #expect(try await access.connect() is SFTPProgramLink) }
        #expect(program.runs == ["asked", "login"])
    }

    @Test func `where the program is refused, libssh2 goes on with what else there is, and says what it lacks`()
        async throws
    {
        let program = try Program(says: ["controlmaster auto"], logsIn: false)
        let access = try program.access()
        for _ in 0..<2 { #expect(try await goesByLibrary(access).sentence.contains("ControlMaster")) }
        #expect(program.runs == ["asked", "login"])
    }

    @Test func `what the program cannot do stays with libssh2`() async throws {
        let program = try Program(says: ["controlmaster auto"])
        var pinned = Self.options
        pinned.trust.hostKeys = .pinned(["SHA256:" + String(repeating: "A", count: 43)])
        _ = try await goesByLibrary(program.access(pinned))
        _ = try await goesByLibrary(program.access(password: "x"))
        #expect(program.runs == ["asked"])
    }

    @Test func `libssh2 alone has the program read the configuration, and connects by itself`() async throws {
        let program = try Program(says: ["proxyjump gate"])
        #expect(try await goesByLibrary(program.access { $0.transport = .embedded }).sentence.contains("on the way"))
        #expect(program.runs == ["asked"])
    }

    @Test func `a configuration that is not to be read is not asked for`() async throws {
        let program = try Program(says: ["proxyjump gate"])
        for transport in [SFTPConfiguration.Transport.automatic, .embedded] {
            let access = try program.access(to: "sftp://127.0.0.1:1/") {
                ($0.readsSSHConfig, $0.transport) = (false, transport)
            }
            let sentence = try await goesByLibrary(access).sentence
            #expect(!sentence.contains("on the way"))
        }
        #expect(program.runs.isEmpty)
        #expect(try await program.access { $0.transport = .program }.connect() is SFTPProgramLink)
        #expect(program.runs == ["asked"])
    }

    // MARK: Proxies

    /// A proxy where nobody listens: whoever goes by it says so.
    private static let proxy = "http://127.0.0.1:1"

    private func goesByProxy(_ access: SFTPAccess) async throws -> String {
        let error = try await goesByLibrary(access)
        #expect(error.code == .cannotConnectToHost)
        #expect(error.sentence.hasPrefix("The proxy “\(Self.proxy)” does not accept a connection."))
        return error.sentence
    }

    private func given() throws -> ConnectionOptions {
        var options = Self.options
        options.credentials = FixedCredential(.password(user: "anna", password: "x"))
        options.proxy = .server(try ProxyServer(url: #require(URL(string: Self.proxy)), exceptions: ["except.test"]))
        return options
    }

    private func inherited() throws -> ConnectionOptions {
        var options = try given()
        options.proxy = .environment
        return options
    }

    @Test(arguments: ["proxyjump gate", "controlmaster auto"])
    func `a proxy of the options goes before ssh's configuration, and that is told where it fails`(line: String)
        async throws
    {
        let program = try Program(says: [line])
        #expect(try await goesByProxy(program.access(given())).contains("ssh's configuration asks for"))
        #expect(program.runs == ["asked"])
    }

    @Test func `a proxy of the options is not for its exceptions`() async throws {
        let program = try Program(says: ["proxyjump gate"], host: "nas.except.test")
        #expect(try await program.access(given()).connect() is SFTPProgramLink)
        #expect(try await program.access(given()) { $0.transport = .program }.connect() is SFTPProgramLink)
    }

    @Test func `the program takes no proxy of the options`() async throws {
        let program = try Program(says: [])
        let error = try await SFTPFaults.mustFail {
            _ = try await program.access(given()) { $0.transport = .program }.connect()
        }
        #expect((error as? CocoaError)?.code == .featureUnsupported && error.sentence.contains("ProxyJump"))
    }

    @Test func `ssh's configuration goes before the environment's proxy, and that before a try of the program`()
        async throws
    {
        let environment = ["ALL_PROXY": Self.proxy, "NO_PROXY": "except.test"]
        let jumping = try Program(says: ["proxyjump gate"], host: "nas.test")
        #expect(try await jumping.access(inherited(), environment: environment).connect() is SFTPProgramLink)
        let sharing = try Program(says: ["controlmaster auto"], host: "nas.test")
        _ = try await goesByProxy(sharing.access(inherited(), environment: environment))
        #expect(sharing.runs == ["asked"])
        for host in ["127.0.0.1", "nas.except.test"] {
            let program = try Program(says: ["controlmaster auto"], host: host)
            #expect(try await program.access(inherited(), environment: environment).connect() is SFTPProgramLink)
        }
        let chosen = try sharing.access(inherited(), environment: environment) { $0.transport = .program }
        #expect(try await chosen.connect() is SFTPProgramLink)
    }

    // MARK: Keys in memory

    @Test func `a key in memory that is none is told before a connection is made, and its source is asked once more`()
        async throws
    {
        let program = try Program(says: ["identityagent none", "identityfile /nowhere"])
        let asked = LockedValue(0)
        var options = Self.options
        options.credentials = AskedCredentials { _, _ in
            asked.update { $0 += 1 }
            return .privateKey(user: "anna", key: Data("no key \(asked.value): \(SFTPFaults.secret)".utf8))
        }
        let error = try await goesByLibrary(program.access(options))
        #expect(error.code == .userAuthenticationRequired)
        #expect(error.sentence == "The data given as the private key of “anna” is not a private key.")
        #expect(asked.value == 2)
    }

    @Test func `without the program ssh's own habits hold, and it is said that the configuration does not`()
        async throws
    {
        let program = try Program(says: [])
        try FileManager.default.removeItem(atPath: program.folder + "/ssh")
        let sentence = try await goesByLibrary(program.access(to: "sftp://127.0.0.1:1/")).sentence
        #expect(!sentence.contains(".ssh/config"))
        try Data("Port 3\n".utf8).write(to: URL(fileURLWithPath: program.folder + "/.ssh/config"))
        let access = try program.access(to: "sftp://127.0.0.1:1/")
        #expect(access.warnings.isEmpty)
        #expect(try await goesByLibrary(access).sentence.contains(".ssh/config"))
        #expect(access.warnings.count == 1)
    }
}

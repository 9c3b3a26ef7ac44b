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

        init(says lines: [String], logsIn: Bool = true) throws {
            try FileManager.default.createDirectory(atPath: folder + "/.ssh", withIntermediateDirectories: true)
            // Nobody listens at port 1: libssh2's way ends there.
            let answer = ["user anna", "hostname 127.0.0.1", "port 1", "stricthostkeychecking ask"] + lines
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
            password: String? = nil,
            _ change: (inout SFTPConfiguration) -> Void = { _ in }
        ) throws -> SFTPAccess {
            var configuration = SFTPConfiguration(baseURL: try #require(URL(string: url)))
            change(&configuration)
            return try SFTPAccess(
                configuration: configuration, password: password, options: options, program: folder + "/ssh",
                environment: ["HOME": folder, "PATH": "/nowhere"])
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

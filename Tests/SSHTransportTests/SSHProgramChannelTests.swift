import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SSHTransport

@Suite(.timeLimit(.minutes(1))) struct SSHProgramChannelTests {
    /// A program in place of ssh, for the shell.
    private func program(_ body: String, idle: Double = 30) -> SSHProgram {
        var program = SSHProgram(host: "books")
        (program.program, program.extra, program.timeouts.idle) = ("/bin/sh", ["-c", body, "ssh"], idle)
        return program
    }

    @discardableResult
    private func start(_ body: String, idle: Double = 30, _ user: ScriptedUser) throws -> SSHProgramChannel {
        let channel = try SSHProgramChannel(program(body, idle: idle), subsystem: "sftp")
        channel.start(user)
        return channel
    }

    private struct Enough: Error {}

    @Test func `bytes go to the program and come back, all of them and in order`() async throws {
        let program = program("exec cat")
        let bytes = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        let holder = LockedValue<SSHProgramChannel?>(nil)
        let user = ScriptedUser(sending: bytes, wanted: bytes.count) { _ in holder.value?.end(with: Enough()) }
        let channel = try SSHProgramChannel(program, subsystem: "sftp")
        holder.update { $0 = channel }
        channel.start(user)
        #expect(await user.end is Enough)
        #expect(user.received == bytes)
        #expect(user.endings == 1)
        #expect(program.counters[.bytesIn] >= Int64(bytes.count) - 1_100_000)
    }

    @Test(arguments: [
        ("OpenSSH_8.2p1 Ubuntu-4ubuntu0.11, OpenSSL 1.1.1f", false), ("OpenSSH_8.5p1", true), ("OpenSSH_10.0p2", true),
        ("x", true),
    ])
    func `an old program is given no option that it does not know`(version: String, isGiven: Bool) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "carrel-ssh-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: file) }
        let script = "#!/bin/sh\nif [ \"$1\" = -V ]; then echo '\(version)' >&2; else echo \"$@\"; fi\n"
        try script.write(to: file, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
        var program = SSHProgram(host: "books")
        (program.program, program.knownHosts) = (file.path, "/hosts")
        let user = ScriptedUser()
        try SSHProgramChannel(program, subsystem: "sftp").start(user)
        _ = await user.end
        let said = String(decoding: user.received, as: UTF8.self)
        #expect(
            said.contains("GlobalKnownHostsFile=none") && said.contains("KnownHostsCommand=none") == isGiven, "\(said)")
    }

    @Test func `the program's last words are in the error`() async throws {
        let user = ScriptedUser()
        try start("echo 'ssh: connect to host books port 22: Connection refused' >&2; exit 255", user)
        let error = await user.end
        #expect((error as? URLError)?.code == .cannotConnectToHost)
        #expect(error.sentence.contains("Connection refused"))
    }

    @Test func `a program that complains without end neither stalls nor fills memory`() async throws {
        let user = ScriptedUser(wanted: 4)
        try start(
            "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo Connection closed by peer >&2; printf done; exit 255",
            user)
        let error = try #require(await user.end as? URLError)
        #expect(user.received == Array("done".utf8))
        #expect(error.code == .networkConnectionLost)
        let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? SSHProgramError)
        #expect(cause.text.utf8.count <= 4200 && cause.text.hasSuffix("Connection closed by peer"))
    }

    @Test func `what came before the end is given before the end`() async throws {
        let user = ScriptedUser(sending: [UInt8](repeating: 1, count: 4_000_000))
        try start("exec 0<&-; head -c 300000 /dev/zero", user)
        #expect((await user.end as? URLError)?.code == .networkConnectionLost)
        #expect(user.received.count == 300_000)
    }

    @Test func `a program that never answers is timed out, and ended with all that it started`() async throws {
        let user = ScriptedUser()
        try start("echo $$; sleep 300 & wait", idle: 2, user)
        #expect((await user.end as? URLError)?.code == .timedOut)
        let text = String(decoding: user.received, as: UTF8.self)
        let group = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        let deadline = ContinuousClock.now + .seconds(10)
        while kill(-group, 0) == 0, ContinuousClock.now < deadline { await Task.yield() }
        #expect(kill(-group, 0) != 0 && errno == ESRCH)
    }

    @Test func `nothing is timed out while nothing is waited for, or the user has no room`() async throws {
        let calm = ScriptedUser(isWaiting: false)
        let full = ScriptedUser(takes: false)
        let channels = try [calm, full].map { try start("printf abc; exec sleep 300", idle: 0.2, $0) }
        try await Task.sleep(for: .seconds(1))
        #expect(calm.endings == 0 && full.endings == 0)
        #expect(full.received.isEmpty)
        full.take()
        channels[1].wake()
        // Now it waits for more, with room for it.
        #expect((await full.end as? URLError)?.code == .timedOut)
        #expect(full.received == Array("abc".utf8))
        channels[0].end(with: Enough())
        #expect(await calm.end is Enough)
    }

    @Test func `an end before the start is told at the start`() async throws {
        let program = program("exec cat")
        let channel = try SSHProgramChannel(program, subsystem: "sftp")
        channel.end(with: Enough())
        channel.end(with: CancellationError())
        let user = ScriptedUser()
        channel.start(user)
        #expect(await user.end is Enough)
        #expect(user.endings == 1)
    }

    @Test func `a missing program ends the channel with a sentence`() async throws {
        var program = SSHProgram(host: "books")
        program.program = "/no/such/ssh"
        let user = ScriptedUser()
        try SSHProgramChannel(program, subsystem: "sftp").start(user)
        let error = await user.end
        #expect(error.isNoSuchFile && error.sentence.contains("/no/such/ssh"))
    }

    @Test func `a command gives its status and both outputs`() async throws {
        let result = try await program("echo out; echo err >&2; exit 3").run("true", limit: 100)
        #expect(result.status == 3)
        #expect(result.output == Array("out\n".utf8) && result.errors == Array("err\n".utf8))
    }

    @Test func `a command that says too much is ended, and one that ssh cannot bring there is an error`() async throws {
        await #expect { try await program("exec cat /dev/zero").run("true", limit: 1000) } throws: {
            ($0 as? URLError)?.code == .dataLengthExceedsMaximum
        }
        await #expect { try await program("echo Permission denied >&2; exit 255").run("true", limit: 10) } throws: {
            ($0 as? URLError)?.code == .userAuthenticationRequired
        }
    }

    @Test func `a cancelled command ends at once`() async throws {
        let folder = try TemporaryFolder()
        let started = folder.url.appending(path: "started").path
        let task = Task { [program = program("touch '\(started)'; exec sleep 300")] in
            try await program.run("true", limit: 10)
        }
        try await eventually { FileManager.default.fileExists(atPath: started) }
        let start = ContinuousClock.now
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}

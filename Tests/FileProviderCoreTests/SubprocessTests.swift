import FileProviderCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct SubprocessTests {
    /// In a process of its own: the environment belongs to all tests.
    @Test func `a child inherits what it needs, and none of our secrets`() async {
        await #expect(processExitsWith: .success) {
            let secrets = [
                "CARREL_PASSWORD", "CARREL_ANYTHING", "SYNC_PAIR_1_PASSWORD", "AWS_ACCESS_KEY_ID",
                "AWS_SECRET_ACCESS_KEY",
                "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "PGPASSWORD",
            ]
            let others = ["SSH_AUTH_SOCK", "AWS_PROFILE", "MY_CARREL_X"]
            for name in secrets + others { setenv(name, "seen", 1) }
            let child = try Subprocess(path: "/usr/bin/env", arguments: [])
            child.closeInput()
            let output = try #require(
                try child.allOutput(atMost: 1 << 20, until: .now + .seconds(30), flag: CancellationFlag()))
            let seen = Set(
                String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap {
                    $0.split(separator: "=").first.map(String.init)
                })
            try #require(seen.isDisjoint(with: secrets))
            try #require(seen.isSuperset(of: others + ["PATH"]))
        }
    }

    @Test func `output that cannot be read is an error, with what the program says of its own end`() throws {
        let child = try Subprocess(
            path: "/bin/sh", arguments: ["-c", "echo sorry >&2; exit 3"], environment: ["PATH=/usr/bin:/bin"],
            reading: FileDescriptor(path: "/dev/null", flags: O_RDONLY), memory: 1 << 30, seconds: 20,
            name: ProviderPath("a.pdf"))
        while !child.isOver() { try child.wait(until: .now + .seconds(20)) }
        // Of a descriptor that is only for writing read(2) makes EBADF.
        let writing = try FileDescriptor(path: "/dev/null", flags: O_WRONLY)
        let copy = dup2(writing.raw, child.output)
        try #require(copy == child.output)
        let error = #expect(throws: CocoaError.self) {
            try child.allOutput(atMost: 1 << 20, until: .now + .seconds(30), flag: CancellationFlag())
        }
        #expect(error?.underlying as? POSIXError == POSIXError(.EBADF))
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == "/a.pdf")
        let sentence = error?.sentence ?? ""
        #expect(
            sentence.contains("a.pdf") && sentence.hasSuffix("The program ended with status 3: sorry"), "\(sentence)")
        #expect(child.end(after: 0) == 3)
    }

    /// As long as another child that was started meanwhile holds it open (execve(2), ETXTBSY).
    @Test func `a program that is still open for writing is waited for`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "carrel-run-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try FileManager.default.copyItem(atPath: "/bin/echo", toPath: path)
        let child: Subprocess
        do {
            let writing = try FileDescriptor(path: path, flags: O_WRONLY)
            child = try Subprocess(path: path, arguments: ["here"])
            child.closeInput()
            try child.wait(until: .now + .milliseconds(100))
            #expect(!child.isOver())
            withExtendedLifetime(writing) {}
        }
        let output = try child.allOutput(atMost: 1 << 10, until: .now + .seconds(30), flag: CancellationFlag())
        #expect(output.map { String(decoding: $0, as: UTF8.self) } == "here\n")
    }

    /// In a process of its own, which may no longer wait for two descriptors: poll(2) makes EINVAL.
    @Test func `a wait that the system refuses is an error, and ends the program`() async {
        await #expect(processExitsWith: .success) {
            let child = try Subprocess(path: "/bin/sleep", arguments: ["600"])
            child.closeInput()
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { exit(3) }
            let error = try #require(throws: CocoaError.self) {
                try child.allOutput(atMost: 1 << 20, until: .now + .seconds(30), flag: CancellationFlag())
            }
            try #require(error.sentence.contains("does not wait for a program"))
            try #require(child.isOver())
        }
    }
}

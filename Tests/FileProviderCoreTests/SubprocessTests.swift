import FileProviderCore
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct SubprocessTests {
    /// In a process of its own: the environment belongs to all tests.
    @Test func `a child inherits what it needs, and none of our secrets`() async {
        await #expect(processExitsWith: .success) {
            let secrets = [
                "CARREL_PASSWORD", "CARREL_ANYTHING", "SYNC_PAIR_1_PASSWORD", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
                "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "PGPASSWORD",
            ]
            let others = ["SSH_AUTH_SOCK", "AWS_PROFILE", "MY_CARREL_X"]
            for name in secrets + others { setenv(name, "seen", 1) }
            let child = try Subprocess(path: "/usr/bin/env", arguments: [])
            child.closeInput()
            let output = try #require(try child.allOutput(atMost: 1 << 20, until: .now + .seconds(30), CancellationFlag()))
            let seen = Set(
                String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap {
                    $0.split(separator: "=").first.map(String.init)
                })
            try #require(seen.isDisjoint(with: secrets))
            try #require(seen.isSuperset(of: others + ["PATH"]))
        }
    }
}

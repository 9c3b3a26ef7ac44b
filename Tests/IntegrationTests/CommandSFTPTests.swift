import Foundation
import Testing

/// The command line on real SFTP servers, as scripts use it.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct CommandSFTPTests {
    @Test(arguments: TestServers.sftp.filter(\.keepsAttributes))
    func `times go along both ways when they are to be kept`(_ server: TestServers.SFTP) async throws {
        try await CommandServer(server).use { runner, folder in
            let time = Date(timeIntervalSince1970: 1_400_000_000)
            try runner.write("a", "hello")
            try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: runner.path("a"))
            #expect(try await runner.run("cp", "--preserve", "a", "\(folder)/a").code == 0)
            #expect(
                try await runner.run("stat", "--json", "\(folder)/a").object["modified"] as? String
                    == "2014-05-13T16:53:20Z")
            #expect(try await runner.run("cp", "--preserve", "\(folder)/a", "b").code == 0)
            #expect(
                try FileManager.default.attributesOfItem(atPath: runner.path("b"))[.modificationDate] as? Date == time)
        }
    }

    @Test(arguments: TestServers.sftp.filter(\.keepsAttributes))
    func `what moves keeps its time and its permissions, both ways`(_ server: TestServers.SFTP) async throws {
        try await CommandServer(server).use { runner, folder in
            let time = Date(timeIntervalSince1970: 1_400_000_000)
            try runner.makeFolder("d")
            try runner.write("d/a", "hello")
            try FileManager.default.setAttributes(
                [.modificationDate: time, .posixPermissions: 0o640], ofItemAtPath: runner.path("d/a"))
            try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: runner.path("d"))
            #expect(try await runner.run("mv", "d", "\(folder)/e").code == 0)
            let there = try await runner.run("stat", "--json", "\(folder)/e/a").object
            #expect(there["modified"] as? String == "2014-05-13T16:53:20Z")
            #expect((there["permissions"] as? String)?.hasSuffix("640") == true)
            let above = try await runner.run("stat", "--json", "\(folder)/e").object
            #expect((above["permissions"] as? String)?.hasSuffix("750") == true)
            #expect(try await runner.run("mv", "\(folder)/e", "back").code == 0)
            let back = try FileManager.default.attributesOfItem(atPath: runner.path("back/a"))
            #expect(back[.modificationDate] as? Date == time && back[.posixPermissions] as? Int == 0o640)
            let around = try FileManager.default.attributesOfItem(atPath: runner.path("back"))
            #expect(around[.posixPermissions] as? Int == 0o750)
        }
    }

    /// `CARREL_STRESS=1` takes a GiB.
    @Test(arguments: TestServers.sftp)
    func `memory does not grow with the file`(_ server: TestServers.SFTP) async throws {
        let megabytes = TestServers.environment["CARREL_STRESS"] != nil ? 1024 : 96
        try await CommandServer(server).use { runner, folder in
            for (number, line) in [
                "head -c \(megabytes)M /dev/zero | /usr/bin/time -o peak -f %M \"$CARREL\" cp - \(folder)/big",
                "/usr/bin/time -o peak -f %M \"$CARREL\" cp \(folder)/big big",
                "/usr/bin/time -o peak -f %M \"$CARREL\" cp big \(folder)/again",
            ].enumerated() {
                let outcome = try await runner.shell("set -o pipefail; \(line)")
                #expect(outcome.code == 0, "\(outcome.error)")
                let peak = try #require(Int(runner.read("peak").trimmingCharacters(in: .whitespacesAndNewlines)))
                #expect(peak <= 64 << 10, "\(number): \(peak) KiB")
            }
            #expect(
                try FileManager.default.attributesOfItem(atPath: runner.path("big"))[.size] as? Int == megabytes << 20)
        }
    }
}

import FaultServer
import Foundation
import Testing

/// `cp` into a folder that may be written and not read.
@Suite struct CommandDropBoxTests {
    @Test(arguments: [403, 405])
    func `a copy that nobody can look at is told as not verified`(_ status: Int) async throws {
        let server = try FaultServer { request in
            ["PUT", "MOVE"].contains(request.method) ? .reply(201) : .reply(status)
        }
        defer { server.stop() }
        let folder = server.url("dav").absoluteString + "drop/"
        try await CommandRunner.use { runner in
            try runner.write("f", "content")
            for (flags, target) in [([], folder), (["--in-place"], folder), (["--overwrite"], folder + "f")] {
                let outcome = try await runner.run(["cp", "--json"] + flags + ["f", target])
                #expect(outcome.code == 0, Comment(rawValue: outcome.error))
                #expect(outcome.object["copied"] as? Int == 1 && outcome.object["bytes"] as? Int == 7)
                #expect(outcome.object["verified"] as? Bool == false)
            }
            let piped = try await runner.run("cp", "--json", "-", folder + "g", input: Data("content".utf8))
            #expect(piped.code == 0 && piped.object["verified"] as? Bool == false && piped.object["bytes"] as? Int == 7)
            let inPlace = server.requests.filter { $0.method == "PUT" && $0.target == "/drop/f" }
            #expect(inPlace.map(\.body) == [Data("content".utf8)])
            // What was seen says nothing more.
            let seen = try await runner.run("cp", "--json", "f", "copy")
            #expect(seen.code == 0 && seen.object["verified"] == nil)
        }
    }

    @Test func `a refusal of the server is told of the target`() async throws {
        let server = try FaultServer { request in
            request.method == "PUT" ? .reply(409) : .reply(request.method == "PROPFIND" ? 403 : 201)
        }
        defer { server.stop() }
        let target = server.url("dav").absoluteString + "f"
        try await CommandRunner.use { runner in
            try runner.write("f", "content")
            let outcome = try await runner.run("cp", "f", target)
            #expect(outcome.code == 1)
            #expect(outcome.error == "carrel: cp \(target): The server answered PUT of “/f” with 409 Conflict.\n")
        }
    }
}

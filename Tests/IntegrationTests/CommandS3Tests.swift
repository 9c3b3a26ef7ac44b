import Carrel
import Foundation
import Testing

/// `carrel` with `s3:` locations.
@Suite(.enabled(if: TestServers.s3 != nil, "there is no S3 server in this run"))
struct CommandS3Tests {
    @Test func `a file goes up, is moved, comes back, and its folder goes`() async throws {
        let server = try #require(TestServers.s3)
        guard case .password(let key, let secret) = server.credential.kind else {
            Issue.record("The login is another.")
            return
        }
        try await CommandRunner.use { runner in
            runner.environment["AWS_ACCESS_KEY_ID"] = key
            runner.environment["AWS_SECRET_ACCESS_KEY"] = secret
            let folder = "s3://\(server.bucket)/command-\(UInt64.random(in: 0 ... .max))"
            let location = ["--endpoint", server.endpoint.absoluteString]
            try runner.write("a.txt", "hello")
            #expect(try await runner.run(["mkdir", folder] + location).code == 0)
            #expect(try await runner.run(["cp", "a.txt", folder + "/"] + location).code == 0)
            #expect(try await runner.run(["mv", folder + "/a.txt", folder + "/b%20c.txt"] + location).code == 0)
            runner.environment["AWS_ENDPOINT_URL"] = server.endpoint.absoluteString
            #expect(try await runner.run(["ls", folder]).text == "b c.txt\n")
            #expect(try await runner.run(["cat", folder + "/b%20c.txt"]).text == "hello")
            #expect(try await runner.run(["rm", "-r", folder]).code == 0)
            #expect(try await runner.run(["ls", folder]).code == 3)

            runner.environment["AWS_SECRET_ACCESS_KEY"] = "hush-hush"
            let refused = try await runner.run(["ls", folder])
            #expect(refused.code == 4)
            #expect(!refused.error.contains("hush"))
        }
    }
}

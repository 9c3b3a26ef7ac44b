import Foundation
import Testing

/// What the command line says of FTP servers that refuse it, and of secrets.
@Suite(.serialized, .enabled(if: !TestServers.ftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct CommandFTPTests {
    @Test(
        arguments: TestServers.ftp.filter { $0.program != "Pure-FTPd" }
            + TestServers.ftpes.filter { $0.program != "Pure-FTPd" })
    func `refusals are exit code 4, and no secret is shown`(_ server: TestServers.FTP) async throws {
        try await CommandRunner.use { runner in
            let url = server.url.absoluteString
            let location = url.replacingOccurrences(of: "://", with: "://reader:SECRET@") + "a"
            let trust = ["--cacert", TestServers.environment["CARREL_TEST_CA"] ?? ""]
            let outcome = try await runner.run(
                ["ls", "--json", "--verbose", "--stats", "--retries", "0"] + trust + [location])
            #expect(outcome.code == 4, "\(outcome.error)")
            #expect(!outcome.error.contains("SECRET") && !outcome.text.contains("SECRET"))
            if server.security != .clear {
                runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
                expectFailure(try await runner.run("ls", "--user", "reader", url), 4, "certificate")
                let insecure = try await runner.run("ls", "--insecure", "--user", "reader", url)
                #expect(
                    insecure.code == 0
                        && insecure.errorLines.first == "carrel: WARNING: certificates are not checked (--insecure).")
            }
        }
    }

    @Test(arguments: TestServers.ftp)
    func `a password in the URL is sent, and shown nowhere`(_ server: TestServers.FTP) async throws {
        try await CommandRunner.use { runner in
            let password = TestServers.environment["CARREL_TEST_PASSWORD"] ?? ""
            let encoded = try #require(password.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let url = server.url.absoluteString.replacingOccurrences(of: "://", with: "://reader:\(encoded)@")
            for location in [url, "\(url)/", "\(url)~/", "\(url).."] {
                let outcome = try await runner.run("ls", "--json", "--verbose", "--stats", location)
                if !location.hasSuffix("..") { #expect(outcome.code == 0, "\(outcome.error)") }
                for secret in [password, encoded] { #expect(!(outcome.error + outcome.text).contains(secret)) }
            }
            expectFailure(try await runner.run("stat", "\(url)no-such-file"), 3)
        }
    }
}

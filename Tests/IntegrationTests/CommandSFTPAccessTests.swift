import Foundation
import Testing

/// How the command line logs in over SSH, whom it trusts, and what it says where that fails.
@Suite(.serialized, .enabled(if: !TestServers.sftp.isEmpty, "the servers are not up; run bash Tests/run.sh"))
struct CommandSFTPAccessTests {
    private static let password = TestServers.environment["CARREL_TEST_PASSWORD"] ?? ""

    /// A runner that knows the server's keys by its own `~/.ssh/known_hosts`, and the server.
    private func use(_ name: String, _ body: (inout CommandRunner, TestServers.SFTP) async throws -> Void) async throws
    {
        let server = try TestServers.sftp(name)
        try await CommandRunner.use { runner in
            try runner.makeFolder(".ssh")
            try runner.write(".ssh/known_hosts", try server.knownHosts())
            try await body(&runner, server)
        }
    }

    /// Every line that is written has to be free of these.
    private func expectNoSecret(_ outcome: CommandRunner.Outcome, secrets: [String]) {
        for secret in secrets where !secret.isEmpty { #expect(!(outcome.error + outcome.text).contains(secret)) }
    }

    @Test(arguments: TestServers.sftpNames)
    func `a password in the URL is sent, and shown nowhere`(_ name: String) async throws {
        try await use(name) { runner, server in
            let encoded = try #require(Self.password.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let url = server.url.absoluteString.replacingOccurrences(of: "reader@", with: "reader:\(encoded)@")
            let outcome = try await runner.run("ls", "--json", "--verbose", "--stats", url)
            #expect(outcome.code == 0, "\(outcome.error)")
            expectNoSecret(outcome, secrets: [Self.password, encoded])
            let missing = try await runner.run("stat", "--verbose", "\(url)no-such-file")
            #expect(missing.code == 3)
            expectNoSecret(missing, secrets: [Self.password, encoded])
            let wrong = url.replacingOccurrences(of: ":\(encoded)@", with: ":SECRET@")
            let refused = try await runner.run("ls", "--json", "--verbose", "--stats", "--retries", "0", wrong)
            #expect(refused.code == 4, "\(refused.error)")
            expectNoSecret(refused, secrets: ["SECRET"])
        }
    }

    @Test func `host keys are refused, pinned and accepted as the flags say`() async throws {
        try await use("OpenSSH") { runner, server in
            runner.environment["CARREL_PASSWORD"] = Self.password
            let url = server.url.absoluteString
            #expect(try await runner.run("ls", url).code == 0)
            let known = try runner.read(".ssh/known_hosts")
            let shown = try await runner.shell("ssh-keygen -l -f .ssh/known_hosts").text
            let fingerprints = shown.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix("SHA256:") }.map(
                String.init)
            let pins = fingerprints.flatMap { ["--host-key", $0] }
            #expect(try await runner.run(["ls"] + pins + [url]).code == 0)
            expectFailure(
                try await runner.run("ls", "--host-key", "SHA256:" + String(repeating: "A", count: 43), url), 4,
                "SHA256:")
            // Nothing is known; what comes to be known is to be read here, whatever the system's configuration says.
            try runner.write(".ssh/known_hosts", "")
            try runner.write(".ssh/config", "HashKnownHosts no\n")
            expectFailure(try await runner.run("ls", url), 4, "SHA256:")
            #expect(try await runner.run(["ls"] + pins + [url]).code == 0)
            expectFailure(try await runner.run("ls", "--known-hosts", "none", url), 4, "is not known")
            try runner.write("hosts", known)
            #expect(try await runner.run("ls", "--known-hosts", "hosts", url).code == 0)
            #expect(try await runner.run("ls", "--accept-new-host-key", url).code == 0)
            #expect(try runner.read(".ssh/known_hosts").hasPrefix("[127.0.0.1]:\(server.port) "))
            #expect(try await runner.run("ls", url).code == 0)
            // Another key is known.
            #expect(try await runner.shell("ssh-keygen -q -t ed25519 -N '' -C '' -f other").code == 0)
            try runner.write(".ssh/known_hosts", "[127.0.0.1]:\(server.port) \(try runner.read("other.pub"))")
            expectFailure(try await runner.run("ls", "--accept-new-host-key", url), 4, "SHA256:")
            // Which is about certificates alone.
            let insecure = try await runner.run("ls", "--insecure", url)
            #expect(insecure.code == 4 && insecure.error.contains("SHA256:"), "\(insecure.error)")
        }
    }

    @Test(arguments: TestServers.sftpNames)
    func `keys log in by flags`(_ name: String) async throws {
        try await use(name) { runner, server in
            let url = server.url.absoluteString
            for key in ["ED25519", "ECDSA"] {
                let outcome = try await runner.run("ls", "--verbose", "--identity", try TestServers.sshKey(key), url)
                #expect(outcome.code == 0, "\(outcome.error)")
            }
            expectFailure(
                try await runner.run("ls", "--identity", try TestServers.sshKey("ENCRYPTED"), url), 4, "encrypted")
            expectFailure(try await runner.run("ls", "--identity", "missing", url), 2, "missing")
            expectFailure(try await runner.run("ls", "--retries", "0", url), 4, "reader")
        }
    }

    @Test func `a private agent logs in`() async throws {
        try await use("OpenSSH") { runner, server in
            runner.environment["SSH_ASKPASS_REQUIRE"] = "never"
            runner.environment["KEY"] = try TestServers.sshKey("ED25519")
            runner.environment["CONFIG_AGENT"] = runner.path("agent")
            let url = server.url.absoluteString
            let script = """
                set -e
                cp "$KEY" key; chmod 600 key
                ssh-agent -D -a "$CONFIG_AGENT" </dev/null >/dev/null 2>&1 &
                agent=$!
                # Not by a signal that may be held back since before the test.
                trap 'kill -KILL $agent' EXIT
                until [ -S "$CONFIG_AGENT" ]; do sleep 0.05; done
                export SSH_AUTH_SOCK=$CONFIG_AGENT
                for number in 1 2 3; do ssh-keygen -q -t ed25519 -N '' -C '' -f "other$number"; ssh-add -q "other$number"; done
                "$CARREL" ls "\(url)" 2>no-key && exit 10
                ssh-add -q key
                "$CARREL" ls "\(url)"
                unset SSH_AUTH_SOCK
                "$CARREL" ls "\(url)" 2>no-agent && exit 11
                mkdir -p -m 700 .ssh
                printf 'Host *\\n  IdentityAgent %s\\n' "$CONFIG_AGENT" >.ssh/config
                "$CARREL" ls "\(url)"
                printf 'Host *\\n  IdentityAgent %s\\n  IdentitiesOnly yes\\n  IdentityFile ~/other1\\n' "$CONFIG_AGENT" >.ssh/config
                "$CARREL" ls "\(url)" 2>only && exit 12
                true
                """
            let outcome = try await runner.shell(script)
            #expect(outcome.code == 0, "\(outcome.error)")
            for name in ["no-key", "no-agent", "only"] {
                let text = try runner.read(name)
                #expect(text.hasPrefix("carrel: ls ") && text.contains("reader"), "\(name): \(text)")
            }
        }
    }

    @Test func `an alias of the configuration of ssh is followed`() async throws {
        try await use("OpenSSH") { runner, server in
            try FileManager.default.moveItem(atPath: runner.path(".ssh/known_hosts"), toPath: runner.path("hosts"))
            try runner.makeFolder(".ssh/more")
            try runner.write(".ssh/config", "Include \(runner.path(".ssh/more"))/*.conf\nHost *\n  User nobody\n")
            let key = try TestServers.sshKey("ED25519")
            try runner.write(
                ".ssh/more/shelf.conf",
                """
                Host shelf
                  HostName 127.0.0.1
                  Port \(server.port)
                  User reader
                  IdentityFile \(key)
                  IdentitiesOnly yes
                  UserKnownHostsFile ~/hosts
                """)
            let path = server.url.path(percentEncoded: true)
            let outcome = try await runner.run("ls", "--verbose", "sftp://shelf\(path)")
            #expect(outcome.code == 0, "\(outcome.error)")
            // The URL's own user goes before.
            expectFailure(try await runner.run("ls", "sftp://nobody@shelf\(path)"), 4, "nobody")
            expectFailure(
                try await runner.run(
                    "ls", "--setting", "config=no", "--retries", "0", "sftp://reader:x@shelf.invalid\(path)"), 6)
            expectFailure(
                try await runner.run("ls", "--setting", "transport=pigeon", "sftp://shelf\(path)"), 1, "pigeon")
        }
    }

    @Test func `a host that the configuration reaches by a command is reached, and the command sees no secret`()
        async throws
    {
        try await use("OpenSSH") { runner, server in
            let key = try TestServers.sshKey("ED25519")
            let way = "env >\(runner.path("seen")); exec 3<>/dev/tcp/127.0.0.1/\(server.port); cat <&3 & exec cat >&3"
            try runner.write(
                ".ssh/config",
                """
                Host shelf
                  HostName 127.0.0.1
                  Port \(server.port)
                  User reader
                  IdentityFile \(key)
                  IdentitiesOnly yes
                  ProxyCommand /bin/bash -c '\(way)'
                """)
            runner.environment["CARREL_PASSWORD"] = "SECRET"
            runner.environment["AWS_SECRET_ACCESS_KEY"] = "SECRET"
            let path = server.url.path(percentEncoded: true)
            let outcome = try await runner.run("ls", "sftp://shelf\(path)")
            #expect(outcome.code == 0, "\(outcome.error)")
            let seen = try runner.read("seen")
            #expect(seen.contains("PATH=") && !seen.contains("SECRET"))
            // By libssh2 nothing gets there by that way, and the error says what was not followed.
            try runner.write("seen", "")
            let direct = try await runner.run(
                "ls", "--setting", "transport=libssh2", "--retries", "0", "sftp://nobody@shelf\(path)")
            #expect(direct.code == 4 && direct.error.contains("on the way"), "\(direct.error)")
            #expect(try runner.read("seen").isEmpty)
        }
    }

    @Test func `an RSA key of the agent logs in, by the ssh program where libssh2 is too old`() async throws {
        try await use("OpenSSH") { runner, server in
            runner.environment["KEY"] = try TestServers.sshKey("RSA")
            runner.environment["CONFIG_AGENT"] = runner.path("agent")
            let url = server.url.absoluteString
            let script = """
                set -e
                cp "$KEY" key; chmod 600 key
                ssh-agent -D -a "$CONFIG_AGENT" </dev/null >/dev/null 2>&1 &
                agent=$!
                trap 'kill -KILL $agent' EXIT
                until [ -S "$CONFIG_AGENT" ]; do sleep 0.05; done
                export SSH_AUTH_SOCK=$CONFIG_AGENT
                ssh-add -q key; rm key
                "$CARREL" ls "\(url)"
                "$CARREL" ls --setting config=no "\(url)"
                "$CARREL" ls --setting transport=libssh2 "\(url)" 2>library || true
                """
            let outcome = try await runner.shell(script)
            #expect(outcome.code == 0, "\(outcome.error)")
            let library = try runner.read("library")
            #expect(library.isEmpty || library.contains("SHA-1"), "\(library)")
        }
    }
}

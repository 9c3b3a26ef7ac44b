import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

@Suite struct SSHProgramTests {
    @Test func `nothing is asked of a person, and nothing of the configuration's forwardings is begun`() throws {
        var program = SSHProgram(host: "books")
        program.timeouts.connect = 7.2
        let arguments = try program.arguments(subsystem: "sftp")
        for option in [
            "BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=8", "ClearAllForwardings=yes",
            "PermitLocalCommand=no",
        ] {
            #expect(arguments.contains("-o" + option))
        }
        #expect(arguments.suffix(4) == ["-s", "--", "books", "sftp"])
        #expect(
            !arguments.contains("-p") && !arguments.contains("-l")
                && !arguments.contains { $0.contains("IdentitiesOnly") })
    }

    @Test func `what is set goes to ssh, the caller's options first`() throws {
        var program = SSHProgram(host: "books")
        (program.user, program.port, program.identities) = ("reader", 2222, ["/keys/50%"])
        (program.knownHosts, program.acceptsNewHosts, program.configuration) = ("/my hosts", true, "/dev/null")
        program.extra = ["-o", "BatchMode=no"]
        let arguments = try program.arguments(command: "true")
        #expect(arguments.prefix(4) == ["-o", "BatchMode=no", "-F", "/dev/null"])
        for pair in [["-p", "2222"], ["-l", "reader"], ["-i", "/keys/50%%"]] {
            #expect(arguments.firstRange(of: pair) != nil)
        }
        for option in ["StrictHostKeyChecking=accept-new", "UserKnownHostsFile=\"/my hosts\"", "IdentitiesOnly=yes"] {
            #expect(arguments.contains("-o" + option))
        }
        #expect(arguments.suffix(3) == ["--", "books", "true"])
    }

    @Test(arguments: [
        "", "-oProxyCommand=id", "a b", "a;b", "$(id)", "`id`", "user@host", "ssh://host", "a\nb", "a|b", "'a'",
    ])
    func `a host that ssh or a shell may take for more is refused, and so is a user`(word: String) {
        #expect { try SSHProgram(host: word).arguments(subsystem: "sftp") } throws: {
            ($0 as? URLError)?.code == .badURL
        }
        var program = SSHProgram(host: "books")
        // An account of a domain may have an “@”.
        program.user = word.replacing("@", with: "\\") + "\\"
        #expect { try program.arguments(subsystem: "sftp") } throws: { ($0 as? URLError)?.code == .badURL }
    }

    @Test(arguments: ["books.example", "10.0.0.1", "fe80::1%eth0", "böcher", "my_alias-1"])
    func `names, addresses and aliases are taken`(host: String) throws {
        #expect(try SSHProgram(host: host).arguments(subsystem: "sftp").contains(host))
    }

    @Test(arguments: [
        ("ssh: connect to host books port 22: Connection refused", URLError.Code.cannotConnectToHost),
        ("ssh: Could not resolve hostname books: Name or service not known", .cannotFindHost),
        ("ssh: connect to host books port 22: Connection timed out", .timedOut),
        ("reader@books: Permission denied (publickey).", .userAuthenticationRequired),
        (
            "No ED25519 host key is known for books and you have requested strict checking.\r\nHost key verification failed.",
            .serverCertificateHasUnknownRoot
        ),
        (
            "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nHost key verification failed.",
            .serverCertificateUntrusted
        ),
        ("Unable to negotiate with 10.0.0.1 port 22: no matching host key type found.", .secureConnectionFailed),
        ("subsystem request failed on channel 0", .resourceUnavailable),
        ("client_loop: send disconnect: Broken pipe", .networkConnectionLost),
        ("something new", .cannotConnectToHost),
    ])
    func `ssh's last words become Foundation's error`(words: String, code: URLError.Code) throws {
        let error = try #require(SSHProgram(host: "books").error(status: 255, errors: Array(words.utf8)) as? URLError)
        #expect(error.code == code)
        #expect(error.sentence.contains("books"))
        #expect((error.userInfo[NSUnderlyingErrorKey] as? SSHProgramError)?.status == 255)
    }

    @Test func `a program that is not there is told as such`() {
        var program = SSHProgram(host: "books")
        for name in ["no-such-ssh-program", "/no/such/ssh"] {
            program.program = name
            #expect { try program.path() } throws: { $0.isNoSuchFile && $0.sentence.contains(name) }
        }
    }

    @Test(arguments: ["reader@example.org", "EXAMPLE\\reader", "reader"]) func `accounts of domains are taken`(
        user: String
    ) throws {
        var program = SSHProgram(host: "books")
        program.user = user
        #expect(try program.arguments(subsystem: "sftp").firstRange(of: ["-l", user]) != nil)
        program.user = user + "\\"
        #expect { try program.arguments(subsystem: "sftp") } throws: { ($0 as? URLError)?.code == .badURL }
    }

    @Test func `a silent server is asked whether it is there, unless the configuration says when`() throws {
        var program = SSHProgram(host: "books")
        program.timeouts = Timeouts(connect: .infinity, idle: 300)
        let arguments = try program.arguments(subsystem: "sftp")
        for option in ["ServerAliveInterval=30", "ServerAliveCountMax=11", "ConnectTimeout=1000000"] {
            #expect(arguments.contains("-o" + option))
        }
        program.keepsAlive = false
        program.timeouts.connect = .nan
        let others = try program.arguments(subsystem: "sftp")
        #expect(others.contains("-oConnectTimeout=1") && !others.contains { $0.contains("ServerAlive") })
    }

    @Test func `once something has come, words about a login are somebody else's`() {
        let words = Array("bash: /tmp/x: Permission denied\nConnection to books closed by remote host.".utf8)
        let program = SSHProgram(host: "books")
        #expect((program.error(status: 255, errors: words) as? URLError)?.code == .userAuthenticationRequired)
        #expect(
            (program.error(status: 255, errors: words, hasReceived: true) as? URLError)?.code == .networkConnectionLost)
    }

    @Test func `a refused login says what would do, and a changed key is told with the known one`() throws {
        let refusal = SSHProgram(host: "books").error(
            status: 255, errors: Array("reader@books: Permission denied (publickey).".utf8))
        #expect(refusal.sentence.contains("cannot be given a password"))
        let file = FileManager.default.temporaryDirectory.appending(
            path: "carrel-hosts-\(UInt64.random(in: 0 ... .max))")
        defer { try? FileManager.default.removeItem(at: file) }
        let blob: [UInt8] =
            [0, 0, 0, 11] + Array("ssh-ed25519".utf8) + [0, 0, 0, 32] + [UInt8](repeating: 7, count: 32)
        let known = try #require(HostKey(blob: blob))
        try "other ssh-ed25519 AAAA\nbooks ssh-ed25519 \(known.base64)\n".write(
            to: file, atomically: true, encoding: .utf8)
        let shown = "SHA256:" + String(repeating: "A", count: 43)
        let words = """
            @    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @
            The fingerprint for the ED25519 key sent by the remote host is
            \(shown).
            Please contact your system administrator.
            Add correct host key in \(file.path) to get rid of this message.
            Offending ED25519 key in \(file.path):2
              remove with:
              ssh-keygen -f "\(file.path)" -R "books"
            Host key for books has changed and you have requested strict checking.
            Host key verification failed.
            """
        var program = SSHProgram(host: "books")
        program.knownHostsInUse = KnownHosts(userFiles: [file.path], systemFiles: [])
        let error = program.error(status: 255, errors: Array(words.utf8))
        #expect((error as? URLError)?.code == .serverCertificateUntrusted)
        for part in [shown, known.fingerprint, "\(file.path):2"] {
            #expect(error.sentence.contains(part), "\(error.sentence)")
        }
    }

    /// Each is a line that a server may send as its banner.
    @Test(.timeLimit(.minutes(1)), arguments: ["pipe", "key", "/dev/zero"])
    func `a banner cannot have other files opened than those of known hosts`(name: String) throws {
        let folder = try ScratchFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        let blob: [UInt8] =
            [0, 0, 0, 11] + Array("ssh-ed25519".utf8) + [0, 0, 0, 32] + [UInt8](repeating: 7, count: 32)
        let key = try #require(HostKey(blob: blob))
        _ = try folder.file("key", "books ssh-ed25519 \(key.base64)\n")
        let path = name.hasPrefix("/") ? name : folder.path + "/" + name
        let words = Array("Offending ED25519 key in \(path):1\na\nb\nHost key verification failed.".utf8)
        var program = SSHProgram(host: "books")
        #expect(!program.error(status: 255, errors: words).sentence.contains(key.fingerprint))
        // In use, but nothing to read without an end.
        program.knownHostsInUse = KnownHosts(userFiles: [path], systemFiles: [])
        #expect(program.error(status: 255, errors: words).sentence.contains(key.fingerprint) == (name == "key"))
    }

    @Test func `a line far into a large file is found without all of it in memory`() throws {
        let folder = try ScratchFolder()
        let file = try folder.file("hosts", String(repeating: "x\n", count: 100_000) + "the line\nrest")
        #expect(try KnownHostsFile.line(100_001, of: file).map { String(decoding: $0, as: UTF8.self) } == "the line")
        #expect(try KnownHostsFile.line(100_002, of: file).map { String(decoding: $0, as: UTF8.self) } == "rest")
        #expect(try KnownHostsFile.line(100_003, of: file) == nil)
        let long = try folder.file("long", String(repeating: "y", count: 1 << 20))
        #expect(try KnownHostsFile.line(1, of: long)?.count == 64 << 10)
    }
}

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
            "BatchMode=yes", "StrictHostKeyChecking=yes", "ConnectTimeout=8", "ClearAllForwardings=yes", "PermitLocalCommand=no",
        ] {
            #expect(arguments.contains("-o" + option))
        }
        #expect(arguments.suffix(4) == ["-s", "--", "books", "sftp"])
        #expect(!arguments.contains("-p") && !arguments.contains("-l") && !arguments.contains { $0.contains("IdentitiesOnly") })
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

    @Test(arguments: ["", "-oProxyCommand=id", "a b", "a;b", "$(id)", "`id`", "user@host", "ssh://host", "a\nb", "a|b", "'a'"])
    func `a host that ssh or a shell may take for more is refused, and so is a user`(word: String) {
        #expect { try SSHProgram(host: word).arguments(subsystem: "sftp") } throws: { ($0 as? URLError)?.code == .badURL }
        var program = SSHProgram(host: "books")
        program.user = word
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
        ("@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\r\nHost key verification failed.", .serverCertificateUntrusted),
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
}

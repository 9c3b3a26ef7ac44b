import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

/// What is read of ssh's configuration where the ssh program is not installed, or must not run.
struct SSHConfigTests {
    static let account = SSHAccount(
        home: "/home/reader", user: "reader", identifier: 1000, hostName: "desk.example", environment: ["AGENT": "/run/agent"])

    private func settings(
        _ text: String, host: String = "foo", user: String? = nil, port: Int? = nil, system: String? = nil
    ) throws -> SSHHostSettings {
        let folder = try ScratchFolder()
        let users = try folder.file("config", text)
        let machine = try system.map { try folder.file("ssh_config", $0) }
        return try SSHConfig(userFile: users, systemFile: machine, account: Self.account).settings(host: host, user: user, port: port)
    }

    @Test func `without a word, ssh's own habits hold`() throws {
        let found = try settings("", host: "Foo")
        #expect(found.host == "Foo" && found.hostName == "foo" && found.port == 22 && found.user == "reader")
        #expect(found.identityFiles.first == "/home/reader/.ssh/id_ed25519")
        #expect(found.identityAgent == .usual && !found.identitiesOnly && !found.hashKnownHosts)
        #expect(found.knownHosts.userFiles == ["/home/reader/.ssh/known_hosts", "/home/reader/.ssh/known_hosts2"])
        #expect(found.hostKeyPolicy == .strict && !found.needsSSHProgram && found.connectTimeout == nil && found.notes == [])
    }

    @Test func `the first value wins, the typed one before all, the machine's last`() throws {
        let text = "Host foo\n Port 2\nHost *\n Port 3\n User a\n"
        let found = try settings(text, system: "Port 4\nUser b\nHostName real\n")
        #expect(found.port == 2 && found.user == "a" && found.hostName == "real")
        let typed = try settings(text, user: "c", port: 9)
        #expect(typed.port == 9 && typed.user == "c")
    }

    @Test(arguments: [
        ("Host foo", true), ("Host bar foo", true), ("Host f?o", true), ("Host f*", true), ("Host Foo", false), ("Host bar", false),
        ("Host * !foo", false), ("Host !foo *", false), ("Host !bar", false), ("Host !bar *", true), ("Host \"foo\"", true),
        ("HOST=foo", true), ("host = 'foo'", true), ("Host bar # foo", false), ("\tHost\tfoo \r", true),
    ])
    func `a block counts for the hosts that it names`(block: String, counts: Bool) throws {
        #expect(try settings("\(block)\nPort 7\n").port == (counts ? 7 : 22))
    }

    @Test func `keys gather, each once, with what is known of their tokens`() throws {
        let text = """
            IdentityFile ~/.ssh/%h_%r_%p
            IdentityFile "a b"
            IdentityFile none
            IdentityFile %d/%u/%i/%n/%L/%l/%k%%
            IdentityFile ${AGENT}/x
            IdentityFile ~/%C
            HostName %h.example
            Port 5
            """
        let found = try settings(text)
        #expect(
            found.identityFiles == [
                "/home/reader/.ssh/foo.example_reader_5", "a b", "/home/reader/reader/1000/foo/desk/desk.example/foo%", "/run/agent/x",
            ])
        #expect(found.notes.count == 1 && found.notes.first?.contains("config:6") == true, "\(found.notes)")
    }

    @Test(arguments: [
        "Match exec \"touch FOLDER\"", "Match host foo", "Include /etc/pass*", "HostName %z", "IdentityFile ~/%C", "ProxyJump a",
        "ProxyCommand nc %h %p", "RevokedHostKeys /k", "UserKnownHostsFile /k", "IdentitiesOnly yes", "StrictHostKeyChecking accept-new",
    ])
    func `what could matter and is not followed is named, with its place, and only where it counts`(line: String) throws {
        let found = try settings("\n\(line)\n")
        #expect(found.notes.count == 1 && found.notes[0].contains("config:2"), "\(found.notes)")
        if !line.hasPrefix("Match") { #expect(try settings("Host bar\n\(line)\n").notes.isEmpty) }
        let refusal = found.noted(FileError.make(.cannotFindHost, url: nil, sentence: "No."))
        #expect(refusal.code == .cannotFindHost && refusal.sentence.hasPrefix("No. ") && refusal.sentence.contains("config:2"))
    }

    @Test func `a file within the file that is not there does not matter`() throws {
        #expect(try settings("Include none/*.conf\nInclude /nowhere/*\n").notes.isEmpty)
    }

    @Test(arguments: ["Port abc", "Port 0", "Port 65536", "Port", "Port 1 2", "User \"a", "User 'a", "HostName \"\"", "User a\0b"])
    func `a value that ssh refuses is told with its place, and only where it counts`(line: String) throws {
        let error = #expect(throws: CocoaError.self) { try settings("\n\(line)\n") }
        #expect(error?.code == .fileReadCorruptFile && error?.sentence.contains("config:2") == true)
        #expect(try settings("Host bar\n\(line)\n").port == 22)
    }

    @Test(arguments: ["", "-oProxyCommand=x", "a b", "a\nb", "a\0", String(repeating: "a", count: 256)])
    func `what is no host is none`(host: String) {
        #expect(throws: URLError.self) { try settings("", host: host) }
    }

    @Test func `a file that others may change, or that is too large, is an error; a missing one is not`() throws {
        let folder = try ScratchFolder()
        let config = try folder.file("config", "Port 5\n")
        let reader = SSHConfig(userFile: config, systemFile: nil, account: Self.account)
        #expect(try reader.settings(host: "foo").port == 5)
        #expect(chmod(config, 0o664) == 0)
        #expect { try reader.settings(host: "foo") } throws: { ($0 as? CocoaError)?.code == .fileReadNoPermission }
        let large = try folder.file("large", String(repeating: "# nothing\n", count: 110_000))
        #expect { try SSHConfig(userFile: large, systemFile: nil, account: Self.account).settings(host: "foo") } throws: {
            ($0 as? CocoaError)?.code == .fileReadTooLarge
        }
        let missing = SSHConfig(userFile: folder.path + "/none", systemFile: nil, account: Self.account)
        #expect(try missing.settings(host: "foo").port == 22)
    }
}

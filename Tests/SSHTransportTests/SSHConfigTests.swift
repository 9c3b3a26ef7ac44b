import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

/// Files that are only in memory.
struct ConfigFiles: SSHConfigSource {
    var files: [String: String] = [:]

    func bytes(_ path: String, isUsers: Bool) throws -> [UInt8]? { files[path].map { Array($0.utf8) } }

    /// A star at the end is all that is understood.
    func files(matching pattern: String) -> [String] {
        pattern.hasSuffix("*") ? files.keys.filter { $0.hasPrefix(pattern.dropLast()) }.sorted() : [pattern]
    }
}

/// The settings by a configuration's text.
func settings(
    _ text: String, host: String = "foo", user: String? = nil, port: Int? = nil, system: String? = nil, others: [String: String] = [:]
) throws -> SSHHostSettings {
    let account = SSHConfigAccount(
        home: "/home/reader", user: "reader", identifier: 1000, hostName: "desk.example", environment: ["AGENT": "/run/agent"])
    var files = others
    files["/home/reader/.ssh/config"] = text
    files["/etc/ssh/ssh_config"] = system
    let config = SSHConfig(
        userFile: "/home/reader/.ssh/config", systemFile: "/etc/ssh/ssh_config", account: account, source: ConfigFiles(files: files))
    return try config.settings(host: host, user: user, port: port)
}

struct SSHConfigTests {
    @Test
    func `without a word, ssh's own habits hold`() throws {
        let found = try settings("", host: "Foo")
        #expect(found.host == "Foo" && found.hostName == "foo" && found.port == 22 && found.user == "reader")
        #expect(found.identityFiles.first == "/home/reader/.ssh/id_ed25519" && !found.hasOwnIdentityFiles)
        #expect(found.identityAgent == .usual && !found.identitiesOnly && !found.hashKnownHosts)
        #expect(found.knownHosts.userFiles == ["/home/reader/.ssh/known_hosts", "/home/reader/.ssh/known_hosts2"])
        #expect(found.knownHosts.systemFiles == ["/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"])
        #expect(found.hostKeyPolicy == .strict && !found.needsSSHProgram && found.connectTimeout == nil && found.notes == [])
    }

    @Test
    func `the first value wins, the typed one before all, the machine's last`() throws {
        let text = "Host foo\n Port 2\nHost *\n Port 3\n User a\n"
        let system = "Port 4\nUser b\nHashKnownHosts yes\n"
        let found = try settings(text, system: system)
        #expect(found.port == 2 && found.user == "a" && found.hashKnownHosts)
        let typed = try settings(text, user: "c", port: 9, system: system)
        #expect(typed.port == 9 && typed.user == "c")
    }

    /// As `ssh -G` answers for each.
    @Test(arguments: [
        ("Host foo", true), ("Host bar foo", true), ("Host f?o", true), ("Host f*", true), ("Host Foo", false), ("Host bar", false),
        ("Host * !foo", false), ("Host !foo *", false), ("Host !bar", false), ("Host !bar *", true), ("Host foo,bar", false),
        ("Host \"foo\"", true), ("HOST=foo", true), ("host = 'foo'", true), ("Host bar # foo", false), ("\tHost\tfoo \r", true),
        ("Match all", true), ("Match !all", false), ("Match host foo", true), ("Match host FOO", true), ("Match host bar,f*", true),
        ("Match host *,!foo", false), ("Match !host foo", false), ("Match host=foo user=\"reader\"", true),
        ("Match host foo user bob", false),
        ("Match user reader", true), ("Match user READER", false), ("Match localuser reader,bob", true), ("Match originalhost foo", true),
        ("Match host foo # user bob", true), ("Match canonical", false), ("Match final all", false), ("Match !final host foo", true),
        ("Match exec \"true\"", false), ("Match !exec \"false\"", false), ("Match tagged x", false), ("Match host foo version x", false),
    ])
    func `a block counts for the hosts that it names`(block: String, counts: Bool) throws {
        #expect(try settings("\(block)\nPort 7\n").port == (counts ? 7 : 22))
    }

    @Test
    func `a condition sees what was said before it`() throws {
        #expect(try settings("HostName bar\nMatch host foo\nPort 1\nMatch originalhost FOO\nPort 2\nMatch host BAR\nPort 3").port == 2)
        #expect(try settings("Match user bob\nPort 1\nMatch all\nUser bob\nMatch user bob\nPort 2").port == 2)
        #expect(try settings("User bob\nMatch user bob\nPort 1", user: "reader").port == 22)
    }

    @Test
    func `a condition that is not followed is told, and nothing is run`() throws {
        let folder = try ScratchFolder()
        let found = try settings("Match exec \"touch \(folder.path)/ran\"\nPort 1\nMatch final\nPort 2\nMatch all\nPort 3\n")
        #expect(found.port == 3)
        #expect(found.notes.count == 2)
        #expect(found.notes.first?.contains("/home/reader/.ssh/config:1") == true)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/ran"))
    }

    @Test(arguments: [
        ("HostName real.example", "real.example"), ("HostName %h.example", "foo.example"), ("HostName REAL", "real"),
        ("HostName a%%b", "a%b"), ("\"HostName\" x", "x"), ("hostname=y", "y"), ("HostName = z # why", "z"), ("HostNames x", "foo"),
        ("# HostName x", "foo"), ("HostName 2001:db8::1", "2001:db8::1"),
    ])
    func `names of hosts are resolved`(line: String, name: String) throws {
        #expect(try settings(line).hostName == name)
    }

    @Test
    func `identity files gather, each once, with all that stands for something`() throws {
        let text = """
            IdentityFile ~/.ssh/%h_%r_%p
            IdentityFile "a b"
            IdentityFile a\\ b
            IdentityFile none
            IdentityFile %d/%u/%i/%n/%L/%l/%k%%
            IdentityFile ${AGENT}/x
            IdentityFile 'c'"d e"
            CertificateFile ~/c
            CertificateFile none
            HostName real
            Port 5
            IdentitiesOnly yes
            """
        let found = try settings(text)
        #expect(
            found.identityFiles == [
                "/home/reader/.ssh/real_reader_5", "a b", "/home/reader/reader/1000/foo/desk/desk.example/foo%", "/run/agent/x", "cd e",
            ])
        #expect(found.certificateFiles == ["/home/reader/c"])
        #expect(found.hasOwnIdentityFiles && found.identitiesOnly)
        let none = try settings("IdentityFile none")
        #expect(none.identityFiles == [] && none.hasOwnIdentityFiles)
    }

    @Test(arguments: [
        ("none", SSHHostSettings.IdentityAgent.none), ("SSH_AUTH_SOCK", .usual), ("$AGENT", .socket(path: "/run/agent")), ("$NONE", .none),
        ("~/%r.sock", .socket(path: "/home/reader/reader.sock")), ("${AGENT}.2", .socket(path: "/run/agent.2")),
    ])
    func `the agent is found`(value: String, agent: SSHHostSettings.IdentityAgent) throws {
        #expect(try settings("IdentityAgent \(value)").identityAgent == agent)
    }

    @Test
    func `what is known of hosts is looked up where the configuration says`() throws {
        let found = try settings(
            "UserKnownHostsFile ~/a /b/%h\nUserKnownHostsFile c\nGlobalKnownHostsFile none\nHostKeyAlias Alias\nPort 5")
        #expect(found.knownHosts == KnownHosts(userFiles: ["/home/reader/a", "/b/foo"], systemFiles: []))
        #expect(found.knownHostsName == ("alias", 22))
        #expect(try settings("HostName real\nPort 5").knownHostsName == ("real", 5))
    }

    @Test(arguments: [
        ("yes", HostKeyPolicy.strict, false), ("ask", .strict, false), ("no", .strict, true), ("off", .strict, true),
        ("false", .strict, true),
        ("accept-new", .acceptNew, false),
    ])
    func `keys are checked whatever the configuration says`(value: String, policy: HostKeyPolicy, isTold: Bool) throws {
        let found = try settings("\n\nStrictHostKeyChecking \(value)")
        #expect(found.hostKeyPolicy == policy)
        #expect(found.notes.contains { $0.contains("/home/reader/.ssh/config:3") } == isTold)
    }

    @Test(arguments: [
        ("ProxyJump a,b:3\nProxyCommand x", "a,b:3", nil), ("ProxyCommand x \"y\nProxyJump a", nil, "x \"y"), ("ProxyJump none", nil, nil),
        ("ProxyCommand none\nProxyJump a", nil, nil), ("ProxyJump none\nProxyCommand nc %h %p", nil, "nc %h %p"),
    ])
    func `a way through another host is noted`(text: String, jump: String?, command: String?) throws {
        let found = try settings(text)
        #expect(found.proxyJump == jump)
        #expect(found.proxyCommand == command)
        #expect(found.needsSSHProgram == (jump != nil || command != nil))
    }

    @Test(arguments: [("5", 5), ("1m30s", 90), ("2D", 172_800), ("1w", 604_800), ("none", nil), ("0", nil)] as [(String, Int?)])
    func `times have units`(text: String, seconds: Int?) throws {
        let found = try settings("ConnectTimeout \(text)\nServerAliveInterval \(text)")
        #expect(found.connectTimeout == seconds.map { .seconds($0) })
        #expect(found.serverAliveInterval == seconds.map { .seconds($0) })
    }

    @Test(arguments: [
        "Port abc", "Port 0", "Port 65536", "Port", "Port 1 2", "User \"a", "User 'a", "IdentitiesOnly perhaps", "HostName %z",
        "HostName a%",
        "IdentityFile %q", "IdentityFile ${NONE}", "IdentityFile ${AGENT", "UserKnownHostsFile a none", "StrictHostKeyChecking on",
        "ConnectTimeout 5x", "ConnectTimeout 99999999999", "Match host", "Include", "HostName \"\"", "User a\0b",
    ])
    func `a value that ssh refuses is told with its place, and only where it counts`(line: String) throws {
        let error = #expect(throws: CocoaError.self) { try settings("\n\(line)\n") }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error?.sentence.contains("/home/reader/.ssh/config:2") == true)
        if !line.hasPrefix("Match") { #expect(try settings("Host bar\n\(line)\n").port == 22) }
    }

    @Test(arguments: ["", "-oProxyCommand=x", "a b", "a\nb", "a\0", String(repeating: "a", count: 256)])
    func `what is no host is none`(host: String) {
        #expect(throws: URLError.self) { try settings("", host: host) }
    }

    @Test func `a time too long for any number is an error`() {
        let time = String(repeating: "999999999w", count: 20_000)
        #expect { try settings("ConnectTimeout \(time)") } throws: { ($0 as? CocoaError)?.code == .fileReadCorruptFile }
    }

    @Test func `a refused login tells what was not followed`() throws {
        let found = try settings("Match exec true\n User a\nHost *\n CertificateFile ~/cert.pub\n StrictHostKeyChecking no\n")
        let refusal = FileError.make(.userAuthenticationRequired, url: nil, sentence: "No.", underlying: SSHError(code: 1, text: "x"))
        let noted = found.noted(refusal)
        #expect(noted.code == refusal.code && noted.sentence.hasPrefix("No. "))
        for part in ["exec", "StrictHostKeyChecking no", "transport=ssh"] { #expect(noted.sentence.contains(part), "\(noted)") }
        #expect(noted.userInfo[NSUnderlyingErrorKey] is SSHError)
        let untrusted = FileError.make(.serverCertificateUntrusted, url: nil, sentence: "No.")
        #expect(!found.noted(untrusted).sentence.contains("certificates"))
        #expect(found.noted(FileError.make(.timedOut, url: nil, sentence: "Late.")).sentence == "Late.")
        #expect(try settings("").noted(refusal).sentence == "No.")
    }
}

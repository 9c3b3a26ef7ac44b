import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

/// What the ssh program tells of its configuration, and what becomes of it.
@Suite(.timeLimit(.minutes(1))) struct SSHProgramSettingsTests {
    private static let usual = """
        user reader
        hostname foo
        port 22
        controlmaster false
        gssapiauthentication no
        hashknownhosts yes
        identitiesonly no
        stricthostkeychecking ask
        serveraliveinterval 0
        identityfile ~/.ssh/id_rsa
        identityfile ~/.ssh/id_ecdsa
        identityfile ~/.ssh/id_ecdsa_sk
        identityfile ~/.ssh/id_ed25519
        identityfile ~/.ssh/id_ed25519_sk
        identityfile ~/.ssh/id_xmss
        identityfile ~/.ssh/id_dsa
        globalknownhostsfile /etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2
        userknownhostsfile /home/reader/.ssh/known_hosts /home/reader/.ssh/known_hosts2
        connecttimeout none

        """

    private func settings(_ lines: String..., account: SSHAccount = SSHHostSettingsTests.account) throws
        -> SSHHostSettings
    {
        let named = lines.map { $0.prefix { $0 != " " } }
        let rest = Self.usual.split(separator: "\n").filter { line in !named.contains { line.hasPrefix("\($0) ") } }
            .map(String.init)
        return try SSHHostSettings(
            SSHConfigOutput(Array((rest + lines).joined(separator: "\n").utf8)), host: "foo", account: account)
    }

    @Test func `without a configuration, the program says ssh's own habits`() throws {
        let found = try settings()
        #expect(found.hostName == "foo" && found.port == 22 && found.user == "reader" && found.hashKnownHosts)
        #expect(found.identityFiles == SSHPrivateKey.usualFiles(home: "/home/reader") && found.identityAgent == .usual)
        #expect(found.knownHosts.userFiles == ["/home/reader/.ssh/known_hosts", "/home/reader/.ssh/known_hosts2"])
        #expect(found.demands.isEmpty && found.notes.isEmpty && found.hostKeyPolicy == .strict)
        #expect(found.connectTimeout == nil && found.serverAliveInterval == nil && found.revokedHostKeys == nil)
    }

    @Test func `what it says of a host is followed`() throws {
        let found = try settings(
            "user bob", "hostname REAL.example", "port 2222", "hostkeyalias Alias", "identitiesonly yes",
            "connecttimeout 90",
            "serveraliveinterval 120", "stricthostkeychecking accept-new", "userknownhostsfile /a/my hosts /b",
            "globalknownhostsfile none",
            "revokedhostkeys /etc/ssh/revoked-%h", "identityfile ~/.ssh/%h_%r_%p", "identityfile /k y",
            "identityagent /run/agent")
        #expect(found.hostName == "real.example" && found.port == 2222 && found.user == "bob" && found.identitiesOnly)
        #expect(found.knownHostsName == ("alias", 22) && found.hostKeyPolicy == .acceptNew)
        #expect(found.connectTimeout == .seconds(90) && found.serverAliveInterval == .seconds(120))
        #expect(found.knownHosts == KnownHosts(userFiles: ["/a/my hosts", "/b"], systemFiles: []))
        #expect(found.revokedHostKeys?.file == "/etc/ssh/revoked-real.example")
        #expect(found.identityFiles == ["/home/reader/.ssh/real.example_bob_2222", "/k y"])
        #expect(found.identityAgent == .socket(path: "/run/agent"))
        #expect(try settings("identityfile none").identityFiles == [])
        #expect(try settings("revokedhostkeys ~/revoked").revokedHostKeys?.file == "/home/reader/revoked")
        #expect(try settings("revokedhostkeys none").revokedHostKeys == nil)
    }

    @Test func `keys gather, with what is known of their tokens and variables`() throws {
        let found = try settings(
            "hostname foo.example", "identityfile a b", "identityfile none", "identityfile %d/%u/%i/%n/%L/%l/%k%%",
            "identityfile ${AGENT}/x", "identityfile ${NONE}/x", "identityfile ~/%C", "identityfile /%")
        #expect(found.identityFiles == ["a b", "/home/reader/reader/1000/foo/desk/desk.example/foo%", "/run/agent/x"])
        #expect(found.notes.count == 3, "\(found.notes)")
        #expect(try settings("identityfile /\(String(repeating: "%d", count: 1000))").identityFiles.isEmpty)
    }

    @Test(arguments: [
        ("none", SSHHostSettings.IdentityAgent.none), ("SSH_AUTH_SOCK", .usual),
        ("$AGENT", .socket(path: "/run/agent")), ("$NONE", .none),
        ("~/%r.sock", .socket(path: "/home/reader/reader.sock")), ("${AGENT}.2", .socket(path: "/run/agent.2")),
    ])
    func `the agent is found`(value: String, agent: SSHHostSettings.IdentityAgent) throws {
        #expect(try settings("identityagent \(value)").identityAgent == agent)
    }

    @Test(arguments: [
        ("proxyjump a,b:3", SSHHostSettings.Demand.proxy), ("proxycommand nc -X \"a b\" %h %p", .proxy),
        ("controlmaster auto", .sharing),
        ("controlpath /tmp/%C", .sharing), ("certificatefile ~/.ssh/cert.pub", .certificate),
        ("pkcs11provider /usr/lib/x.so", .hardwareKey),
    ])
    func `what libssh2 does not have is asked for`(line: String, demand: SSHHostSettings.Demand) throws {
        let found = try settings(line)
        #expect(found.demands == [demand] && found.needsSSHProgram == (demand == .proxy))
        #expect(found.forLibrary.notes.first?.contains(demand.rawValue) == true)
        let none = "\(line.prefix { $0 != " " }) none"
        #expect(try settings(none).demands.isEmpty || line.hasPrefix("controlmaster"))
    }

    @Test func `a key in hardware asks for the program, of the usual ones only where no other is there`() throws {
        let folder = try ScratchFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/.ssh", withIntermediateDirectories: true)
        let type = Array("sk-ssh-ed25519@openssh.com".utf8)
        let blob =
            SSHFieldReader.bigEndian(type.count) + type + SSHFieldReader.bigEndian(32)
            + [UInt8](repeating: 7, count: 32)
        let key = try folder.file(
            ".ssh/id_ed25519_sk.pub", "sk-ssh-ed25519@openssh.com \(Data(blob).base64EncodedString()) a\n")
        let account = SSHAccount(home: folder.path, user: "reader", identifier: 1, hostName: "desk", environment: [:])
        #expect(try settings(account: account).demands == [.hardwareKey])
        #expect(try settings("identityfile \(key.dropLast(4))", account: account).demands == [.hardwareKey])
        _ = try folder.file(".ssh/id_rsa.pub", "ssh-rsa AAAA\n")
        #expect(try settings(account: account).demands.isEmpty)
        _ = try folder.file(".ssh/id_rsa-cert.pub", "ssh-rsa-cert-v01@openssh.com AAAA\n")
        #expect(try settings(account: account).demands == [.certificate])
    }

    @Test func `Kerberos counts where there is a ticket, since it is switched on everywhere`() throws {
        let folder = try ScratchFolder()
        func demands(_ name: String, _ lines: String...) throws -> Set<SSHHostSettings.Demand> {
            let account = SSHAccount(
                home: "/h", user: "r", identifier: 1, hostName: "d", environment: ["KRB5CCNAME": name])
            let output = Self.usual + (lines + ["gssapiauthentication yes"]).joined(separator: "\n")
            let answer = SSHConfigOutput(Array(output.replacing("gssapiauthentication no\n", with: "").utf8))
            return try SSHHostSettings(answer, host: "foo", account: account).demands
        }
        let ticket = try folder.file("krb5cc", "ticket")
        #expect(try demands("FILE:\(ticket)") == [.kerberos])
        #expect(try demands("KEYRING:persistent:1000") == [.kerberos])
        #expect(try demands("FILE:\(folder.path)/none").isEmpty)
        #expect(try demands("FILE:\(folder.path)/none", "gssapidelegatecredentials yes") == [.kerberos])
    }

    @Test func `what is not followed is told with a refusal`() throws {
        let found = try settings("stricthostkeychecking false", "identityfile ~/%C")
        #expect(found.identityFiles.isEmpty && found.notes.count == 2)
        let refusal = FileError.make(
            .userAuthenticationRequired, url: nil, sentence: "No.", underlying: SSHError(code: 1, text: "x"))
        let noted = found.noted(refusal)
        for part in ["No. ", "StrictHostKeyChecking no", "~/%C"] { #expect(noted.sentence.contains(part), "\(noted)") }
        #expect(noted.code == refusal.code && noted.userInfo[NSUnderlyingErrorKey] is SSHError)
    }

    // MARK: Running it

    /// A program in place of ssh, which writes down each run.
    private func program(_ folder: borrowing ScratchFolder, _ body: String, host: String = "foo") throws -> SSHProgram {
        let file = try folder.file("ssh", "#!/bin/sh\necho \"$@\" >>'\(folder.path)/runs'\n\(body)\n")
        #expect(chmod(file, 0o700) == 0)
        var program = SSHProgram(host: host)
        program.program = file
        return program
    }

    private func runs(_ folder: borrowing ScratchFolder) throws -> [String] {
        try String(contentsOfFile: folder.path + "/runs", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test func `the program is asked once for each host, however many ask`() async throws {
        let folder = try ScratchFolder()
        let answer = try folder.file("answer", Self.usual)
        let program = try program(folder, "sleep 0.2; cat '\(answer)'")
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<4 { group.addTask { try await BlockingThreads.shared.run { try program.settings().user } } }
            for try await user in group { #expect(user == "reader") }
        }
        #expect(try runs(folder) == ["-T -G -- foo"])
        var other = program
        (other.user, other.port, other.configuration) = ("bob", 9, "/c")
        _ = try other.settings()
        #expect(try runs(folder) == ["-T -G -- foo", "-F /c -p 9 -l bob -T -G -- foo"])
    }

    @Test func `a program that hangs is left after five seconds, and not asked again`() throws {
        let folder = try ScratchFolder()
        let program = try program(folder, "exec sleep 600")
        for _ in 0..<2 {
            let start = ContinuousClock.now
            let error = #expect(throws: CocoaError.self) { try program.settings() }
            #expect(error?.code == .fileReadUnknown && error?.sentence.contains("config=no") == true)
            #expect(ContinuousClock.now - start < .seconds(60))
        }
        #expect(try runs(folder).count == 1)
    }

    @Test func `a configuration that the program refuses is told in its words, and read again when it was corrected`()
        throws
    {
        let folder = try ScratchFolder()
        let program = try program(
            folder,
            "[ -e '\(folder.path)/good' ] && exec cat '\(folder.path)/good'; echo 'config: line 1: Bad configuration option: foo' >&2; exit 255"
        )
        let error = #expect(throws: CocoaError.self) { try program.settings() }
        #expect(
            error?.code == .fileReadCorruptFile
                && error?.sentence.contains("line 1: Bad configuration option: foo") == true)
        _ = try folder.file("good", Self.usual)
        #expect(try program.settings().user == "reader")
    }

    @Test(arguments: ["echo user reader", "yes 'identityfile /a'", "true", "printf 'hostname a\\nport 0\\nuser b\\n'"])
    func `an answer that is none is an error`(body: String) throws {
        let folder = try ScratchFolder()
        let program = try program(folder, body)
        #expect(throws: CocoaError.self) { try program.settings() }
    }

    @Test(.enabled(if: (try? SSHProgram(host: "a").path()) != nil, "ssh is not installed"))
    func `the installed program's own answer is understood, conditions and files within files included`() throws {
        let folder = try ScratchFolder()
        let more = try folder.file("more", "Match exec \"test 1 = 1\"\n User matched\n")
        let config = try folder.file(
            "config",
            "Include \(more)\nHost foo\n HostName %h.example\n Port 2222\n IdentityFile ~/.ssh/%h\n ProxyJump jump\n")
        var program = SSHProgram(host: "foo")
        program.configuration = config
        let found = try program.settings()
        #expect(
            found.hostName == "foo.example" && found.port == 2222 && found.user == "matched"
                && found.demands.contains(.proxy))
        #expect(found.identityFiles.first?.hasSuffix("/.ssh/foo.example") == true)
        #expect(chmod(config, 0o666) == 0)
        // Not the user's own file: the program reads what it is given.
        program.port = 5
        #expect(try program.settings().port == 5)
    }

    @Test func `another home than the system's database has is followed`() throws {
        let folder = try ScratchFolder()
        let environment = ["HOME": folder.path]
        var program = SSHProgram(host: "foo")
        program.followHome(environment: environment)
        #expect(program.hasOtherHome && ["/etc/ssh/ssh_config", "none"].contains(program.configuration))
        try FileManager.default.createDirectory(atPath: folder.path + "/.ssh", withIntermediateDirectories: true)
        let config = try folder.file(".ssh/config", "User bob\n")
        program.followHome(environment: environment)
        #expect(program.configuration == config)
        program.usersKnownHosts = [folder.path + "/.ssh/known_hosts"]
        #expect(
            try program.arguments(subsystem: "sftp").contains(
                "-oUserKnownHostsFile=\"\(folder.path)/.ssh/known_hosts\""))
        let account = SSHAccount(
            home: folder.path, user: "r", identifier: 1, hostName: "d", environment: environment,
            systemHome: "/home/reader")
        #expect(try settings(account: account).knownHosts.userFiles.first == folder.path + "/.ssh/known_hosts")
        #expect(chmod(config, 0o666) == 0)
        #expect { try program.settings(environment: environment) } throws: {
            ($0 as? CocoaError)?.code == .fileReadNoPermission
        }
    }
}

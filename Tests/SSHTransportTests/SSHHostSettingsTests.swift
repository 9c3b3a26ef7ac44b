import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

/// How a host is reached where no ssh program tells.
struct SSHHostSettingsTests {
    static let account = SSHAccount(
        home: "/home/reader", user: "reader", identifier: 1000, hostName: "desk.example",
        environment: ["AGENT": "/run/agent"])

    @Test func `ssh's own habits hold, and what is typed goes before them`() throws {
        let found = try SSHHostSettings(host: "Foo", user: nil, port: nil, account: Self.account)
        #expect(found.host == "Foo" && found.hostName == "foo" && found.port == 22 && found.user == "reader")
        #expect(found.identityFiles.first == "/home/reader/.ssh/id_ed25519")
        #expect(found.identityAgent == .usual && !found.identitiesOnly && !found.hashKnownHosts)
        #expect(found.knownHosts.userFiles == ["/home/reader/.ssh/known_hosts", "/home/reader/.ssh/known_hosts2"])
        #expect(
            found.hostKeyPolicy == .strict && !found.needsSSHProgram && found.connectTimeout == nil && found.notes == []
        )
        let typed = try SSHHostSettings(host: "foo", user: "c", port: 9, account: Self.account)
        #expect(typed.port == 9 && typed.user == "c")
    }

    @Test(arguments: ["", "-oProxyCommand=x", "a b", "a\nb", "a\0", String(repeating: "a", count: 256)])
    func `what is no host is none`(host: String) {
        #expect(throws: URLError.self) { try SSHHostSettings(host: host, user: nil, port: nil, account: Self.account) }
    }

    @Test func `a configuration that nobody reads is named, in errors as well, and changes nothing`() throws {
        let folder = try ScratchFolder()
        func settings() throws -> SSHHostSettings {
            try .withoutProgram(host: "foo", user: "c", environment: ["HOME": folder.path])
        }
        #expect(try settings().notes.isEmpty && !settings().isConfigurationUnread)
        try FileManager.default.createDirectory(atPath: folder.path + "/.ssh", withIntermediateDirectories: true)
        let config = try folder.file(".ssh/config", "Port 5\nHostName bar\n")
        let found = try settings()
        #expect(found.hostName == "foo" && found.port == 22 && found.user == "c" && found.isConfigurationUnread)
        #expect(found.identityFiles.first == folder.path + "/.ssh/id_ed25519")
        let refusal = found.noted(FileError.make(.cannotFindHost, url: nil, sentence: "No."))
        #expect(
            refusal.code == .cannotFindHost && refusal.sentence.hasPrefix("No. ") && refusal.sentence.contains(config))
    }
}

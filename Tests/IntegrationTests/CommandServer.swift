import Foundation
import Testing

/// A real server as a saved connection of the command line.
struct CommandServer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The connection's JSON.
    let connection: String
    /// The name of a file: what a command line, a pattern and a list separator may trip over, as far as the server
    /// keeps it.
    let oddName: String

    private init(_ name: String, _ url: URL, _ settings: String, oddName: String) {
        let user = TestServers.environment["CARREL_TEST_USER"] ?? ""
        let named =
            url.user() == nil
            ? url.absoluteString.replacingOccurrences(of: "://", with: "://\(user)@") : url.absoluteString
        testDescription = name
        connection = #"{"url": "\#(named)", \#(settings)}"#
        self.oddName = oddName
    }

    init(_ server: TestServers.WebDAV) {
        // WsgiDAV cuts a destination at a question mark; such names are refused there.
        let name = server.name == "WsgiDAV" ? "b c#!.txt" : "b c#?.txt"
        self.init("WebDAV: \(server.name)", server.url, Self.authority, oddName: name)
    }

    init(_ server: TestServers.FTP) {
        // Pure-FTPd keeps no backslash.
        let name = "a b*[c]{d};'\"$&#%?ü~-" + (server.program == "Pure-FTPd" ? "" : "\\") + ".txt"
        self.init("FTP: \(server.testDescription)", server.url, Self.authority, oddName: name)
    }

    init(_ server: TestServers.SFTP) {
        let settings = #""knownHosts": ["\#(TestServers.knownHosts)"]"#
        self.init("SFTP: \(server.name)", server.url, settings, oddName: "a b*[c]{d};'\"$&#%?ü~-\\.txt")
    }

    private static let authority = #""cacert": "\#(TestServers.environment["CARREL_TEST_CA"] ?? "")""#

    static let webDAV = TestServers.webDAV.map { CommandServer($0) }
    static let ftp = TestServers.ftp.map { CommandServer($0) }
    /// FTP with `AUTH TLS`.
    static let ftpes = TestServers.ftpes.map { CommandServer($0) }
    static let sftp = TestServers.sftp.map { CommandServer($0) }
    static let all: [CommandServer] = webDAV + ftp + ftpes + sftp
    static let oneOfEachKind: [CommandServer] = [webDAV, ftp, sftp].compactMap(\.first)

    /// A runner that logs in as the tests do, and a new folder on the server.
    func use(_ body: (inout CommandRunner, _ folder: String) async throws -> Void) async throws {
        try await CommandRunner.use { runner in
            runner.environment["CARREL_PASSWORD"] = TestServers.environment["CARREL_TEST_PASSWORD"]
            runner.environment["CARREL_CONFIG"] = runner.path("config.json")
            try runner.write("config.json", #"{"connections": {"server": \#(connection)}}"#)
            let folder = "server:test-\(UInt64.random(in: 0 ... .max))"
            let made = try await runner.run("mkdir", folder)
            #expect(made.code == 0, "\(made.error)")
            try await body(&runner, folder)
            let removed = try await runner.run("rm", "-r", folder)
            #expect(removed.code == 0, "\(removed.error)")
        }
    }
}

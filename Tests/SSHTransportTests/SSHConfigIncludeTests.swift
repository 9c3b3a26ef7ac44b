import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

struct SSHConfigIncludeTests {
    @Test
    func `an included file counts where it is included`() throws {
        let included = ["/home/reader/.ssh/a": "Port 7\nHost foo\n User inner\n"]
        #expect(try settings("Include a\nPort 8\n", others: included).port == 7)
        // Blocks within it end with it, and in a block for others it says nothing.
        let others = try settings("Host bar\nInclude a\nUser after\nHost foo\nUser last\n", others: included)
        #expect(others.port == 22 && others.user == "last")
        let inside = try settings("Host x foo\nInclude a\nUser last\n", host: "x", others: included)
        #expect(inside.port == 7 && inside.user == "last")
    }

    @Test
    func `names start from home, from ssh's folder, or in full, and patterns stand for many`() throws {
        let files = [
            "/home/reader/.ssh/d/1": "IdentityFile /1", "/home/reader/.ssh/d/2": "IdentityFile /2", "/etc/ssh/e": "IdentityFile /3",
            "/home/reader/f": "IdentityFile /4", "/g": "IdentityFile /5",
        ]
        let found = try settings("include d/* \"/g\"\nInclude ~/f none\n", system: "Include e\n", others: files)
        #expect(found.identityFiles == ["/1", "/2", "/5", "/4", "/3"])
    }

    @Test
    func `a file that includes itself is read once, and told`() throws {
        let found = try settings(
            "Include a\nPort 3\n", others: ["/home/reader/.ssh/a": "Include b\n", "/home/reader/.ssh/b": "Include a config\n"])
        #expect(found.port == 3)
        #expect(found.notes.count == 2)
    }

    @Test
    func `files that include too deeply, too often or too much end with an error`() throws {
        var deep: [String: String] = [:]
        for number in 0..<30 { deep["/home/reader/.ssh/\(number)"] = "Include \(number + 1)\n" }
        #expect(throws: CocoaError.self) { try settings("Include 0\n", others: deep) }
        #expect(try settings("Include 20\n", others: deep).port == 22)

        var wide: [String: String] = [:]
        for number in 0..<14 {
            wide["/home/reader/.ssh/\(number)"] = String(repeating: "Include \(number + 1)\n", count: 4)
        }
        #expect(throws: CocoaError.self) { try settings("Include 0\n", others: wide) }

        let large = ["/home/reader/.ssh/a": String(repeating: "# nothing\n", count: 110_000)]
        #expect(throws: CocoaError.self) { try settings(String(repeating: "Include a\n", count: 5), others: large) }
    }

    @Test
    func `files of this machine are read, unless others may change them`() throws {
        let folder = try ScratchFolder()
        let extra = try folder.file("extra.conf", "User bob\n")
        let config = try folder.file("config", "Port 5\nInclude \(folder.path)/*.conf\n")
        let account = ["HOME": folder.path]
        #expect(try SSHConfig(userFile: config, environment: account).settings(host: "foo").user == "bob")
        #expect(chmod(extra, 0o664) == 0)
        let error = #expect(throws: CocoaError.self) { try SSHConfig(userFile: config, environment: account).settings(host: "foo") }
        #expect(error?.code == .fileReadNoPermission)
        #expect(error?.sentence.contains(extra) == true)
        let missing = SSHConfig(userFile: folder.path + "/none", environment: account)
        #expect(try missing.settings(host: "foo").knownHosts.userFiles.first == folder.path + "/.ssh/known_hosts")
        #expect(try SSHConfig(userFile: "", environment: account).settings(host: "foo").port == 22)
    }

    @Test
    func `a file that is too large is not read`() throws {
        let folder = try ScratchFolder()
        let config = try folder.file("config", String(repeating: "# nothing\n", count: 110_000))
        #expect(throws: CocoaError.self) { try SSHConfig(userFile: config, environment: [:]).settings(host: "foo") }
    }

    @Test
    func `no change of a file crashes or takes long`() throws {
        let text = """
            Host foo !bar *.example
              HostName %h.example
            Match host foo.* user "bob" !localuser x
              IdentityFile "~/.ssh/%h_%r" # comment
            Include a b*
            Port=22
            ConnectTimeout 1h30m
            UserKnownHostsFile ~/a ${AGENT}/%d
            ProxyJump a
            IdentityAgent $AGENT
            """
        let words = ["\"", "'", "\\", "%", "${", "}", "!", "*", "\n", "=", "#", " ", "none", "Host ", "Match ", "Include a\n", "all"]
        var followed = 0
        let start = ContinuousClock.now
        for _ in 0..<2000 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...12) {
                let place = Int.random(in: bytes.indices)
                switch Int.random(in: 0..<3) {
                case 0: bytes[place] = UInt8.random(in: 0...255)
                case 1: bytes.insert(contentsOf: (words.randomElement() ?? "").utf8, at: place)
                default: bytes.removeSubrange(place..<min(place + 5, bytes.count))
                }
            }
            let changed = String(decoding: bytes, as: UTF8.self)
            do {
                let found = try settings(changed, others: ["/home/reader/.ssh/a": changed, "/home/reader/.ssh/b": text])
                #expect((1...65535).contains(found.port) && !found.hostName.isEmpty)
                followed += 1
            } catch let error where error is CocoaError {
                #expect(!error.sentence.isEmpty)
            }
        }
        #expect(followed > 100)
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}

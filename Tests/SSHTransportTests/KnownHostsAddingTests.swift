import FileProviderCore
import Foundation
import Testing

import SSHTransport

struct KnownHostsAddingTests {
    private let key: HostKey
    private let other: HostKey

    init() throws {
        key = try #require(HostKey(base64: SampleKeys.ed25519))
        other = try #require(HostKey(base64: SampleKeys.other))
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    private func mode(_ path: String) throws -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
        return Int(status.st_mode & 0o7777)
    }

    @Test
    func `file and folder are made for this user alone`() throws {
        let folder = try ScratchFolder()
        let file = folder.path + "/.ssh/known_hosts"
        let known = KnownHosts(userFiles: [file], systemFiles: [])
        #expect(try known.add(host: "Host.Example", port: 22, key: key, hashed: false) == .unknown)
        #expect(try text(file) == "host.example ssh-ed25519 \(SampleKeys.ed25519)\n")
        #expect(try mode(file) == 0o600)
        #expect(try mode(folder.path + "/.ssh") == 0o700)
    }

    @Test(
        arguments: [("host.example", 22), ("host.example", 2222), ("2001:db8::1", 22), ("2001:db8::1", 2222)],
        [true, false])
    func `what was added is known from then on, and nothing else by it`(location: (String, Int), hashed: Bool) throws {
        let folder = try ScratchFolder()
        let known = KnownHosts(userFiles: [try folder.file("known_hosts", "# no end")], systemFiles: [])
        try known.add(host: location.0, port: location.1, key: key, hashed: hashed)
        #expect(try text(known.userFiles[0]).contains(location.0) == !hashed)
        #expect(try known.verdict(host: location.0, port: location.1, key: key) == .known)
        #expect(try known.verdict(host: "b.example", port: location.1, key: key) == .unknown)
        let entry = try #require(try known.entries(host: location.0, port: location.1).entries.first)
        #expect(entry.line == 2)
        #expect(try known.verdict(host: location.0, port: location.1, key: other) == .changed(known: [entry]))
    }

    @Test
    func `a key that is known, and one that contradicts, are not added`() throws {
        let folder = try ScratchFolder()
        let line = "host.example ssh-ed25519 \(SampleKeys.ed25519)\n"
        let known = KnownHosts(userFiles: [try folder.file("known_hosts", line)], systemFiles: [])
        #expect(try known.add(host: "host.example", port: 22, key: key, hashed: false) == .known)
        guard case .changed = try known.add(host: "host.example", port: 22, key: other, hashed: false) else {
            Issue.record("The other key was taken.")
            return
        }
        #expect(try text(known.userFiles[0]) == line)
    }

    @Test(arguments: ["a b", "*", "a,b", "!a", "|1|a|b", "#a", "@revoked", "a\nb", "", "a\0b", "ä.example"])
    func `a host that would be read as something else is not written`(host: String) throws {
        let folder = try ScratchFolder()
        let known = KnownHosts(userFiles: [folder.path + "/known_hosts"], systemFiles: [])
        for port in [22, 2222] {
            #expect(throws: CocoaError.self) { try known.add(host: host, port: port, key: key, hashed: false) }
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/known_hosts"))
    }

    @Test
    func `many at once leave whole lines, each once`() async throws {
        let folder = try ScratchFolder()
        let known = KnownHosts(userFiles: [folder.path + "/known_hosts"], systemFiles: [])
        let key = key
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await BlockingThreads.shared.run {
                        _ = try known.add(host: "h\(number % 20).example", port: 22, key: key, hashed: number % 3 == 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        let lines = try text(known.userFiles[0]).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 21)
        #expect(lines.last == "")
        for number in 0..<20 { #expect(try known.verdict(host: "h\(number).example", port: 22, key: key) == .known) }
    }

    @Test
    func `a file that may not be written to is told`() throws {
        let known = KnownHosts(userFiles: ["/proc/none/known_hosts"], systemFiles: [])
        #expect(throws: CocoaError.self) { try known.add(host: "host.example", port: 22, key: key, hashed: false) }
        let none = KnownHosts(userFiles: [], systemFiles: [])
        #expect(throws: CocoaError.self) { try none.add(host: "host.example", port: 22, key: key, hashed: false) }
    }
}

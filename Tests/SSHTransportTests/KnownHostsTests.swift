import FileProviderCore
import Foundation
import Testing

@testable import SSHTransport

/// Keys made for these tests, which belong to no machine.
enum SampleKeys {
    static let ed25519 = "AAAAC3NzaC1lZDI1NTE5AAAAILTiBT1uRvjvrZ/uMr00B2GyjFrWjondXDhkKMCkq38z"
    static let other = "AAAAC3NzaC1lZDI1NTE5AAAAICZpU3HDnoZtMxTffVyJFaMofF3xPJeCL34LdgbB48dp"
    static let authority = "AAAAC3NzaC1lZDI1NTE5AAAAIMQUTeNbV4RrqsC+rRrZf6or92q8L+RJcWBiDYDOZYcR"
    static let ecdsa =
        "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBJeL+3lU+909qxWPnhoIm00VRsQHC4h9sbIzP2rSxv4A2PGa"
        + "+/avezOfVsqqzD017wEoNIoQl1X9QDCO8g+ziHE="
}

/// A folder that goes away with the test.
struct ScratchFolder: ~Copyable {
    let path = NSTemporaryDirectory() + "carrel-ssh-" + UUID().uuidString

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func file(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
        return "\(path)/\(name)"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// A file's text, where the host is looked for, and what is found for the sample key of type ed25519.
struct KnownHostsCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var host = "host.example"
    var port = 22
    let expected: Expected

    enum Expected: Sendable { case known, unknown, changed, revoked, authorityOnly }

    private static let key = "ssh-ed25519 \(SampleKeys.ed25519)"
    private static let other = "ssh-ed25519 \(SampleKeys.other)"
    private static let ecdsa = "ecdsa-sha2-nistp256 \(SampleKeys.ecdsa)"
    private static let authority = "ssh-ed25519 \(SampleKeys.authority)"
    /// As `ssh-keygen -H` wrote them for `host.example` and `[host.example]:2222`.
    private static let hashed = "|1|Q2Jt2/OtKttWzT6gu8Psk1l/s20=|FMjp9udW+KxOoXczlAj9SdgJMCM="
    private static let hashedPort = "|1|+tEUkcUC6WDgouVzlanjsr7oWPU=|6TyQWFxLruf2VcKg0cPYknxuxAg="

    static let all: [KnownHostsCase] = [
        .init(testDescription: "nothing", text: "", expected: .unknown),
        .init(testDescription: "plain", text: "host.example \(key)", expected: .known),
        .init(testDescription: "comment behind", text: "host.example \(key) a comment\r\n", expected: .known),
        .init(testDescription: "tabs in front and between", text: " \t host.example\t \(key)\n", expected: .known),
        .init(testDescription: "commented out", text: "# host.example \(key)\n", expected: .unknown),
        .init(testDescription: "list", text: "a.example,192.0.2.1,host.example \(key)\n", expected: .known),
        .init(testDescription: "upper case", text: "HOST.example \(key)\n", host: "Host.Example", expected: .known),
        .init(testDescription: "another host", text: "host.example.org \(key)\n", expected: .unknown),
        .init(testDescription: "star", text: "*.example \(key)\n", expected: .known),
        .init(testDescription: "question marks", text: "h??t.example \(key)\n", expected: .known),
        .init(testDescription: "a question mark too many", text: "host.example? \(key)\n", expected: .unknown),
        .init(testDescription: "negated behind", text: "*.example,!host.example \(key)\n", expected: .unknown),
        .init(testDescription: "negated in front", text: "!host.example,*.example \(key)\n", expected: .unknown),
        .init(testDescription: "another one negated", text: "*.example,!b.example \(key)\n", expected: .known),
        .init(testDescription: "port", text: "[host.example]:2222 \(key)\n", port: 2222, expected: .known),
        .init(testDescription: "another port", text: "[host.example]:2222 \(key)\n", port: 2223, expected: .unknown),
        .init(
            testDescription: "port, asked for the usual one", text: "[host.example]:2222 \(key)\n", expected: .unknown),
        .init(testDescription: "the usual port written out", text: "[host.example]:22 \(key)\n", expected: .unknown),
        .init(testDescription: "port by pattern", text: "[*.example]:* \(key)\n", port: 2222, expected: .known),
        .init(
            testDescription: "the right key without the port", text: "host.example \(key)\n", port: 2222,
            expected: .known),
        .init(
            testDescription: "a wrong key without the port", text: "host.example \(other)\n", port: 2222,
            expected: .unknown),
        .init(testDescription: "IPv6", text: "2001:db8::1 \(key)\n", host: "[2001:DB8::1]", expected: .known),
        .init(
            testDescription: "IPv6 and port", text: "[2001:db8::1]:2222 \(key)\n", host: "2001:db8::1", port: 2222,
            expected: .known),
        .init(testDescription: "hashed", text: "\(hashed) \(key)\n", expected: .known),
        .init(
            testDescription: "hashed in lower case", text: "\(hashed) \(key)\n", host: "HOST.example", expected: .known),
        .init(
            testDescription: "hashed, another host", text: "\(hashed) \(key)\n", host: "a.example", expected: .unknown),
        .init(testDescription: "hashed with port", text: "\(hashedPort) \(key)\n", port: 2222, expected: .known),
        .init(testDescription: "hashed with port, without", text: "\(hashedPort) \(key)\n", expected: .unknown),
        .init(testDescription: "hashed, another key", text: "\(hashed) \(other)\n", expected: .changed),
        .init(testDescription: "hashed in a list", text: "\(hashed),host.example \(key)\n", expected: .unknown),
        .init(testDescription: "another key", text: "host.example \(other)\n", expected: .changed),
        .init(testDescription: "a key of another type", text: "host.example \(ecdsa)\n", expected: .changed),
        .init(
            testDescription: "one of several", text: "host.example \(other)\n*.example \(ecdsa)\n* \(key)\n",
            expected: .known),
        .init(testDescription: "revoked", text: "@revoked * \(key)\nhost.example \(key)\n", expected: .revoked),
        .init(
            testDescription: "revoked behind", text: "host.example \(key)\n@revoked\thost.example \(key)\n",
            expected: .revoked),
        .init(
            testDescription: "revoked without the port", text: "@revoked host.example \(key)\n", port: 2222,
            expected: .revoked),
        .init(
            testDescription: "another one revoked", text: "@revoked * \(other)\nhost.example \(key)\n", expected: .known
        ),
        .init(testDescription: "only revoked ones known", text: "@revoked * \(other)\n", expected: .unknown),
        .init(testDescription: "authority", text: "@cert-authority *.example \(authority)\n", expected: .authorityOnly),
        .init(
            testDescription: "the authority's key as the host's", text: "@cert-authority * \(key)\n",
            expected: .authorityOnly),
        .init(
            testDescription: "authority and key", text: "@cert-authority * \(authority)\nhost.example \(key)\n",
            expected: .known),
        .init(
            testDescription: "authority and other key", text: "@cert-authority * \(authority)\n* \(other)\n",
            expected: .changed),
        .init(testDescription: "unknown marker", text: "@trusted host.example \(key)\n", expected: .unknown),
        .init(testDescription: "two markers", text: "@revoked @revoked host.example \(key)\n", expected: .unknown),
        .init(
            testDescription: "type that the key has not", text: "host.example ssh-rsa \(SampleKeys.ed25519)\n",
            expected: .unknown),
        .init(testDescription: "broken base64", text: "host.example ssh-ed25519 AAAA!\n", expected: .unknown),
        .init(testDescription: "no key", text: "host.example ssh-ed25519\nhost.example\n", expected: .unknown),
    ]
}

struct KnownHostsTests {
    @Test(arguments: KnownHostsCase.all)
    func `a file is read as ssh reads it`(example: KnownHostsCase) throws {
        let folder = try ScratchFolder()
        let file = try folder.file("known_hosts", example.text)
        let key = try #require(HostKey(base64: SampleKeys.ed25519))
        let verdict = try KnownHosts(userFiles: [file], systemFiles: []).verdict(
            host: example.host, port: example.port, key: key)
        let found: KnownHostsCase.Expected =
            switch verdict {
            case .known: .known
            case .unknown: .unknown
            case .changed: .changed
            case .revoked: .revoked
            case .authorityOnly: .authorityOnly
            }
        #expect(found == example.expected)
    }

    @Test
    func `missing files hold nothing, and all others are searched`() throws {
        let folder = try ScratchFolder()
        let system = try folder.file("system", "host.example ssh-ed25519 \(SampleKeys.ed25519)\n")
        let user = try folder.file("user", "host.example ecdsa-sha2-nistp256 \(SampleKeys.ecdsa)\n")
        let known = KnownHosts(userFiles: [folder.path + "/none", user], systemFiles: ["/dev/null", system])
        let key = try #require(HostKey(base64: SampleKeys.ed25519))
        #expect(try known.verdict(host: "host.example", port: 22, key: key) == .known)
        #expect(try known.keyTypes(host: "host.example", port: 22) == ["ecdsa-sha2-nistp256", "ssh-ed25519"])
        #expect(try known.keyTypes(host: "host.example", port: 2222) == ["ecdsa-sha2-nistp256", "ssh-ed25519"])
        #expect(try known.keyTypes(host: "b.example", port: 22) == [])
    }

    @Test
    func `a file that cannot be read is told`() throws {
        let folder = try ScratchFolder()
        let text = String(repeating: "* ssh-ed25519 \(SampleKeys.ed25519)\n", count: 10_001)
        let known = KnownHosts(userFiles: [try folder.file("many", text)], systemFiles: [])
        #expect(throws: CocoaError.self) { try known.keyTypes(host: "host.example", port: 22) }
        let key = try #require(HostKey(base64: SampleKeys.ed25519))
        let file = try folder.file("file", "")
        #expect(throws: CocoaError.self) {
            try KnownHosts(userFiles: [file + "/known_hosts"], systemFiles: []).verdict(
                host: "host.example", port: 22, key: key)
        }
    }

    @Test
    func `lines that cannot be read are left out and told`() throws {
        let folder = try ScratchFolder()
        let long = String(repeating: "x", count: 70_000)
        let file = try folder.file(
            "known_hosts",
            """
            # a comment
            host.example ssh-ed25519 nonsense

            host.example
            \(long) ssh-ed25519 \(SampleKeys.ed25519)
            host.example ssh-ed25519 \(SampleKeys.ed25519)
            |1|short|short ssh-ed25519 \(SampleKeys.ed25519)
            """)
        let entries = try KnownHosts(userFiles: [file], systemFiles: []).entries(host: "host.example", port: 22)
        #expect(entries.entries.map(\.location) == ["\(file):6"])
        #expect(entries.skippedLines == [2, 4, 5, 7].map { "\(file):\($0)" })
        #expect(entries.skippedCount == 4)
    }

    @Test
    func `the pieces that a file is read in do not matter`() {
        let text = Array(KnownHostsCase.all.map(\.text).joined(separator: "\n").utf8)
        let name = KnownHostName(host: "host.example", port: 2222)
        func read(_ size: Int) -> KnownHostsParser {
            var parser = KnownHostsParser(name: name, file: "known_hosts")
            for start in stride(from: 0, to: text.count, by: size) {
                text[start..<min(start + size, text.count)].withUnsafeBytes { parser.take($0) }
            }
            parser.finish()
            return parser
        }
        let whole = read(text.count)
        #expect(whole.entries.count > 10)
        for size in [1, 2, 3, 7, 64, 1000] {
            let parser = read(size)
            #expect(parser.entries == whole.entries)
            #expect(parser.skippedLines == whole.skippedLines)
        }
    }

    @Test
    func `no change of a file crashes, nor does a marker get lost`() {
        let lines = KnownHostsCase.all.map(\.text).joined(separator: "\n")
        for _ in 0..<300 {
            var bytes = Array(lines.utf8)
            for _ in 0..<Int.random(in: 1...40) {
                let position = Int.random(in: bytes.indices)
                switch Int.random(in: 0..<3) {
                case 0: bytes[position] = UInt8.random(in: 0...255)
                case 1: bytes.insert(contentsOf: "*,!|[]@ \n".utf8.shuffled().prefix(3), at: position)
                default: bytes.removeSubrange(position..<min(position + Int.random(in: 1...20), bytes.count))
                }
            }
            var parser = KnownHostsParser(name: KnownHostName(host: "host.example", port: 22), file: "known_hosts")
            bytes.withUnsafeBytes { parser.take($0) }
            parser.finish()
            let read = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for entry in parser.entries {
                let line = String(decoding: read[entry.line - 1], as: UTF8.self)
                #expect(line.contains("@") || entry.marker == .none)
                #expect(!line.trimmingCharacters(in: .whitespaces).hasPrefix("@") || entry.marker != .none)
                #expect(line.contains(entry.key.base64.prefix(60)))
            }
        }
    }
}

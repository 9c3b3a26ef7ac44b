import CurlTransport
import FaultServer
import FileProviderCore
import Foundation
import Testing

@testable import FTPFileProvider

/// Hashes that a server computes.
@Suite struct FTPHashTests {
    private let path: ProviderPath
    private let content = Data("hello world".utf8)

    init() throws { path = try ProviderPath("book") }

    private func double(
        _ features: [String], _ answer: @escaping @Sendable (FTPDouble.Command) -> [FTPDouble.Fault] = { _ in [] }
    ) throws -> FTPDouble {
        var settings = FTPDouble.Settings(answer: answer)
        settings.allowsPipelining = true
        settings.features += features
        settings.hashes = ["CRC32": FTPDouble.crc32]
        return try FTPDouble(settings, files: ["/there": content])
    }

    private func provider(_ double: FTPDouble, _ settings: [String: String] = ["verify": "hash"], idle: Double = 10)
        throws
        -> FTPFileProvider
    {
        let options = ConnectionOptions(timeouts: Timeouts(connect: 5, idle: idle), retries: RetryPolicy(retries: 0))
        return try FTPFileProvider(
            configuration: FTPConfiguration(baseURL: double.url(), settings: settings), options: options)
    }

    @Test(arguments: [
        (FTPHash.Kind.crc32, "0d4a1185"), (.md5, "5eb63bbbe01eeed093cb22bb8f5acdc3"),
        (.sha1, "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed"),
        (.sha256, "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"),
        (
            .sha512,
            "309ecc489c12d6eb4cc40f50c902f2b4d0ed77ee511a7c7a9bcd3ca86d4cd86f989dd35bc5ff499670da34255b45b0cfd830e81f605dcf7dc5542e93ae9cd76f"
        ),
    ])
    func `A source's hash is that of all its bytes, wherever sending begins`(_ kind: FTPHash.Kind, _ expected: String)
        async throws
    {
        for start in [0, 5, content.count] {
            let tap = try await FTPHashingTap(DataSource(content), from: Int64(start), kind: kind)
            let source = TappedSource(DataSource(content), tap)
            for _ in 0..<2 {
                let bytes = try source.bytes(from: Int64(start))
                while try await bytes.next(upTo: 4) != nil {}
                #expect(tap.value == expected)
            }
        }
    }

    @Test(arguments: [
        ("213 SHA-1 0-10 2AAE6C35C94FCFB415DBE95F408B9CE91EE846ED a b", true),
        ("213-Computing\n213 SHA-1 0-11 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed 1", true),
        ("213 SHA-1 1-11 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed a", false),
        ("213 SHA-1 0-9 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed a", false),
        ("213 SHA-256 0-11 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed a", false),
        ("213 SHA-1 0-11 2aae6c35c94fcfb415dbe95f408b9ce91ee846e a", false),
        ("213 SHA-1", false), ("213 ", false), ("550 SHA-1 0-11 2aae6c35c94fcfb415dbe95f408b9ce91ee846ed a", false),
    ])
    func `Of replies to HASH the hash of the whole file is taken alone`(_ reply: String, _ isTaken: Bool) throws {
        let hash = FTPHash(kind: .sha1, command: .hash)
        #expect(
            hash.value(in: Self.reply(reply, "HASH"), size: 11)
                == (isTaken ? "2aae6c35c94fcfb415dbe95f408b9ce91ee846ed" : nil))
    }

    @Test(
        arguments: [
            (FTPHash.Kind.crc32, "250 D4A1185", "0d4a1185"), (.crc32, "250-Computing\n250 0D4A1185", "0d4a1185"),
            (.md5, "251 a b 5EB63BBBE01EEED093CB22BB8F5ACDC3", "5eb63bbbe01eeed093cb22bb8f5acdc3"),
            (.md5, "250 5EB63BBBE01EEED0", nil),
            (.crc32, "250 no hash", nil), (.crc32, "501 0D4A1185", nil),
        ] as [(FTPHash.Kind, String, String?)])
    func `Of replies to the other commands the last word is taken`(
        _ kind: FTPHash.Kind, _ reply: String, _ expected: String?
    ) throws {
        #expect(FTPHash(kind: kind, command: .own("X")).value(in: Self.reply(reply, "X")) == expected)
    }

    private static func reply(_ text: String, _ verb: String) -> FTPReply {
        FTPReply(
            verb: verb, code: Int(text.prefix(3)) ?? 0,
            lines: text.split(separator: "\n").map { Array($0.utf8.dropFirst(4)) })
    }

    @Test(arguments: ["HASH CRC32*;SHA-3", "XCRC"])
    func `With verify=hash every upload is compared`(_ feature: String) async throws {
        let double = try double([feature])
        defer { double.stop() }
        let provider = try provider(double)
        defer { provider.invalidate() }
        try await provider.writeContents(path: path, contents: content)
        #expect(double.file("/book") == content)
        #expect(
            double.commands.filter { ["HASH", "XCRC"].contains($0.verb) }.map(\.verb) == [String(feature.prefix(4))])
        #expect(try await provider.capabilities().hashKinds == ["crc32"])
    }

    @Test(arguments: ["HASH CRC32*", "XCRC"], [false, true])
    func `Another hash is refused, and nothing is left`(_ feature: String, _ isThere: Bool) async throws {
        let double = try double([feature]) { $0.verb == "STOR" ? [.storing { Data($0.reversed()) }] : [] }
        defer { double.stop() }
        if isThere { double.put(Data("old".utf8), at: "/book") }
        let provider = try provider(double)
        defer { provider.invalidate() }
        let error = await #expect(throws: CocoaError.self) {
            try await provider.writeContents(path: path, contents: content, overwrite: true)
        }
        #expect(error?.code == .fileWriteUnknown)
        #expect(double.paths == (isThere ? ["/book", "/there"] : ["/there"]))
        #expect(double.file("/book") == (isThere ? Data("old".utf8) : nil))
    }

    @Test func `A new file in place whose hash is another is removed`() async throws {
        let double = try double(["XCRC"]) { $0.verb == "STOR" ? [.storing { Data($0.reversed()) }] : [] }
        defer { double.stop() }
        let provider = try provider(double)
        defer { provider.invalidate() }
        await #expect(throws: CocoaError.self) {
            try await provider.writeContents(
                path: path, from: DataSource(content), options: WriteOptions(placement: .inPlace))
        }
        #expect(double.paths == ["/there"])
    }

    @Test(arguments: [
        "500 What", "550 Not here", "213 MD5 0-11 5eb63bbbe01eeed093cb22bb8f5acdc3 x", "213 CRC32 5-11 00000000 x",
        "213 x",
    ])
    func `An answer that says nothing of the file leaves it to the size`(_ reply: String) async throws {
        let double = try double(["HASH CRC32*"]) { $0.verb == "HASH" ? [.reply(reply)] : [] }
        defer { double.stop() }
        let provider = try provider(double)
        defer { provider.invalidate() }
        try await provider.writeContents(path: path, contents: content)
        #expect(double.file("/book") == content)
        #expect(try await provider.capabilities().hashKinds == (reply.hasPrefix("500") ? [] : ["crc32"]))
    }

    @Test func `A server that computes for longer than the connection waits leaves it to the size`() async throws {
        let double = try double(["HASH CRC32*"]) { $0.verb == "HASH" ? [.silence] : [] }
        defer { double.stop() }
        let provider = try provider(double, idle: 1)
        defer { provider.invalidate() }
        try await provider.writeContents(path: path, contents: content)
        #expect(double.file("/book") == content)
    }

    @Test func `A connection that is lost over a hash is an error, and nothing is left`() async throws {
        let double = try double(["HASH CRC32*"]) { $0.verb == "HASH" ? [.dropConnection] : [] }
        defer { double.stop() }
        let provider = try provider(double)
        defer { provider.invalidate() }
        await #expect(throws: URLError.self) { try await provider.writeContents(path: path, contents: content) }
        #expect(double.paths == ["/there"])
    }

    @Test func `Without the setting nothing is asked`() async throws {
        let double = try double(["HASH CRC32*", "XCRC"])
        defer { double.stop() }
        let provider = try provider(double, [:])
        defer { provider.invalidate() }
        try await provider.writeContents(path: path, contents: content)
        #expect(!double.commands.contains { $0.verb == "HASH" || $0.verb == "XCRC" || $0.argument.hasPrefix("HASH") })
    }

    @Test func `An app asks for the hash of a file`() async throws {
        let double = try double(["HASH CRC32*"])
        defer { double.stop() }
        double.putFolder("/folder")
        let provider = try provider(double, [:])
        defer { provider.invalidate() }
        let there = try ProviderPath("there")
        #expect(try await provider.checksum(of: there, kind: "crc32") == "0d4a1185")
        let unknown = await #expect(throws: CocoaError.self) { try await provider.checksum(of: there, kind: "sha256") }
        #expect(unknown?.code == .featureUnsupported)
        let missing = await #expect(throws: CocoaError.self) { try await provider.checksum(of: path, kind: "crc32") }
        #expect(missing?.code == .fileReadNoSuchFile)
        let folder = await #expect(throws: CocoaError.self) {
            try await provider.checksum(of: ProviderPath("folder"), kind: "crc32")
        }
        #expect(folder?.code == .fileReadUnknown)
        double.setAnswer { $0.verb == "HASH" ? [.reply("213 x")] : [] }
        let other = await #expect(throws: CocoaError.self) { try await provider.checksum(of: there, kind: "crc32") }
        #expect(other?.code == .fileReadUnknown)
    }

    @Test func `A name that would be taken for a range is not asked about`() async throws {
        let double = try double(["XCRC"])
        defer { double.stop() }
        double.put(content, at: "/there 0 2")
        let provider = try provider(double, [:])
        defer { provider.invalidate() }
        await #expect(throws: CocoaError.self) {
            try await provider.checksum(of: ProviderPath("there 0 2"), kind: "crc32")
        }
        #expect(!double.commands.contains { $0.verb == "XCRC" })
    }

    @Test(arguments: [
        ("XMD5", FTPHash.Kind.md5), ("XSHA1", .sha1), ("XSHA256", .sha256), ("XSHA512", .sha512), ("XCRC", .crc32),
    ])
    func `An upload is compared by whichever command the server has`(_ command: String, _ kind: FTPHash.Kind)
        async throws
    {
        for damages in [false, true] {
            var settings = FTPDouble.Settings { $0.verb == "STOR" && damages ? [.storing { Data($0.reversed()) }] : [] }
            settings.allowsPipelining = true
            settings.features.append(command)
            settings.hashes = [
                kind.rawValue: { data in
                    var digest = FTPDigest(kind)
                    data.withUnsafeBytes { digest.update($0) }
                    return digest.value.uppercased()
                }
            ]
            let double = try FTPDouble(settings)
            defer { double.stop() }
            let provider = try provider(double)
            defer { provider.invalidate() }
            let written = await Result { try await provider.writeContents(path: path, contents: content) }
            #expect(((try? written.get()) == nil) == damages && double.commands.contains { $0.verb == command })
            #expect(double.exists("/book") != damages)
        }
    }

    @Test func `The setting has two values`() throws {
        let url = try #require(URL(string: "ftp://example.org/"))
        #expect(try FTPConfiguration(baseURL: url, settings: ["verify": "size"]).verification == .size)
        #expect(throws: CocoaError.self) { try FTPConfiguration(baseURL: url, settings: ["verify": "trust"]) }
    }
}

import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import FTPFileProvider

/// Uploads that go on behind the part of an earlier one; each with a provider of its own, as another process would
/// have.
@Suite struct FTPResumingTests {
    private static let mebibyte = 1 << 20
    private let path: ProviderPath
    private let identity = "source, version 1"

    init() throws { path = try ProviderPath("book") }

    /// Bytes that are nowhere the same for long.
    private func bytes(_ count: Int, seed: UInt64 = 1) -> Data {
        var state = seed
        let words = (0..<(count + 7) / 8).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state
        }
        return words.withUnsafeBytes { Data($0.prefix(count)) }
    }

    private func double(
        hashes: Bool = false, unknown: Set<String> = [],
        _ answer: @escaping @Sendable (FTPDouble.Command) -> [FTPDouble.Fault] = { _ in [] }
    ) throws -> FTPDouble {
        var settings = FTPDouble.Settings(answer: answer)
        settings.allowsPipelining = true
        settings.unknown = unknown
        if hashes {
            settings.features.append("HASH CRC32*")
            settings.hashes = ["CRC32": FTPDouble.crc32]
        }
        return try FTPDouble(settings)
    }

    private func upload(
        _ data: Data, to double: FTPDouble, as identity: String? = nil, overwrite: Bool = false, retries: Int = 0
    ) async throws {
        let options = ConnectionOptions(
            timeouts: Timeouts(connect: 5, idle: 10), retries: RetryPolicy(retries: retries, firstPause: 0.01))
        let provider = try FTPFileProvider(configuration: FTPConfiguration(baseURL: double.url()), options: options)
        defer { provider.invalidate() }
        _ = try await provider.writeContents(
            path: path, from: DataSource(data), options: WriteOptions(overwrite: overwrite, resumption: identity))
    }

    private func part(_ identity: String) throws -> String {
        try TemporaryName.make(beside: path, for: identity).string
    }

    private func verbs(_ double: FTPDouble) -> [String] { double.commands.map(\.verb) }

    @Test func `What was cut goes on behind what came, and little is sent twice`() async throws {
        let data = bytes(8 * Self.mebibyte)
        let double = try double()
        defer { double.stop() }
        double.setAnswer { $0.verb == "STOR" ? [.resetDataAfter(4 << 20, reply: "426 Cut")] : [] }
        await #expect { try await upload(data, to: double, as: identity) } throws: { isCut($0) }
        let kept = try #require(double.file(part(identity)))
        #expect(kept.count >= 4 << 20 && kept.count < data.count && !double.exists("/book"))
        double.setAnswer { _ in [] }
        let before = double.dataTraffic
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data)
        #expect(double.paths == ["/book"])
        #expect(double.dataTraffic.received - before.received == data.count - kept.count)
        #expect(double.dataTraffic.sent - before.sent <= 64 << 10)
        #expect(verbs(double).filter { $0 == "APPE" }.count == 1 && verbs(double).filter { $0 == "STOR" }.count == 1)
        #expect(double.violations == [])
    }

    /// Whether an upload ended with the server's 426, or with its data connection: a reason that takes longer than a
    /// second is not waited for.
    private func isCut(_ error: any Error) -> Bool {
        (error as? FTPReplyError)?.code.rawValue == 426 || (error as? URLError)?.code == .networkConnectionLost
    }

    @Test func `What was cancelled goes on, too`() async throws {
        // More than the system keeps of a connection that nobody reads.
        let data = bytes(32 * Self.mebibyte)
        let double = try double { $0.verb == "STOR" ? [.stallDataAfter(1 << 20)] : [] }
        defer { double.stop() }
        let first = Task { try await upload(data, to: double, as: identity) }
        let part = try part(identity)
        try await eventually { double.file(part)?.count ?? 0 >= 1 << 20 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let kept = try #require(double.file(part)?.count)
        double.setAnswer { _ in [] }
        let before = double.dataTraffic.received
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data && double.paths == ["/book"])
        #expect(kept == 1 << 20 && double.dataTraffic.received - before == data.count - kept)
    }

    @Test func `Without an identity nothing is left, and small files leave nothing either`() async throws {
        for (size, identity) in [(2 * Self.mebibyte, nil), (1000, "any")] {
            let double = try double { $0.verb == "STOR" ? [.resetDataAfter(500, reply: "426 Cut")] : [] }
            defer { double.stop() }
            await #expect { try await upload(bytes(size), to: double, as: identity) } throws: { isCut($0) }
            #expect(double.paths == [])
        }
    }

    @Test func `A part that is whole is only renamed`() async throws {
        let data = bytes(2 * Self.mebibyte)
        let double = try double()
        defer { double.stop() }
        double.put(data, at: try part(identity))
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data && double.dataTraffic.received == 0)
        #expect(double.paths == ["/book"])
    }

    @Test(arguments: ["another end", "longer", "shorter than the proof"])
    func `A part that is not the source's is begun anew`(_ kind: String) async throws {
        let data = bytes(2 * Self.mebibyte)
        let double = try double()
        defer { double.stop() }
        var planted = data.prefix(Self.mebibyte)
        switch kind {
        case "longer": planted = data + [0]
        case "shorter than the proof": planted = bytes(1000, seed: 7)
        default: planted[planted.count - 60_000] ^= 1
        }
        double.put(Data(planted), at: try part(identity))
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data)
        #expect(double.paths == ["/book"])
        #expect(
            !verbs(double).contains("APPE") && verbs(double).contains("DELE")
                && double.dataTraffic.received == data.count)
    }

    @Test func `Another version of the source has a part of its own`() async throws {
        let (old, new) = (bytes(2 * Self.mebibyte), bytes(2 * Self.mebibyte, seed: 2))
        let double = try double()
        defer { double.stop() }
        double.put(old.prefix(Self.mebibyte), at: try part(identity))
        try await upload(new, to: double, as: "source, version 2")
        #expect(double.file("/book") == new)
        #expect(double.file(try part(identity)) == old.prefix(Self.mebibyte))
    }

    @Test(arguments: [["APPE"], ["APPE", "REST"]])
    func `A server without APPE is told where to go on by REST, and without that begun anew`(_ unknown: Set<String>)
        async throws
    {
        let data = bytes(2 * Self.mebibyte)
        let double = try double(unknown: unknown)
        defer { double.stop() }
        double.put(data.prefix(Self.mebibyte), at: try part(identity))
        // The proof is a whole part's end, for which REST is not needed, where the part is no longer than that.
        if unknown.contains("REST") { double.put(data.prefix(60_000), at: try part(identity)) }
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data)
        #expect(double.paths == ["/book"])
        #expect(double.dataTraffic.received == (unknown.contains("REST") ? data.count : Self.mebibyte))
    }

    @Test(arguments: [FTPDouble.OffsetRule.overwrite, .truncate, .zeroFill, .ignored], [false, true])
    func `What a server has made of an offset before STOR is looked at`(
        _ rule: FTPDouble.OffsetRule, _ losesReply: Bool
    ) async throws {
        let data = bytes(2 * Self.mebibyte + 300_000)
        let double = try double(unknown: ["APPE"]) { command in
            command.verb == "STOR"
                ? [.offset(rule)] + (losesReply && command.occurrence == 1 ? [.noFinalReply] : []) : []
        }
        defer { double.stop() }
        double.put(data.prefix(Self.mebibyte), at: try part(identity))
        try await upload(data, to: double, as: identity, retries: losesReply ? 1 : 0)
        #expect(double.file("/book") == data)
        #expect(double.paths == ["/book"])
        let isKept = [FTPDouble.OffsetRule.overwrite, .truncate].contains(rule)
        #expect(verbs(double).filter { $0 == "STOR" }.count == (isKept ? 1 : 2))
    }

    @Test func `A server that overwrites the start of a part with its rest is found out by the size`() async throws {
        let data = bytes(2 * Self.mebibyte + 300_000)
        let double = try double(unknown: ["APPE"]) { $0.verb == "STOR" ? [.offset(.ignored)] : [] }
        defer { double.stop() }
        // What is still to come is shorter than what is there, and leaves its end as it is.
        double.put(data.prefix(2 * Self.mebibyte), at: try part(identity))
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data)
        #expect(double.paths == ["/book"])
    }

    @Test func `A part that is still arriving is begun anew under another name`() async throws {
        let data = bytes(2 * Self.mebibyte)
        let double = try double()
        defer { double.stop() }
        let part = try part(identity)
        double.put(data.prefix(Self.mebibyte), at: part)
        // What the server had taken over the lost connection comes to the disk while the proof is read.
        double.setAnswer { [weak double] command in
            if command.verb == "RETR", command.occurrence == 1 {
                double?.put(data.prefix(Self.mebibyte + 5_000), at: part)
            }
            return []
        }
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data)
        #expect(double.paths == ["/book"])
        #expect(double.dataTraffic.received == data.count)
    }

    @Test(arguments: [500, 550])
    func `A server that refuses to append for this user is begun anew on`(_ code: Int) async throws {
        let data = bytes(2 * Self.mebibyte)
        // The proof is asked for by REST, too, at another place.
        let double = try double { command in
            command.verb == "APPE" || command.verb == "REST" && command.argument == "1048576"
                ? [.reply("\(code) No")] : []
        }
        defer { double.stop() }
        double.put(data.prefix(Self.mebibyte), at: try part(identity))
        try await upload(data, to: double, as: identity)
        #expect(double.file("/book") == data)
        #expect(double.paths == ["/book"])
    }

    @Test func `A resumed file that the server's hash refutes replaces nothing, and its part goes`() async throws {
        let data = bytes(Self.mebibyte + 200_000)
        let double = try double(hashes: true)
        defer { double.stop() }
        var damaged = data.prefix(Self.mebibyte)
        damaged[5] ^= 1
        double.put(damaged, at: try part(identity))
        double.put(Data("old".utf8), at: "/book")
        let error = await #expect(throws: CocoaError.self) {
            try await upload(data, to: double, as: identity, overwrite: true)
        }
        #expect(error?.code == .fileWriteUnknown)
        #expect(error?.sentence.contains("crc32") == true)
        #expect(double.file("/book") == Data("old".utf8))
        #expect(double.paths == ["/book"])
        try await upload(data, to: double, as: identity, overwrite: true)
        #expect(double.file("/book") == data)
    }

    @Test func `A connection that is lost on the way is gone on with, and the whole is compared by hash`() async throws
    {
        let data = bytes(Self.mebibyte + 200_000)
        let double = try double(hashes: true) { $0.verb == "STOR" ? [.resetDataAfter(600_000, reply: "426 Cut")] : [] }
        defer { double.stop() }
        try await upload(data, to: double, retries: 1)
        #expect(double.file("/book") == data)
        #expect(verbs(double).filter { ["STOR", "APPE", "HASH"].contains($0) } == ["STOR", "APPE", "HASH"])
    }

    @Test func `A server that keeps too little of what was appended has nothing published`() async throws {
        let data = bytes(2 * Self.mebibyte)
        let double = try double { $0.verb == "APPE" ? [.shortStore(1000)] : [] }
        defer { double.stop() }
        double.put(data.prefix(Self.mebibyte), at: try part(identity))
        let error = await #expect(throws: CocoaError.self) { try await upload(data, to: double, as: identity) }
        #expect(error?.code == .fileWriteUnknown)
        #expect(!double.exists("/book"))
    }

    @Test func `What is to be replaced in place stays when nothing of the new file could be sent`() async throws {
        let old = bytes(Self.mebibyte)
        let double = try double { $0.verb == "STOR" ? [.dropConnection] : [] }
        defer { double.stop() }
        double.put(old, at: "/book")
        let options = ConnectionOptions(retries: RetryPolicy(retries: 1, firstPause: 0.01))
        let provider = try FTPFileProvider(configuration: FTPConfiguration(baseURL: double.url()), options: options)
        defer { provider.invalidate() }
        await #expect(throws: URLError.self) {
            _ = try await provider.writeContents(
                path: path, from: DataSource(bytes(2 * Self.mebibyte, seed: 2)),
                options: WriteOptions(overwrite: true, placement: .inPlace, resumption: identity))
        }
        #expect(double.file("/book") == old && double.paths == ["/book"])
        #expect(verbs(double).filter { $0 == "STOR" }.count == 2)
    }

    @Test func `An upload in one go asks no more than it did`() async throws {
        let double = try double(hashes: true)
        defer { double.stop() }
        try await upload(bytes(1000), to: double)
        // A connection that is no longer needed may have said good-bye by now.
        let commands = verbs(double).filter { $0 != "QUIT" }
        #expect(commands.drop { $0 != "STOR" } == ["STOR", "SIZE", "MLST", "RNFR", "RNTO"])
        #expect(!commands.prefix { $0 != "STOR" }.contains { ["SIZE", "HASH", "RETR"].contains($0) })
    }

    @Test func `FTP declares that it goes on`() async throws {
        let double = try double()
        defer { double.stop() }
        let provider = try FTPFileProvider(configuration: FTPConfiguration(baseURL: double.url()))
        defer { provider.invalidate() }
        #expect(try await provider.capabilities()[.resumingWrites] == .native)
    }
}

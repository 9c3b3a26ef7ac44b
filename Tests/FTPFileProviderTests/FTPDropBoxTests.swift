import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// Folders that take files and show none, and servers that say less than others.
@Suite struct FTPDropBoxTests {
    private static let looks: Set<String> = ["LIST", "MLSD", "MLST", "SIZE", "MDTM", "NLST"]

    private static func write(
        _ provider: FTPFileProvider, _ name: String = "new", _ data: Data = FTPActivity.content,
        overwrite: Bool = false,
        inPlace: Bool = false
    ) async throws -> FileObject {
        let options = WriteOptions(overwrite: overwrite, placement: inPlace ? .inPlace : .published)
        return try await provider.writeContents(path: ProviderPath(name), from: DataSource(data), options: options)
    }

    @Test(
        arguments: ["550 Permission denied.", "550 Not enough privileges."], [false, true])
    func `Where nothing can be looked at, the acknowledgement is the proof`(refusal: String, inPlace: Bool) async throws
    {
        let settings = FTPDouble.Settings { Self.looks.contains($0.verb) ? [.reply(refusal)] : [] }
        try await withFTPProvider(settings) { double, provider in
            for data in [FTPActivity.content, Data(repeating: 7, count: 2 << 20), Data()] {
                let name = "new \(data.count)"
                let written = try await Self.write(provider, name, data, inPlace: inPlace)
                #expect(written.size == nil && double.file("/\(name)") == data)
            }
            // As asked for, over what is there.
            let size = try await Self.write(provider, "old", overwrite: true, inPlace: inPlace).size
            #expect(size == nil)
            #expect(double.file("/old") == FTPActivity.content)
            // A name that is taken is found out all the same.
            let error = try await FTPFaults.mustFail { try await Self.write(provider, "book", inPlace: inPlace) }
            #expect(error.cocoaCode == .fileWriteFileExists && double.file("/book") == FTPFaults.book)
            #expect(!inPlace || !double.commands.contains { $0.verb == "RNTO" && $0.path != "/book" })
        }
    }

    @Test func `Where nothing can be renamed either, a file goes to the name itself`() async throws {
        let refused = Self.looks.union(["RNFR", "RNTO", "DELE", "CWD"])
        let settings = FTPDouble.Settings { refused.contains($0.verb) ? [.reply("550 Not enough privileges.")] : [] }
        try await withFTPProvider(settings) { double, provider in
            let size = try await Self.write(provider, inPlace: true).size
            #expect(size == nil)
            #expect(double.file("/new") == FTPActivity.content)
            let error = try await FTPFaults.mustFail { try await Self.write(provider, "other") }
            #expect(error.sentence.contains("--in-place"), "\(error.sentence)")
            #expect(!double.exists("/other"))
            for part in FTPFaults.leftovers(double) { double.remove(part) }
        }
    }

    @Test func `A file that is taken from the folder at once has arrived`() async throws {
        // In place; under a temporary name nobody would know what it is.
        let settings = FTPDouble.Settings {
            $0.path != "/" && ["SIZE", "MLST", "RNFR"].contains($0.verb) ? [.reply("550 No such file")] : []
        }
        try await withFTPProvider(settings) { double, provider in
            let size = try await Self.write(provider, inPlace: true).size
            #expect(size == nil)
            #expect(double.file("/new") == FTPActivity.content)
            let error = try await FTPFaults.mustFail { try await Self.write(provider, "old", overwrite: true) }
            #expect(error.cocoaCode == .fileWriteUnknown && double.file("/old") == Data("old".utf8))
        }
    }

    // MARK: What was put is seen

    /// Without `MLST` and `SIZE`.
    private static func bare(_ answer: @escaping @Sendable (FTPDouble.Command) -> [FTPDouble.Fault] = { _ in [] })
        -> FTPDouble.Settings
    {
        var settings = FTPDouble.Settings(answer: answer)
        settings.features = ["EPSV"]
        settings.unknown = ["SIZE", "MLST", "MLSD", "MDTM"]
        return settings
    }

    @Test func `Without SIZE and MLST a listing tells`() async throws {
        try await withFTPProvider(Self.bare()) { double, provider in
            let size = try await Self.write(provider).size
            #expect(size == Int64(FTPActivity.content.count))
            let error = try await FTPFaults.mustFail { try await Self.write(provider, "old") }
            #expect(error.cocoaCode == .fileWriteFileExists && double.file("/old") == Data("old".utf8))
            let replaced = try await Self.write(provider, "old", overwrite: true).size
            #expect(replaced == Int64(FTPActivity.content.count))
        }
    }

    @Test func `On the first use of such a server, a taken name is seen, too`() async throws {
        try await withFTPProvider(Self.bare()) { double, provider in
            let error = try await FTPFaults.mustFail { try await Self.write(provider, "old") }
            #expect(error.cocoaCode == .fileWriteFileExists && double.file("/old") == Data("old".utf8))
        }
    }

    @Test(arguments: [0, 3], [true, false])
    func `A server that keeps less than it gets replaces nothing`(count: Int, isBare: Bool) async throws {
        let answer: @Sendable (FTPDouble.Command) -> [FTPDouble.Fault] = {
            $0.verb == "STOR" ? [.shortStore(count)] : []
        }
        try await withFTPProvider(isBare ? Self.bare(answer) : .init(answer: answer)) { double, provider in
            for _ in 0..<2 {
                let error = try await FTPFaults.mustFail { try await Self.write(provider, "old", overwrite: true) }
                #expect(error.cocoaCode == .fileWriteUnknown && double.file("/old") == Data("old".utf8))
                #expect(error.sentence.contains("\(count) of \(FTPActivity.content.count) bytes"), "\(error.sentence)")
            }
            // In place and short, too, which the server's 226 was taken for before.
            let error = try await FTPFaults.mustFail { try await Self.write(provider, inPlace: true) }
            #expect(error.cocoaCode == .fileWriteUnknown && !double.exists("/new"))
        }
    }

    @Test func `A reply that gives the length takes no look`() async throws {
        let count = FTPActivity.content.count
        let settings = FTPDouble.Settings {
            $0.verb == "STOR" ? [.replyAfterDoing("226 Transfer complete, \(count) bytes")] : []
        }
        try await withFTPProvider(settings) { double, provider in
            let size = try await Self.write(provider, inPlace: true).size
            #expect(size == Int64(count))
            #expect(double.commands.last?.verb == "STOR")
        }
    }
}

import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// What becomes of a file on its way here.
@Suite struct FTPDownloadFaultTests {
    private static let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

    private func quick(_ options: inout ConnectionOptions) { options.timeouts = Timeouts(connect: 2, idle: 2) }
    private func once(_ options: inout ConnectionOptions) { options.retries.retries = 1 }

    private func read(_ provider: FTPFileProvider, _ part: FilePart = .whole, of name: String = "book") async throws
        -> Data
    {
        try await provider.contents(path: ProviderPath(name), part: part)
    }

    @Test(arguments: ["226 Done", "426 Cut", "451 Hm", "550 Gone"], [0, 100])
    func `A file that ends too early is an error, and is gone on with`(reply: String, count: Int) async throws {
        for part in [FilePart.whole, .from(10), .range(20..<4_000)] {
            let settings = FTPDouble.Settings { $0.verb == "RETR" ? [.closeDataAfter(count, reply: reply)] : [] }
            try await withFTPProvider(settings) { _, provider in
                _ = try await FTPFaults.mustFail { try await read(provider, part) }
            }
            let first = FTPDouble.Settings {
                $0.verb == "RETR" && $0.occurrence == 1 ? [.closeDataAfter(count, reply: reply)] : []
            }
            if reply.first == "5" || reply.first == "2" { continue }
            try await withFTPProvider(first, options: once) { double, provider in
                let range = Int(part.resolved(size: 5_000).lowerBound)..<Int(part.resolved(size: 5_000).upperBound)
                try await #expect(read(provider, part) == FTPFaults.book[range], "\(part)")
            }
        }
    }

    @Test(arguments: [0, 100])
    func `A file that the server calls done before its size is another file, and not gone on with`(count: Int)
        async throws
    {
        let settings = FTPDouble.Settings {
            $0.verb == "RETR" && $0.occurrence == 1 ? [.closeDataAfter(count, reply: "226 Done")] : []
        }
        for part in [FilePart.whole, .from(10), .range(0..<4_000)] {
            try await withFTPProvider(settings, options: once) { double, provider in
                let error = try await FTPFaults.mustFail { try await read(provider, part) }
                #expect(error.cocoaCode == .fileReadUnknown, "\(part) \(error)")
                #expect(double.commands.count { $0.verb == "RETR" } == 1)
            }
        }
    }

    @Test func `What came before a cut is not fetched again`() async throws {
        let settings = FTPDouble.Settings {
            $0.verb == "RETR" && $0.occurrence == 1 ? [.resetDataAfter(1_500_000, reply: "426 Cut")] : []
        }
        try await withFTPProvider(settings, files: ["/book": Self.large], options: once) { double, provider in
            try await #expect(read(provider) == Self.large)
            #expect(double.commands.count { $0.verb == "RETR" } == 2)
            #expect(double.dataTraffic.sent < 3_000_000 + 1_500_000)
        }
    }

    @Test func `The control connection goes in the middle, and the file is gone on with`() async throws {
        let settings = FTPDouble.Settings { command in
            command.verb == "RETR" && command.occurrence == 1 ? [.slowData(bytes: 100_000, pause: 0.01)] : []
        }
        try await withFTPProvider(settings, files: ["/book": Self.large], options: once) { double, provider in
            async let data = read(provider)
            try await eventually { double.dataTraffic.sent > 200_000 }
            double.reset(.afterSending(0))
            try await #expect(data == Self.large)
        }
    }

    @Test(arguments: [0, 1_000]) func `A stall ends in time`(count: Int) async throws {
        let settings = FTPDouble.Settings { $0.verb == "RETR" ? [.stallDataAfter(count)] : [] }
        try await withFTPProvider(settings, options: quick) { _, provider in
            for part in [FilePart.whole, .range(2_000..<4_000)] {
                let error = try await FTPFaults.mustFail { try await read(provider, part) }
                #expect(error.urlCode == .timedOut, "\(error)")
            }
        }
    }

    @Test(arguments: [FilePart.whole, .from(100), .range(100..<300)])
    func `The last word never comes, or the connection goes before it`(part: FilePart) async throws {
        let range = Int(part.resolved(size: 5_000).lowerBound)..<Int(part.resolved(size: 5_000).upperBound)
        for fault in [FTPDouble.Fault.noFinalReplyButOpen, .noFinalReply] {
            try await withFTPProvider(.init { $0.verb == "RETR" ? [fault] : [] }, options: quick) { double, provider in
                let start = ContinuousClock.now
                try await #expect(read(provider, part) == FTPFaults.book[range], "\(fault)")
                #expect(start.duration(to: .now) < .seconds(30))
                try await FTPActivity.look.run(provider)
            }
        }
    }

    @Test func `A file is longer or shorter than its size`() async throws {
        for size in [0, 1, 4_999, 5_001, 1 << 40] {
            let settings = FTPDouble.Settings { $0.verb == "SIZE" ? [.sizeLies(size)] : [] }
            try await withFTPProvider(settings, options: quick) { _, provider in
                let result = await Result { try await read(provider) }
                if size == 0 {
                    try #expect(result.get() == Data())
                } else {
                    #expect { try result.get() } throws: {
                        (($0 as? CocoaError)?.underlying as? POSIXError)?.code == .ESTALE
                    }
                }
            }
        }
    }

    @Test func `A size that makes no sense is none`() async throws {
        for reply in ["213 -5", "213 99999999999999999999999", "213 ", "213 many", "500 No", "502 No"] {
            let settings = FTPDouble.Settings { $0.verb == "SIZE" ? [.replyAfterDoing(reply)] : [] }
            for hasMLST in [true, false] {
                var settings = settings
                if !hasMLST { settings.features = ["SIZE"] }
                try await withFTPProvider(settings) { _, provider in
                    try await #expect(read(provider) == FTPFaults.book)
                    try await #expect(read(provider, .range(5..<50)) == FTPFaults.book[5..<50])
                    await #expect(throws: CocoaError.self) { try await read(provider, of: "gone") }
                }
            }
        }
    }

    @Test func `Without times a file is read all the same`() async throws {
        var settings = FTPDouble.Settings()
        settings.unknown = ["MDTM", "MLST", "MLSD", "FEAT"]
        try await withFTPProvider(settings) { _, provider in
            try await #expect(read(provider) == FTPFaults.book)
            try await #expect(read(provider, .suffix(9)) == FTPFaults.book.suffix(9))
        }
    }

    // MARK: Offsets

    @Test(arguments: ["502 No", "501 No", "550 No"]) func `Without REST a part is an error`(reply: String) async throws
    {
        try await withFTPProvider(.init { $0.verb == "REST" ? [.reply(reply)] : [] }) { _, provider in
            let error = try await FTPFaults.mustFail { try await read(provider, .range(100..<200)) }
            #expect(error.cocoaCode == .featureUnsupported)
            try await #expect(read(provider) == FTPFaults.book)
        }
    }

    @Test(arguments: [true, false]) func `An offset that the server takes no notice of shows`(isLarge: Bool)
        async throws
    {
        let size = isLarge ? Int64(Self.large.count) : 5_000
        for features in [["SIZE", "MDTM", "REST STREAM"], ["SIZE", "MDTM"]] {
            var settings = FTPDouble.Settings { $0.verb == "RETR" ? [.offset(.ignored)] : [] }
            settings.features = features
            try await withFTPProvider(settings, files: ["/book": isLarge ? Self.large : FTPFaults.book]) {
                _, provider in
                for part in [
                    FilePart.from(10), .suffix(100), .range(100..<200), .range(0..<50), .range(100..<size - 5),
                ] {
                    let range = part.resolved(size: size)
                    let error = await FTPFaults.failure { try await read(provider, part) }
                    #expect((error == nil) == (range.lowerBound == 0), "\(part) \(features)")
                }
            }
        }
    }

    @Test(arguments: [true, false])
    func `That offsets are taken notice of is seen once, and by the end of a file for nothing`(
        beginsAtEnd: Bool
    ) async throws {
        try await withFTPProvider { double, provider in
            if beginsAtEnd { try await #expect(read(provider, .suffix(100)) == FTPFaults.book.suffix(100)) }
            for start in [100, 200] {
                try await #expect(
                    read(provider, .range(Int64(start)..<Int64(start) + 50)) == FTPFaults.book[start..<start + 50])
            }
            #expect(double.commands.count { $0.verb == "RETR" } == 3)
        }
    }

    @Test func `A download that is gone on with from the start is an error`() async throws {
        let settings = FTPDouble.Settings { command in
            command.verb == "RETR"
                ? [.offset(.ignored)] + (command.occurrence == 1 ? [.closeDataAfter(1_000, reply: "426 Cut")] : []) : []
        }
        try await withFTPProvider(settings, options: once) { _, provider in
            let error = try await FTPFaults.mustFail { try await read(provider) }
            #expect(((error as? CocoaError)?.underlying as? POSIXError)?.code == .ESTALE, "\(error)")
        }
    }
}

extension Result where Failure == any Error {
    init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}

import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// What becomes of a file on its way to a server.
@Suite struct FTPUploadFaultTests {
    private static let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 | 1) })

    private func quick(_ options: inout ConnectionOptions) { options.timeouts = Timeouts(connect: 2, idle: 2) }

    private func write(
        _ provider: FTPFileProvider, _ data: Data = FTPActivity.content, to name: String = "old", overwrite: Bool = true
    ) async throws -> FileObject {
        try await provider.writeContents(path: ProviderPath(name), contents: data, overwrite: overwrite)
    }

    private func isOld(_ double: FTPDouble) -> Bool { double.file("/old") == Data("old".utf8) }

    // MARK: Refusals

    @Test(arguments: ["552 Exceeded", "452 No room", "550 Disk full", "553 No space left on device"])
    func `No room is told as such, at the start and in the middle`(reply: String) async throws {
        for fault in [
            FTPDouble.Fault.reply(reply), .closeDataAfter(1, reply: reply), .closeDataAfter(1_000_000, reply: reply),
        ] {
            for data in [FTPFaults.book, Self.large] {
                if case .closeDataAfter(1_000_000, _) = fault, data.count < 1_000_000 { continue }
                try await withFTPProvider(.init { $0.verb == "STOR" ? [fault] : [] }) { double, provider in
                    let error = try await FTPFaults.mustFail { try await write(provider, data) }
                    // A reset may overtake the reason, and then libcurl closes the connection that it comes over.
                    let isLost = if case .reply = fault { false } else { error.urlCode == .networkConnectionLost }
                    #expect(error.cocoaCode == .fileWriteOutOfSpace || isLost, "\(fault): \(error)")
                    #expect(isOld(double))
                }
            }
        }
    }

    @Test func `A server that refuses everything has one sentence for each operation`() async throws {
        let reported: Set = [
            "STOR", "RNFR", "RNTO", "DELE", "RMD", "MKD", "MLST", "MLSD", "LIST", "SIZE", "MDTM", "RETR", "CWD",
        ]
        for text in ["550 No", "553 Not you", "550 Permission denied", "500 What?"] {
            try await withFTPProvider(.init { reported.contains($0.verb) ? [.reply(text)] : [] }) { double, provider in
                for doing in FTPActivity.allCases {
                    _ = try await FTPFaults.mustFail { try await doing.run(provider) }
                }
                #expect(isOld(double))
                #expect(double.paths.count == 4)
            }
        }
    }

    @Test func `A refused renaming leaves the old file and no other`() async throws {
        for verb in ["RNFR", "RNTO"] {
            for text in ["550 No", "553 Permission denied", "501 What?", "450 Busy"] {
                try await withFTPProvider(.init { $0.verb == verb ? [.reply(text)] : [] }) { double, provider in
                    _ = try await FTPFaults.mustFail { try await write(provider) }
                    #expect(isOld(double))
                    _ = try await FTPFaults.mustFail { try await write(provider, to: "new", overwrite: false) }
                    _ = try await FTPFaults.mustFail { try await FTPActivity.move.run(provider) }
                    #expect(isOld(double) && !double.exists("/new"))
                }
            }
        }
    }

    @Test
    func `A server that does not rename onto a file gets it out of the way, and back when the new one is refused`()
        async throws
    {
        var settings = FTPDouble.Settings()
        settings.renameReplaces = false
        try await withFTPProvider(settings) { double, provider in
            _ = try await write(provider)
            #expect(double.file("/old") == FTPActivity.content)
            double.putFolder("/folder")
            _ = try await write(provider, to: "folder")
            #expect(double.file("/folder") == FTPActivity.content)
        }
        settings.answer = { $0.verb == "RNTO" && $0.occurrence == 3 ? [.reply("550 Not now")] : [] }
        try await withFTPProvider(settings) { double, provider in
            _ = try await FTPFaults.mustFail { try await write(provider) }
            #expect(isOld(double))
        }
    }

    // MARK: What the server keeps

    @Test(arguments: [0, 5]) func `A server that keeps less and says that all is well replaces nothing`(count: Int)
        async throws
    {
        for data in [FTPActivity.content, Self.large] {
            try await withFTPProvider(.init { $0.verb == "STOR" ? [.shortStore(count)] : [] }) { double, provider in
                let error = try await FTPFaults.mustFail { try await write(provider, data) }
                #expect(error.cocoaCode == .fileWriteUnknown)
                #expect(isOld(double))
            }
        }
    }

    @Test func `An upload of unknown length that is ended by the server is no success`() async throws {
        for reply in ["226 Done", "426 Cut", "552 Full"] {
            let settings = FTPDouble.Settings { $0.verb == "STOR" ? [.closeDataAfter(1_000_000, reply: reply)] : [] }
            try await withFTPProvider(settings) { double, provider in
                let error = try await FTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("old"), from: SequenceSource(pieces(60)),
                        options: WriteOptions(overwrite: true))
                }
                if reply.hasPrefix("552") {
                    #expect(error.cocoaCode == .fileWriteOutOfSpace || error.urlCode == .networkConnectionLost)
                }
                #expect(isOld(double))
            }
        }
    }

    @Test func `An empty file is written, and one that is lost shows`() async throws {
        try await withFTPProvider { double, provider in
            let item = try await write(provider, Data())
            #expect(item.size == 0 && double.file("/old") == Data())
        }
    }

    @Test(arguments: [FTPDouble.OffsetRule.overwrite, .zeroFill, .ignored, .truncate])
    func `A cut upload is gone on with and right at the end`(rule: FTPDouble.OffsetRule) async throws {
        for reply in ["426 Cut", "451 Hm"] {
            let settings = FTPDouble.Settings { command in
                ["STOR", "APPE"].contains(command.verb)
                    ? [.offset(rule)]
                        + (command.verb == "STOR" && command.occurrence == 1
                            ? [.closeDataAfter(1_000_000, reply: reply)] : [])
                    : []
            }
            try await withFTPProvider(settings) {
                $0.retries.retries = 1
            } _: { double, provider in
                _ = try await write(provider, Self.large)
                #expect(double.file("/old") == Self.large)
            }
        }
    }

    @Test func `An APPE that begins anew, or puts zeros in between, shows by the size`() async throws {
        let changes: [@Sendable (Data) -> Data] = [{ _ in Data() }, { Data(count: 1_000) + $0 }, { $0 + $0 }]
        for change in changes {
            let settings = FTPDouble.Settings { command in
                if command.verb == "APPE" { return [.storing(change)] }
                return command.verb == "STOR" && command.occurrence == 1
                    ? [.closeDataAfter(1_000_000, reply: "426 Cut")] : []
            }
            try await withFTPProvider(settings) {
                $0.retries.retries = 1
            } _: { double, provider in
                _ = try await FTPFaults.mustFail { try await write(provider, Self.large) }
                #expect(isOld(double))
            }
        }
    }

    @Test func `A server without APPE is sent the whole file again`() async throws {
        var settings = FTPDouble.Settings { command in
            command.verb == "STOR" && command.occurrence == 1 ? [.closeDataAfter(1_000_000, reply: "426 Cut")] : []
        }
        settings.unknown = ["APPE"]
        try await withFTPProvider(settings) {
            $0.retries.retries = 3
        } _: { double, provider in
            let written = try await write(provider, Self.large)
            #expect(written.size == Int64(Self.large.count))
            #expect(double.file("/old") == Self.large)
            #expect(double.commands.count { $0.verb == "STOR" } == 2)
        }
    }

    @Test func `A stall ends in time`() async throws {
        for (data, count) in [(FTPFaults.book, 100), (Self.large + Self.large + Self.large, 100_000)] {
            try await withFTPProvider(.init { $0.verb == "STOR" ? [.stallDataAfter(count)] : [] }, options: quick) {
                double, provider in
                let error = try await FTPFaults.mustFail { try await write(provider, data) }
                // Of a file that is in the buffers, the server says itself that it did not come through.
                #expect(error.urlCode == .timedOut || data.count < 10_000 && error.isTransient, "\(error)")
                #expect(isOld(double))
            }
        }
    }

    @Test(arguments: [0, 1]) func `The last word never comes, or the connection goes before it`(retries: Int)
        async throws
    {
        for fault in [FTPDouble.Fault.noFinalReply, .noFinalReplyButOpen] {
            for data in [FTPActivity.content, Self.large] {
                let settings = FTPDouble.Settings { $0.verb == "STOR" && $0.occurrence == 1 ? [fault] : [] }
                try await withFTPProvider(settings) {
                    quick(&$0)
                    $0.retries.retries = retries
                } _: { double, provider in
                    let size = try await write(provider, data).size
                    let wasSentOnce = double.commands.count { ["STOR", "APPE"].contains($0.verb) } == 1
                    #expect(size == Int64(data.count) && double.file("/old") == data && wasSentOnce, "\(fault)")
                }
            }
        }
    }

    @Test(arguments: [1, 8], [0, 1]) func `A renaming whose reply is lost is looked at`(connections: Int, retries: Int)
        async throws
    {
        for fault in [FTPDouble.Fault.noFinalReply, .dropConnection, .noFinalReplyButOpen] {
            for verb in ["RNFR", "RNTO", "SIZE"] {
                let settings = FTPDouble.Settings { $0.verb == verb && $0.occurrence == 1 ? [fault] : [] }
                try await withFTPProvider(settings) {
                    quick(&$0)
                    $0.retries.retries = retries
                    $0.connectionsPerHost = connections
                } _: { double, provider in
                    let error = await FTPFaults.failure { try await write(provider) }
                    let isDone = double.file("/old") == FTPActivity.content
                    #expect(error == nil ? isDone : isOld(double), "\(verb) \(fault)")
                    if case .noFinalReply = fault, verb == "RNTO" { #expect(error == nil) }
                    if retries > 0 { #expect(error == nil, "\(verb) \(fault): \(String(describing: error))") }
                }
            }
        }
    }

    // MARK: Sources

    private func pieces(_ count: Int, thenFails: Bool = false) -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream { continuation in
            for _ in 0..<count { continuation.yield(Data(repeating: 1, count: 100_000)) }
            if thenFails {
                continuation.finish(throwing: CocoaError(.fileReadCorruptFile))
            } else {
                continuation.finish()
            }
        }
    }

    @Test(arguments: [WriteOptions.Placement.published, .inPlace])
    func `A source that breaks its promise or fails changes nothing`(placement: WriteOptions.Placement) async throws {
        let options = WriteOptions(placement: placement)
        try await withFTPProvider {
            $0.retries.retries = 1
        } _: { double, provider in
            for length in [100, 299_999, 300_001, 900_000] as [Int64] {
                let error = try await FTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("new"), from: SequenceSource(pieces(3), length: length), options: options)
                }
                #expect(error.cocoaCode == .fileWriteUnknown, "\(length)")
                #expect(!double.exists("/new"), "\(length)")
            }
            for length in [nil, 900_000] as [Int64?] {
                let error = try await FTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("new"), from: SequenceSource(pieces(3, thenFails: true), length: length),
                        options: options)
                }
                #expect(error.cocoaCode == .fileReadCorruptFile, "\(error)")
                #expect(!double.exists("/new"))
            }
        }
    }

    @Test func `A source that can be read once is not read twice`() async throws {
        for fault in [FTPDouble.Fault.closeDataAfter(50_000, reply: "426 Cut"), .noFinalReply, .dropConnection] {
            try await withFTPProvider(.init { $0.verb == "STOR" && $0.occurrence == 1 ? [fault] : [] }) {
                $0.retries.retries = 2
            } _: { double, provider in
                let error = await FTPFaults.failure {
                    try await provider.writeContents(
                        path: ProviderPath("old"), from: SequenceSource(pieces(3), length: 300_000),
                        options: WriteOptions(overwrite: true))
                }
                let isSettled = if case .noFinalReply = fault { true } else { false }
                #expect(
                    isSettled
                        ? error == nil && double.file("/old")?.count == 300_000
                        : error?.isTransient == true && isOld(double))
                #expect(double.commands.count { $0.verb == "STOR" } == 1, "\(fault)")
            }
        }
    }
}

import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// What a server's answers around an upload are taken for.
@Suite struct FTPUploadSettlingTests {
    private static let large = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 | 1) })
    private static let date = Date(timeIntervalSince1970: 1_500_000_000)

    // MARK: A lost 226

    private static func once(_ data: Data, length: Int64?) -> SequenceSource<AsyncThrowingStream<Data, any Error>> {
        let stream = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(data)
            continuation.finish()
        }
        return SequenceSource(stream, length: length)
    }

    @Test(arguments: [true, false])
    func `A source of unknown length whose end was seen is settled by the size`(isKnown: Bool) async throws {
        for data in [FTPDoing.content, Self.large] {
            for placement in [WriteOptions.Placement.published, .inPlace] {
                try await withFTPProvider(.init { $0.verb == "STOR" ? [.noFinalReply] : [] }) { double, provider in
                    let item = try await provider.writeContents(
                        path: ProviderPath("new"), from: Self.once(data, length: isKnown ? Int64(data.count) : nil),
                        options: WriteOptions(placement: placement))
                    #expect(item.size == Int64(data.count) && double.file("/new") == data)
                    #expect(double.commands.count { $0.verb == "STOR" } == 1)
                }
            }
        }
    }

    @Test func `What is shorter on the server than what was sent is no success`() async throws {
        for placement in [WriteOptions.Placement.published, .inPlace] {
            try await withFTPProvider(.init { $0.verb == "STOR" ? [.shortStore(3), .noFinalReply] : [] }) { double, provider in
                let error = try await FTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("new"), from: DataSource(FTPDoing.content), options: WriteOptions(placement: placement))
                }
                #expect(error.urlCode == .networkConnectionLost && !double.exists("/new"))
            }
        }
    }

    @Test func `An old file of the same length is not taken for the new one that replaces it in place`() async throws {
        let old = Data(FTPDoing.content.reversed())
        for (keeps, isRepeatable) in [(true, true), (true, false), (false, true)] {
            let settings = FTPDouble.Settings { $0.verb == "STOR" ? (keeps ? [.storing { _ in old }] : []) + [.noFinalReply] : [] }
            try await withFTPProvider(settings) { double, provider in
                let source: any WriteSource =
                    isRepeatable ? DataSource(FTPDoing.content) : Self.once(FTPDoing.content, length: Int64(FTPDoing.content.count))
                let error = await FTPFaults.failure {
                    try await provider.writeContents(
                        path: ProviderPath("old"), from: source, options: WriteOptions(overwrite: true, placement: .inPlace))
                }
                #expect((error == nil) == !keeps && double.file("/old") == (keeps ? old : FTPDoing.content))
            }
        }
    }

    @Test func `An upload goes on from a file of the same server over the only connections`() async throws {
        let settings = FTPDouble.Settings { $0.verb == "STOR" && $0.occurrence == 1 ? [.closeDataAfter(1_200_000, reply: "426 Cut")] : [] }
        try await withFTPProvider(settings, files: ["/book": Self.large]) {
            $0.connectionsPerHost = 1
            $0.retries.retries = 1
        } _: { double, provider in
            let reader = try await provider.open(path: ProviderPath("book"))
            let source = try await reader.writeSource()
            let item = try await provider.writeContents(path: ProviderPath("new"), from: source, options: WriteOptions())
            #expect(item.size == Int64(Self.large.count) && double.file("/new") == Self.large)
        }
    }

    // MARK: Times

    @Test(arguments: ["MFMT", "SITE", "MDTM"])
    func `A time that the server did not take is not told, and not tried again`(verb: String) async throws {
        for refusal in verb == "MDTM" ? ["500 What?", "550 No such file"] : ["500 What?", "502 No"] {
            for placement in [WriteOptions.Placement.published, .inPlace] {
                var settings = FTPDouble.Settings { command in
                    command.verb == verb && command.argument.contains("20170714") ? [.reply(refusal)] : []
                }
                settings.features = ["EPSV", "SIZE", "UTF8"] + [verb == "SITE" ? "SITE UTIME" : verb]
                try await withFTPProvider(settings) { double, provider in
                    #expect(try await provider.capabilities()[.settingModificationDate] == .native)
                    for _ in 0..<2 {
                        let options = WriteOptions(overwrite: true, placement: placement, modificationDate: Self.date)
                        let item = try await provider.writeContents(
                            path: ProviderPath("new"), from: DataSource(FTPDoing.content), options: options)
                        #expect(item.modifiedDate == nil)
                    }
                    #expect(double.commands.count { $0.argument.contains("20170714") } == 1)
                    #expect(try await provider.capabilities()[.settingModificationDate] == .unavailable)
                    let error = try await FTPFaults.mustFail {
                        try await provider.setAttributes(path: ProviderPath("new"), permissions: nil, modificationDate: Self.date)
                    }
                    #expect(error.cocoaCode == .featureUnsupported)
                }
            }
        }
    }

    @Test func `A time that the server took is told`() async throws {
        try await withFTPProvider { double, provider in
            let options = WriteOptions(modificationDate: Self.date)
            let item = try await provider.writeContents(path: ProviderPath("new"), from: DataSource(FTPDoing.content), options: options)
            #expect(item.modifiedDate == Self.date)
            #expect(try await provider.attributesOfItem(path: ProviderPath("new")).modifiedDate == Self.date)
        }
    }

    @Test func `Setting a time goes on to the next way, and a missing file is told`() async throws {
        var settings = FTPDouble.Settings()
        settings.features = ["EPSV", "SIZE", "MDTM", "MFMT", "SITE UTIME"]
        settings.unknown = ["MFMT"]
        try await withFTPProvider(settings) { double, provider in
            try await provider.setAttributes(path: ProviderPath("book"), permissions: nil, modificationDate: Self.date)
            #expect(double.commands.contains { $0.verb == "SITE" && $0.argument.hasPrefix("UTIME ") })
        }
        settings.features = ["EPSV", "SIZE", "MDTM"]
        try await withFTPProvider(settings) { _, provider in
            let error = try await FTPFaults.mustFail {
                try await provider.setAttributes(path: ProviderPath("none"), permissions: nil, modificationDate: Self.date)
            }
            #expect(error.isNoSuchFile)
            try await provider.setAttributes(path: ProviderPath("book"), permissions: nil, modificationDate: Self.date)
        }
    }

    // MARK: Commands that a server does not know

    @Test(arguments: [500, 502, 504])
    func `A command that there is no other way for is an unsupported feature`(code: Int) async throws {
        let told: Set = ["STOR", "MKD", "RNFR"]
        try await withFTPProvider(.init { told.contains($0.verb) ? [.reply("\(code) What?")] : [] }) { _, provider in
            for doing in [FTPDoing.publish, .writeInPlace, .makeFolder, .move] {
                let error = try await FTPFaults.mustFail { try await doing.run(provider) }
                #expect(error.cocoaCode == .featureUnsupported, "\(doing): \(error)")
                #expect(((error as? CocoaError)?.underlying as? FTPReplyError)?.code.rawValue == code, "\(doing)")
            }
        }
    }
}

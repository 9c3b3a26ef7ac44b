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
        for data in [FTPActivity.content, Self.large] {
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
            try await withFTPProvider(.init { $0.verb == "STOR" ? [.shortStore(3), .noFinalReply] : [] }) {
                double, provider in
                let error = try await FTPFaults.mustFail {
                    try await provider.writeContents(
                        path: ProviderPath("new"), from: DataSource(FTPActivity.content),
                        options: WriteOptions(placement: placement))
                }
                #expect(error.urlCode == .networkConnectionLost && !double.exists("/new"))
            }
        }
    }

    @Test func `An old file of the same length is not taken for the new one that replaces it in place`() async throws {
        let old = Data(FTPActivity.content.reversed())
        for (keeps, isRepeatable) in [(true, true), (true, false), (false, true)] {
            let settings = FTPDouble.Settings {
                $0.verb == "STOR" ? (keeps ? [.storing { _ in old }] : []) + [.noFinalReply] : []
            }
            try await withFTPProvider(settings) { double, provider in
                let source: any WriteSource =
                    isRepeatable
                    ? DataSource(FTPActivity.content)
                    : Self.once(FTPActivity.content, length: Int64(FTPActivity.content.count))
                let error = await FTPFaults.failure {
                    try await provider.writeContents(
                        path: ProviderPath("old"), from: source,
                        options: WriteOptions(overwrite: true, placement: .inPlace))
                }
                #expect((error == nil) == !keeps && double.file("/old") == (keeps ? old : FTPActivity.content))
            }
        }
    }

    @Test func `An old file that is nearly the same is not taken for what came of the new one`() async throws {
        var old = Self.large
        old[old.count / 2] ^= 1
        let settings = FTPDouble.Settings { $0.verb == "STOR" && $0.occurrence == 1 ? [.reply("425 Not now")] : [] }
        try await withFTPProvider(settings, files: ["/old": old]) {
            $0.retries.retries = 1
        } _: { double, provider in
            _ = try await provider.writeContents(
                path: ProviderPath("old"), from: DataSource(Self.large),
                options: WriteOptions(overwrite: true, placement: .inPlace))
            #expect(double.file("/old") == Self.large)
            #expect(double.commands.count { $0.verb == "STOR" } == 2)
        }
    }

    @Test(arguments: [true, false])
    func `A lost reply in place is settled by the time where the size is the same, and not without times`(
        hasTimes: Bool
    ) async throws {
        var settings = FTPDouble.Settings { $0.verb == "STOR" && $0.occurrence == 1 ? [.noFinalReply] : [] }
        settings.features = ["EPSV", "SIZE"]
        if !hasTimes { settings.unknown = ["MDTM"] }
        try await withFTPProvider(settings) { double, provider in
            double.put(Data(FTPActivity.content.reversed()), at: "/old", modified: Self.date)
            let error = await FTPFaults.failure {
                try await provider.writeContents(
                    path: ProviderPath("old"), from: DataSource(FTPActivity.content),
                    options: WriteOptions(overwrite: true, placement: .inPlace))
            }
            #expect((error == nil) == hasTimes)
            #expect(double.commands.count { $0.verb == "STOR" } == 1)
        }
    }

    // MARK: In place

    @Test(arguments: ["EPSV", "STOR"])
    func `What somebody else has put under the name stays when nothing was stored`(verb: String) async throws {
        let other = Data("another's".utf8)
        try await withFTPProvider { double, provider in
            double.setAnswer { [weak double] command in
                guard command.verb == verb else { return [] }
                double?.put(other, at: "/new")
                return [verb == "STOR" ? .reply("553 Not that name") : .dropConnection]
            }
            _ = try await FTPFaults.mustFail { try await FTPActivity.writeInPlace.run(provider) }
            #expect(double.file("/new") == other)
        }
    }

    @Test func `An empty file that a server leaves when there is no data connection is removed`() async throws {
        try await withFTPProvider { double, provider in
            double.setAnswer { [weak double] command in
                guard command.verb == "STOR" else { return [] }
                double?.put(Data(), at: "/new")
                return [.reply("425 No data connection")]
            }
            _ = try await FTPFaults.mustFail { try await FTPActivity.writeInPlace.run(provider) }
            #expect(!double.exists("/new"))
        }
    }

    @Test(arguments: [false, true])
    func `In place and in clear, what was put is looked at, small or large`(isLarge: Bool) async throws {
        let settings = FTPDouble.Settings { $0.verb == "STOR" ? [.shortStore(5)] : [] }
        try await withFTPProvider(settings) { double, provider in
            let error = await FTPFaults.failure {
                try await provider.writeContents(
                    path: ProviderPath("new"), from: DataSource(isLarge ? Self.large : FTPActivity.content),
                    options: WriteOptions(placement: .inPlace))
            }
            #expect(error != nil && !double.exists("/new"))
            #expect(double.commands.contains { $0.verb == "SIZE" })
        }
    }

    @Test func `An upload goes on from a file of the same server over the only connections`() async throws {
        let settings = FTPDouble.Settings {
            $0.verb == "STOR" && $0.occurrence == 1 ? [.closeDataAfter(1_200_000, reply: "426 Cut")] : []
        }
        try await withFTPProvider(settings, files: ["/book": Self.large]) {
            $0.connectionsPerHost = 1
            $0.retries.retries = 1
        } _: { double, provider in
            let reader = try await provider.open(path: ProviderPath("book"))
            let source = try await reader.writeSource()
            let item = try await provider.writeContents(
                path: ProviderPath("new"), from: source, options: WriteOptions())
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
                            path: ProviderPath("new"), from: DataSource(FTPActivity.content), options: options)
                        #expect(item.modifiedDate == nil)
                    }
                    #expect(double.commands.count { $0.argument.contains("20170714") } == 1)
                    #expect(try await provider.capabilities()[.settingModificationDate] == .unavailable)
                    let error = try await FTPFaults.mustFail {
                        try await provider.setAttributes(
                            path: ProviderPath("new"), permissions: nil, modificationDate: Self.date)
                    }
                    #expect(error.cocoaCode == .featureUnsupported)
                }
            }
        }
    }

    @Test func `A time that the server took is told`() async throws {
        try await withFTPProvider { double, provider in
            let options = WriteOptions(modificationDate: Self.date)
            let item = try await provider.writeContents(
                path: ProviderPath("new"), from: DataSource(FTPActivity.content), options: options)
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
                try await provider.setAttributes(
                    path: ProviderPath("none"), permissions: nil, modificationDate: Self.date)
            }
            #expect(error.isNoSuchFile)
            try await provider.setAttributes(path: ProviderPath("book"), permissions: nil, modificationDate: Self.date)
        }
    }

    @Test func `A server that takes UTIME in its long form alone is sent that`() async throws {
        var settings = FTPDouble.Settings { command in
            command.verb == "SITE" && command.argument.hasPrefix("UTIME 2017") ? [.reply("501 Not so")] : []
        }
        settings.features = ["EPSV", "SIZE", "SITE UTIME"]
        try await withFTPProvider(settings) { double, provider in
            for _ in 0..<2 {
                try await provider.setAttributes(
                    path: ProviderPath("book"), permissions: nil, modificationDate: Self.date)
                #expect(double.modificationDate("/book") == Self.date)
            }
            #expect(double.commands.count { $0.verb == "SITE" } == 3)
        }
    }

    // MARK: Commands that a server does not know

    @Test(arguments: [500, 502, 504])
    func `A command that there is no other way for is an unsupported feature`(code: Int) async throws {
        let reported: Set = ["STOR", "MKD", "RNFR"]
        try await withFTPProvider(.init { reported.contains($0.verb) ? [.reply("\(code) What?")] : [] }) {
            _, provider in
            for doing in [FTPActivity.publish, .writeInPlace, .makeFolder, .move] {
                let error = try await FTPFaults.mustFail { try await doing.run(provider) }
                #expect(error.cocoaCode == .featureUnsupported, "\(doing): \(error)")
                #expect(((error as? CocoaError)?.underlying as? FTPReplyError)?.code.rawValue == code, "\(doing)")
            }
        }
    }
}

import CurlTransport
import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// Folders that are hard to list.
@Suite struct FTPListingFaultTests {
    private static let withoutMLSD = ["SIZE", "MDTM", "REST STREAM"]

    private func names(_ provider: FTPFileProvider, _ path: String = "shelf") async throws -> [String] {
        try await provider.contentsOfDirectory(path: ProviderPath(path)).map(\.name).sorted()
    }

    @Test(arguments: ["500 What?", "502 No", "504 No"]) func `LIST is used where MLSD was offered and is refused`(
        reply: String
    )
        async throws
    {
        try await withFTPProvider(.init { $0.verb == "MLSD" ? [.reply(reply)] : [] }) { double, provider in
            try await #expect(names(provider) == ["one"])
            try await #expect(names(provider, "") == ["book", "old", "shelf"])
            #expect(double.commands.count { $0.verb == "MLSD" } == 1)
        }
    }

    @Test(arguments: ["550 No files", "501 No"]) func `An empty folder that MLSD refuses is empty`(reply: String)
        async throws
    {
        try await withFTPProvider(.init { $0.verb == "MLSD" && $0.path == "/none" ? [.reply(reply)] : [] }) {
            double, provider in
            double.putFolder("/none")
            try await #expect(names(provider, "none") == [])
            try await #expect(names(provider) == ["one"])
        }
    }

    @Test(arguments: [false, true])
    func `A folder that comes between the refusal and the look is listed, and one that nobody may read is not`(
        comes: Bool
    ) async throws {
        let refused = LockedValue<Set<String>>([])
        let settings = FTPDouble.Settings { command in
            guard ["MLSD", "CWD"].contains(command.verb), command.path == "/shelf" else { return [] }
            let isFirst = refused.update { $0.insert(command.verb).inserted }
            return isFirst || !comes ? [.reply("550 No")] : []
        }
        try await withFTPProvider(settings) { _, provider in
            if comes { return try await #expect(names(provider) == ["one"]) }
            let error = try await FTPFaults.mustFail { try await names(provider) }
            #expect((error as? CocoaError)?.code == .fileReadNoPermission)
        }
    }

    @Test func `A server that takes the option of LIST for a name is asked without`() async throws {
        for fault in [FTPDouble.Fault.data(Data()), .reply("550 No -a"), .reply("501 No")] {
            var settings = FTPDouble.Settings { $0.verb == "LIST" && $0.argument == "-a" ? [fault] : [] }
            settings.features = Self.withoutMLSD
            try await withFTPProvider(settings) { _, provider in
                try await #expect(names(provider) == ["one"])
                try await #expect(names(provider, "") == ["book", "old", "shelf"])
                let error = try await FTPFaults.mustFail { try await names(provider, "gone") }
                #expect(error.isNoSuchFile)
            }
        }
    }

    @Test func `Listings of other systems are read`() async throws {
        let listings = [
            "total 1\r\n-rw-r--r-- 1 a b 5 Jan  1  2020 one\r\ndrwxr-xr-x 2 a b 4096 Jan  1  2020 two\r\n",
            "01-01-20  12:00AM    5 one\r\n01-01-20  12:00AM    <DIR>    two\r\n",
            "-rw-r--r-- 1 a b 5 Jan  1  2020 one\ndrwxr-xr-x 2 a b 4096 Jan  1  2020 two",
        ]
        for listing in listings {
            var settings = FTPDouble.Settings()
            (settings.features, settings.listing) = (Self.withoutMLSD, .raw(Data(listing.utf8)))
            try await withFTPProvider(settings) { _, provider in try await #expect(names(provider) == ["one", "two"]) }
        }
    }

    @Test func `Lines that cannot be read are an error behind the pages, and no name leads out of the folder`()
        async throws
    {
        for name in ["..", ".", "../x", "a/b", "/etc/passwd", ""] {
            let line = Data("type=file;size=1; good\r\ntype=file;size=1; \(name)\r\nnonsense\r\n".utf8)
            try await withFTPProvider(.init { $0.verb == "MLSD" ? [.data(line)] : [] }) { _, provider in
                let pages = LockedValue<[String]>([])
                let error = try await FTPFaults.mustFail {
                    try await provider.contentsOfDirectory(path: ProviderPath("shelf")) { page in
                        pages.update { $0 += page.map(\.name) }
                    }
                }
                #expect(error.urlCode == .cannotParseResponse)
                #expect(pages.value == ["good"])
            }
        }
    }

    @Test(arguments: ["MLSD", "LIST"]) func `A listing that is cut is no short listing`(verb: String) async throws {
        for reply in ["426 Cut", "451 Hm"] {
            for isOnce in [true, false] {
                var settings = FTPDouble.Settings { command in
                    command.verb == verb && (!isOnce || command.occurrence == 1)
                        ? [.closeDataAfter(20, reply: reply)] : []
                }
                if verb == "LIST" { settings.features = Self.withoutMLSD }
                try await withFTPProvider(settings) {
                    $0.retries.retries = isOnce ? 1 : 0
                } _: { _, provider in
                    if isOnce {
                        try await #expect(names(provider, "") == ["book", "old", "shelf"])
                    } else {
                        let error = try await FTPFaults.mustFail { try await names(provider, "") }
                        #expect(error.isTransient)
                    }
                }
            }
        }
    }

    @Test(arguments: [FTPDouble.Fault.stallDataAfter(20), .noFinalReplyButOpen, .silence])
    func `A listing that stalls ends in time`(fault: FTPDouble.Fault) async throws {
        try await withFTPProvider(.init { $0.verb == "MLSD" ? [fault] : [] }) {
            $0.timeouts = Timeouts(connect: 2, idle: 2)
        } _: { _, provider in
            let error = try await FTPFaults.mustFail { try await names(provider) }
            #expect(error.urlCode == .timedOut)
            try await FTPActivity.look.run(provider)
        }
    }

    @Test func `A listing without end goes as far as its sink takes it`() async throws {
        let settings = FTPDouble.Settings {
            $0.verb == "MLSD" ? [.endlessData(Data("type=file;size=1; name\r\n".utf8))] : []
        }
        await FTPFaults.permits.take()
        defer { FTPFaults.permits.giveBack() }
        let double = try FTPDouble(settings)
        defer { double.stop() }
        let server = FTPServer(host: "127.0.0.1", port: double.port, security: .none)
        let connection = try FTPControlConnection(
            server: server, login: FTPLogin(user: "anna", password: ""), options: ConnectionOptions(proxy: .none))
        _ = try await connection.connect()
        let sink = DataSink(limit: 1 << 20)
        let exchange = FTPExchange(transfer: .list(try FTPCommand("MLSD"))) { sink }
        let failure = await #expect(throws: FTPFailure.self) { try await connection.send(exchange) }
        #expect(failure?.error.cocoaCode == .fileReadTooLarge)
        #expect(sink.data.count <= 1 << 20)
        try await eventually { double.openConnections == 0 }
    }

    @Test func `Whoever takes the pages may use the only connection`() async throws {
        for features in [Self.withoutMLSD, FTPDouble.Settings().features] {
            var settings = FTPDouble.Settings()
            settings.features = features
            try await withFTPProvider(settings) {
                $0.connectionsPerHost = 1
            } _: { double, provider in
                try await provider.contentsOfDirectory(path: .root) { page in
                    for item in page where item.type == .regular {
                        _ = try await provider.attributesOfItem(path: item.path)
                        _ = try await provider.contents(path: item.path)
                        _ = try await provider.contentsOfDirectory(path: .root)
                    }
                }
                #expect(double.connections == 1)
            }
        }
    }

    // MARK: Names

    @Test func `Names that FTP cannot write are refused before anything is sent`() async throws {
        for bytes in [[13], [10], [255], [97, 13, 10, 98], [97, 255, 98]] as [[UInt8]] {
            try await withFTPProvider { double, provider in
                try await FTPActivity.look.run(provider)
                let before = double.commands.count
                let path = try ProviderPath(bytes: bytes)
                let old = try ProviderPath("old")
                let operations: [() async throws -> Void] = [
                    { _ = try await provider.attributesOfItem(path: path) },
                    { _ = try await provider.contentsOfDirectory(path: path) },
                    { _ = try await provider.contents(path: path) },
                    { _ = try await provider.contents(path: path, part: .range(1..<2)) },
                    { _ = try await provider.writeContents(path: path, contents: FTPFaults.book) },
                    {
                        _ = try await provider.writeContents(
                            path: path, from: DataSource(FTPFaults.book), options: WriteOptions(placement: .inPlace))
                    },
                    { try await provider.createFolder(path: path) },
                    { try await provider.removeItem(path: path) },
                    { try await provider.moveItem(path: path, to: old, overwrite: true) },
                    { try await provider.setAttributes(path: path, permissions: 0o600, modificationDate: nil) },
                ]
                for (number, operation) in operations.enumerated() {
                    let error = try await FTPFaults.mustFail { try await operation() }
                    let codes: [CocoaError.Code?] = [.fileReadInvalidFileName, .fileWriteInvalidFileName]
                    #expect(codes.contains(error.cocoaCode), "\(bytes) \(number): \(error)")
                    #expect(double.commands.count == before, "\(bytes) \(number): \(double.commands.dropFirst(before))")
                }
                // What is moved is looked at first.
                let error = try await FTPFaults.mustFail {
                    try await provider.moveItem(path: old, to: path, overwrite: true)
                }
                #expect(error is CocoaError)
                #expect(!double.commands.contains { ["RNFR", "RNTO", "DELE"].contains($0.verb) })
            }
        }
        #expect(throws: CocoaError.self) { try ProviderPath(bytes: [97, 0]) }
    }
}

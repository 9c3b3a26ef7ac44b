import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import Testing

/// The connection for commands, or that for data, is reset after so many bytes; every few of them once.
@Suite struct FTPResetTests {
    private static let doings: [FTPActivity] = [.look, .list, .read, .readPart, .publish, .replace, .move, .remove]

    /// The tree is as before `doing` or as after it.
    private func check(_ double: FTPDouble, after doing: FTPActivity, isDone: Bool, _ location: Comment) {
        let old = double.file("/old")
        #expect(double.file("/book") == FTPFaults.book, location)
        switch doing {
        case .publish:
            #expect(double.file("/new") == FTPActivity.content || !isDone && double.file("/new") == nil, location)
        case .replace:
            #expect(old == FTPActivity.content || !isDone && old == Data("old".utf8), location)
        case .move:
            #expect((old == nil) != (double.file("/new") == nil), location)
            #expect(!isDone || old == nil, location)
        case .remove: #expect(!isDone || old == nil, location)
        default: #expect(old == Data("old".utf8), location)
        }
    }

    private func run(
        _ doing: FTPActivity, retries: Int, hasMLST: Bool, _ location: Comment, reset: (FTPDouble) -> Void
    ) async throws -> Bool {
        var isDone = false
        var settings = FTPDouble.Settings()
        if !hasMLST { settings.features = ["SIZE", "MDTM", "REST STREAM"] }
        try await withFTPProvider(settings) {
            $0.retries.retries = retries
        } _: { double, provider in
            reset(double)
            let error = await FTPFaults.failure { try await doing.run(provider) }
            // Of what must not be done twice, nobody knows whether it was done.
            let mayEndUnknown = retries == 0 || [.move, .remove].contains(doing)
            #expect(error == nil || mayEndUnknown, location)
            if let error { #expect(error.isTransient || error.isNoSuchFile, "\(location): \(error)") }
            isDone = error == nil
            check(double, after: doing, isDone: isDone, location)
        }
        return isDone
    }

    /// How many bytes an operation has on its connection for commands, each way, with the login.
    private func traffic(_ doing: FTPActivity, hasMLST: Bool) async throws -> (received: Int, sent: Int) {
        var settings = FTPDouble.Settings()
        if !hasMLST { settings.features = ["SIZE", "MDTM", "REST STREAM"] }
        var traffic = (received: 0, sent: 0)
        try await withFTPProvider(settings) { double, provider in
            try await doing.run(provider)
            traffic = double.traffic
        }
        return traffic
    }

    @Test(arguments: doings, [true, false])
    func `A reset of the control connection leaves the old or the new`(doing: FTPActivity, hasMLST: Bool) async throws {
        let traffic = try await traffic(doing, hasMLST: hasMLST)
        var failures = 0
        for retries in [0, 1] {
            for count in stride(from: 3 + retries * 8, to: traffic.sent + 20, by: 17) {
                let isDone = try await run(doing, retries: retries, hasMLST: hasMLST, "\(doing) after sending \(count)")
                {
                    $0.reset(.afterSending(count))
                }
                if !isDone { failures += 1 }
            }
            for count in stride(from: 2 + retries * 5, to: traffic.received + 20, by: 11) {
                let isDone = try await run(
                    doing, retries: retries, hasMLST: hasMLST, "\(doing) after receiving \(count)"
                ) {
                    $0.reset(.afterReceiving(count))
                }
                if !isDone { failures += 1 }
            }
        }
        #expect(failures > 10)
    }

    @Test(arguments: doings) func `A reset of the data connection leaves the old or the new`(doing: FTPActivity)
        async throws
    {
        for retries in [0, 1] {
            for count in [0, 1, 10, 11, 99, 100, 101, 4_999, 5_000] {
                for cut in [FaultServer.Cut.afterSending(count), .afterReceiving(count)] {
                    _ = try await run(doing, retries: retries, hasMLST: true, "\(doing), data \(cut)") {
                        $0.resetData(cut)
                    }
                }
            }
        }
    }

    @Test(arguments: [0, 1]) func `A server that does not rename onto a file loses none when a reply is lost`(
        retries: Int
    ) async throws {
        for fault in [FTPDouble.Fault.noFinalReply, .dropConnection, .reply("550 No")] {
            for occurrence in 1...4 {
                var settings = FTPDouble.Settings { $0.verb == "RNTO" && $0.occurrence == occurrence ? [fault] : [] }
                settings.renameReplaces = false
                try await withFTPProvider(settings) {
                    $0.retries.retries = retries
                } _: { double, provider in
                    let error = await FTPFaults.failure { try await FTPActivity.replace.run(provider) }
                    let file = double.file("/old")
                    #expect(
                        file == FTPActivity.content || error != nil && file == Data("old".utf8),
                        "\(fault) \(occurrence)")
                }
            }
        }
    }

    @Test func `A reset in a large upload leaves the old or the new`() async throws {
        let large = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        for count in stride(from: 0, to: 3_000_001, by: 600_000) {
            try await withFTPProvider {
                $0.retries.retries = 1
            } _: { double, provider in
                double.resetData(.afterReceiving(count))
                let error = await FTPFaults.failure {
                    try await provider.writeContents(path: ProviderPath("old"), contents: large, overwrite: true)
                }
                #expect(error == nil && double.file("/old") == large, "\(count): \(String(describing: error))")
            }
        }
    }
}

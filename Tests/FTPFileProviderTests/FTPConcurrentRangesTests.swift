import Dispatch
import FTPFileProvider
import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

/// One large file over several data connections at once.
@Suite struct FTPConcurrentRangesTests {
    private static let content = Data.patterned(28 << 20)
    private static let time = "213 20200102030405"

    /// Reads the file while the first data connection stops until `condition` holds.
    private func read(
        _ settings: FTPDouble.Settings, options: (inout ConnectionOptions) -> Void = { _ in },
        until condition: @escaping @Sendable (FTPDouble) -> Bool,
        passed: @escaping @Sendable (Int) -> Void = { _ in },
        _ body: (FTPDouble, _ data: Data, _ error: (any Error)?) async throws -> Void
    ) async throws {
        try await withFTPProvider(
            settings, files: ["/book": Self.content],
            options: {
                $0.timeouts = Timeouts(connect: 20, idle: 20)
                options(&$0)
            }
        ) { double, provider in
            let sink = HeldSink(after: 1 << 20, until: { condition(double) }, passed: passed)
            let reader = try await provider.open(path: ProviderPath("/book"))
            var failure: (any Error)?
            do { _ = try await reader.streamInRanges(.whole, into: sink, limits: .eager) } catch { failure = error }
            await reader.close()
            try await body(double, sink.data, failure)
        }
    }

    /// The first one, the proof that the server takes offsets, the second range in full, and the third.
    private static func hasThird(_ double: FTPDouble) -> Bool { double.commands.count { $0.verb == "RETR" } >= 4 }

    @Test func `the rest of a file comes in ranges, and each is seen to be of one version`() async throws {
        let settings = FTPDouble.Settings { $0.verb == "MDTM" ? [.replyAfterDoing(Self.time)] : [] }
        try await read(settings, until: Self.hasThird) { double, data, error in
            #expect(error == nil)
            #expect(data == Self.content)
            #expect((2...5).contains(double.connections))
            #expect(double.commands.count { $0.verb == "REST" } >= 3)
            // Before each, and after each but the first.
            let ranges = double.commands.count { $0.verb == "RETR" } - 2
            #expect(double.commands.count { $0.verb == "MDTM" } >= 1 + 2 * ranges)
        }
    }

    // The second question is that before the second range, the fourth that before the third range.
    @Test(arguments: [2, 4]) func `a file that changes on the way is never mixed`(change: Int) async throws {
        // The fourth one is answered when the first data connection is over.
        let isCut = DispatchSemaphore(value: 0)
        let settings = FTPDouble.Settings {
            guard $0.verb == "MDTM" else { return [] }
            if $0.occurrence == 4 { _ = isCut.wait(timeout: .now() + 60) }
            return [.replyAfterDoing($0.occurrence < change ? Self.time : "213 20210102030405")]
        }
        try await read(
            settings, until: { $0.commands.count { $0.verb == "MDTM" } >= change },
            passed: { if $0 > 12 << 20 { isCut.signal() } }
        ) { double, data, error in
            if change == 2 {
                // One data connection is of one version.
                #expect(error == nil)
                #expect(data == Self.content)
            } else {
                #expect(
                    ((error as? CocoaError)?.underlying as? POSIXError)?.code == .ESTALE, "\(String(describing: error))"
                )
                #expect(data == Self.content.prefix(data.count))
                #expect(data.count < Self.content.count)
            }
        }
    }

    @Test func `a server with one connection for each user sends everything over one`() async throws {
        for change in [{ $0.maximumConnections = 1 }, { $0.maximumLogins = 1 }] as [(inout FTPDouble.Settings) -> Void]
        {
            var settings = FTPDouble.Settings { $0.verb == "MDTM" ? [.replyAfterDoing(Self.time)] : [] }
            change(&settings)
            try await read(settings, until: { $0.connections > 1 }) { double, data, error in
                #expect(error == nil)
                #expect(data == Self.content)
            }
        }
    }

    @Test func `a server that ignores offsets sends everything over one data connection`() async throws {
        let settings = FTPDouble.Settings {
            switch $0.verb {
            case "MDTM": [.replyAfterDoing(Self.time)]
            case "REST": [.reply("502 No")]
            default: []
            }
        }
        try await read(settings, until: { $0.commands.contains { $0.verb == "REST" } }) { double, data, error in
            #expect(error == nil)
            #expect(data == Self.content)
        }
    }

    @Test func `there is one stream of a file that is new, or of an unknown time, or where the options say so`()
        async throws
    {
        let new = FTPDouble.Settings { $0.verb == "MDTM" ? [.replyAfterDoing("213 20990102030405")] : [] }
        var unknown = FTPDouble.Settings()
        unknown.unknown = ["MDTM"]
        let past = FTPDouble.Settings { $0.verb == "MDTM" ? [.replyAfterDoing(Self.time)] : [] }
        for (settings, maxCount) in [(new, 4), (unknown, 4), (past, 1)] {
            try await read(settings, options: { $0.maxRangesAtOnce = maxCount }, until: { _ in true }) {
                double, data, error in
                #expect(error == nil)
                #expect(data == Self.content)
                #expect(double.commands.count { $0.verb == "RETR" } == 1)
            }
        }
    }
}

import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

@testable import FTPFileProvider

/// Ending an operation at every stage, by its task and by the provider.
@Suite struct FTPCancellationTests {
    struct Stage: Sendable, CustomTestStringConvertible {
        let verb: String
        let fault: FTPDouble.Fault
        let doing: FTPActivity
        var testDescription: String { "\(doing) at \(verb.isEmpty ? "greeting" : verb): \(fault)" }

        /// Whether the server has the command, and has moved all bytes that it moves.
        func isReached(by double: FTPDouble) -> Bool {
            guard !verb.isEmpty else { return double.connections > 0 }
            guard double.commands.contains(where: { $0.verb == verb }) else { return false }
            let (received, sent) = double.dataTraffic
            return switch fault {
            case .stallDataAfter(let count): sent >= count
            case .slowData: received > 0
            case .noFinalReplyButOpen: verb == "STOR" ? received == FTPActivity.content.count : sent > 0
            default: true
            }
        }
    }

    private static let stages = [
        Stage(verb: "", fault: .silence, doing: .look), Stage(verb: "USER", fault: .silence, doing: .look),
        Stage(verb: "PASS", fault: .silence, doing: .read), Stage(verb: "FEAT", fault: .silence, doing: .read),
        Stage(verb: "TYPE", fault: .silence, doing: .publish), Stage(verb: "MLST", fault: .silence, doing: .look),
        Stage(verb: "MLSD", fault: .stallDataAfter(10), doing: .list),
        Stage(verb: "MLSD", fault: .silence, doing: .list),
        Stage(verb: "MLSD", fault: .noFinalReplyButOpen, doing: .list),
        Stage(verb: "EPSV", fault: .silence, doing: .read),
        Stage(verb: "RETR", fault: .stallDataAfter(10), doing: .read),
        Stage(verb: "RETR", fault: .stallDataAfter(10), doing: .readPart),
        Stage(verb: "RETR", fault: .noFinalReplyButOpen, doing: .read),
        Stage(verb: "STOR", fault: .slowData(bytes: 1, pause: 30), doing: .publish),
        Stage(verb: "STOR", fault: .silence, doing: .publish),
        Stage(verb: "STOR", fault: .noFinalReplyButOpen, doing: .publish),
        Stage(verb: "STOR", fault: .noFinalReplyButOpen, doing: .writeInPlace),
        Stage(verb: "RNFR", fault: .silence, doing: .move),
    ]

    /// Runs `stage` until the server has its command and something waits for it, ends it, and sees what the provider
    /// can do then.
    private func run(_ stage: Stage, ending: (Task<Void, any Error>, FTPFileProvider) -> Void) async throws -> any Error
    {
        let settings = FTPDouble.Settings { $0.verb == stage.verb ? [stage.fault] : [] }
        var ended: (any Error)?
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 60, idle: 60)
        } _: { double, provider in
            let task = Task { try await stage.doing.run(provider) }
            try await eventually { stage.isReached(by: double) }
            double.setAnswer { _ in [] }
            ending(task, provider)
            ended = await FTPFaults.failure { try await task.value }
            #expect(double.file("/new") == nil || stage.doing == .writeInPlace)
            double.remove("/new")
            double.put(Data("old".utf8), at: "/old")
            for doing in [FTPActivity.look, .read, .list, .publish] { try await doing.run(provider) }
            #expect(double.file("/new") == FTPActivity.content)
            try await eventually { double.openConnections <= 2 }
        }
        return try #require(ended)
    }

    @Test(arguments: stages) func `A cancelled operation ends at once and leaves nothing`(stage: Stage) async throws {
        let error = try await run(stage) { task, _ in task.cancel() }
        #expect(error is CancellationError, "\(error)")
    }

    @Test(arguments: stages) func `An invalidated provider ends what runs, and starts anew`(stage: Stage) async throws {
        let error = try await run(stage) { _, provider in provider.invalidate() }
        #expect(error.urlCode == .cancelled, "\(error)")
    }

    @Test(arguments: [FTPActivity.publish, .writeInPlace])
    func `Who cancels does not wait for long until a server that has fallen silent has cleaned up`(doing: FTPActivity)
        async throws
    {
        let settings = FTPDouble.Settings { $0.verb == "STOR" ? [.noFinalReplyButOpen] : [] }
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 60, idle: 60)
        } _: { double, provider in
            let task = Task { try await doing.run(provider) }
            try await eventually { double.dataTraffic.received == FTPActivity.content.count }
            double.setAnswer { $0.verb.isEmpty ? [.silence] : [] }
            task.cancel()
            let error = try await FTPFaults.mustFail(within: 10) { try await task.value }
            #expect(error is CancellationError)
            for path in double.paths where path == "/new" || path.contains(TemporaryName.suffix) { double.remove(path) }
        }
    }

    @Test(arguments: [true, false]) func `Who waits for a connection is not held`(isCancelled: Bool) async throws {
        let settings = FTPDouble.Settings { $0.verb == "RETR" ? [.stallDataAfter(10)] : [] }
        try await withFTPProvider(settings) {
            $0.timeouts = Timeouts(connect: 60, idle: 60)
            $0.connectionsPerHost = 1
        } _: { double, provider in
            let first = Task { try await FTPActivity.read.run(provider) }
            try await eventually { double.commands.contains { $0.verb == "RETR" } }
            let second = Task { try await FTPActivity.list.run(provider) }
            try await eventually { !provider.connection.pool.state.value.waiters.isEmpty }
            if isCancelled { second.cancel() } else { provider.invalidate() }
            let error = try await FTPFaults.mustFail { try await second.value }
            #expect(isCancelled ? error is CancellationError : error.urlCode == .cancelled, "\(error)")
            first.cancel()
            _ = try await FTPFaults.mustFail { try await first.value }
            double.setAnswer { _ in [] }
            try await FTPActivity.read.run(provider)
        }
    }

    @Test func `A provider that is let go of ends its connections, not its operations`() async throws {
        await FTPFaults.permits.take()
        defer { FTPFaults.permits.giveBack() }
        let double = try FTPDouble(.init { $0.verb == "RETR" ? [.delay(0.1)] : [] }, files: FTPFaults.files)
        defer { double.stop() }
        var provider: FTPFileProvider? = try FTPFaults.provider(of: double.url())
        let task = Task { [provider] in try await #require(provider).contents(path: ProviderPath("book")) }
        try await eventually { double.commands.contains { $0.verb == "RETR" } }
        provider = nil
        try await #expect(task.value == FTPFaults.book)
        try await eventually { double.openConnections == 0 }
    }

    @Test func `No secret shows`() async throws {
        var settings = FTPDouble.Settings()
        settings.password = "another"
        settings.welcome = "220 \(FTPFaults.password.prefix(0))Ready"
        try await withFTPProvider(settings) { double, provider in
            let error = try await FTPFaults.mustFail { try await FTPActivity.look.run(provider) }
            #expect(error.urlCode == .userAuthenticationRequired)
            var dumped = ""
            dump(error, to: &dumped)
            #expect(!dumped.contains(FTPFaults.password))
            #expect(
                !provider.debugDescription.contains(FTPFaults.password)
                    && !"\(provider.configuration)".contains(FTPFaults.password))
            #expect(!"\(provider.url(of: .root))".contains("anna"))
        }
    }
}

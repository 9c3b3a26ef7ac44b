import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import SFTPFileProvider

/// Ending an operation at every step, by its task and by the provider.
@Suite struct SFTPCancellationTests {
    struct Step: Sendable, CustomTestStringConvertible {
        let kind: SFTPDouble.Kind
        var name = ""
        let doing: SFTPActivity
        var testDescription: String { "\(doing) at \(kind) \(name)" }

        func isAt(_ request: SFTPDouble.Request) -> Bool { request.kind == kind && request.name == name }
    }

    private static let steps = [
        Step(kind: .initialize, doing: .look), Step(kind: .lstat, doing: .look), Step(kind: .opendir, doing: .list),
        Step(kind: .readdir, doing: .list), Step(kind: .open, doing: .read), Step(kind: .stat, doing: .read),
        Step(kind: .read, doing: .read), Step(kind: .read, doing: .readPart), Step(kind: .open, doing: .publish),
        Step(kind: .write, doing: .publish), Step(kind: .close, doing: .publish),
        Step(kind: .extended, name: "fsync@openssh.com", doing: .publish), Step(kind: .open, doing: .publishLarge),
        Step(kind: .write, doing: .publishLarge), Step(kind: .close, doing: .publishLarge),
        Step(kind: .open, doing: .writeInPlace),
        Step(kind: .write, doing: .writeInPlace), Step(kind: .close, doing: .writeInPlace),
        Step(kind: .open, doing: .copy),
        Step(kind: .extended, name: "copy-data", doing: .copy), Step(kind: .close, doing: .copy),
        Step(kind: .mkdir, doing: .makeFolder),
        Step(kind: .rename, doing: .move), Step(kind: .remove, doing: .remove),
        Step(kind: .readdir, doing: .removeTree),
        Step(kind: .setstat, doing: .setAttributes), Step(kind: .symlink, doing: .link),
    ]

    /// Runs `step` until the server has its request, ends it without an answer, and sees what is left.
    private func run(_ step: Step, ending: (Task<Void, any Error>, SFTPFileProvider) -> Void) async throws -> (
        any Error
    )? {
        let seen = LockedValue(false)
        var ended: (any Error)?
        try await withSFTPProvider { double, provider in
            if step.kind != .initialize { try await provider.checkReachability() }
            double.setAnswer { request in
                guard step.isAt(request) else { return [] }
                seen.update { $0 = true }
                return [.held]
            }
            let task = Task { try await step.doing.run(provider) }
            try await eventually { seen.value }
            ending(task, provider)
            ended = await SFTPFaults.failure { try await task.value }
            double.letGo()
            try await eventually { double.counts.openHandles == 0 }
            try await eventually { SFTPFaults.leftovers(double).isEmpty }
            if let data = double.file("/new") {
                #expect(
                    [SFTPActivity.content, SFTPActivity.large, SFTPFaults.book, Data("old".utf8)].contains(data)
                        || step.doing == .writeInPlace,
                    "\(data)")
            }
            double.remove("/new")
            double.put(Data("old".utf8), at: "/old")
            double.put(Data("1".utf8), at: "/shelf/one")
            for doing in [SFTPActivity.look, .read, .list, .publish] { try await doing.run(provider) }
            #expect(double.file("/new") == SFTPActivity.content)
        }
        return ended
    }

    @Test(arguments: steps) func `A cancelled operation ends at once and leaves nothing`(step: Step) async throws {
        let error = try await run(step) { task, _ in task.cancel() }
        #expect(error is CancellationError, "\(String(describing: error))")
    }

    @Test(arguments: steps) func `An invalidated provider ends what runs, and starts anew`(step: Step) async throws {
        let error = try await run(step) { _, provider in provider.invalidate() }
        #expect(error?.urlCode == .cancelled, "\(String(describing: error))")
    }

    @Test func `A renaming that has begun comes to its end, cancelled or not`() async throws {
        for name in ["posix-rename@openssh.com", "hardlink@openssh.com"] {
            for doing in name.hasPrefix("posix") ? [SFTPActivity.replace] : [.publish, .publishLarge] {
                let seen = LockedValue(false)
                try await withSFTPProvider { double, provider in
                    // The server is looked at once by a hard link of its own.
                    _ = try await provider.capabilities()
                    double.setAnswer { request in
                        guard request.name == name else { return [] }
                        seen.update { $0 = true }
                        return [.held]
                    }
                    let task = Task { try await doing.run(provider) }
                    try await eventually { seen.value }
                    task.cancel()
                    double.letGo()
                    let error = await SFTPFaults.failure { try await task.value }
                    let data = double.file(doing == .replace ? "/old" : "/new")
                    #expect(
                        error == nil && data == (doing == .publishLarge ? SFTPActivity.large : SFTPActivity.content))
                }
            }
        }
    }

    @Test func `Readers at work end when their task is cancelled`() async throws {
        try await withSFTPProvider { double, provider in
            double.putPattern(500_000_000, at: "/file")
            let sink = SFTPReadingTests.PatternSink()
            let task = Task {
                try await provider.withReader(path: ProviderPath("file")) {
                    _ = try await $0.stream(.whole, into: sink)
                }
            }
            try await eventually { sink.next > 1_000_000 }
            task.cancel()
            let error = try await SFTPFaults.mustFail { try await task.value }
            #expect(error is CancellationError)
            #expect(sink.next < 500_000_000 && sink.isRight)
        }
    }

    @Test func `A provider that is let go of ends its channels, not its operations`() async throws {
        await SFTPFaults.permits.take()
        defer { SFTPFaults.permits.giveBack() }
        let double = SFTPDouble(.init { $0.kind == .read ? [.held] : [] }, files: SFTPFaults.files)
        var provider: SFTPFileProvider? = try SFTPFaults.provider(SFTPLinks(double))
        let task = Task { [provider] in try await #require(provider).contents(path: ProviderPath("book")) }
        try await eventually { double.requests.contains { $0.kind == .read } }
        provider = nil
        double.letGo()
        try await #expect(task.value == SFTPFaults.book)
        try await eventually { double.counts.openChannels == 0 }
        #expect(double.violations == [])
    }
}

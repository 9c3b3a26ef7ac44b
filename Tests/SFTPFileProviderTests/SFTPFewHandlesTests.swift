import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import SFTPEngine
import Testing

@testable import SFTPFileProvider

/// Servers that have few handles to give, whatever they say of it.
@Suite struct SFTPFewHandlesTests {
    private static let inProgress =
        "The requested operation cannot be performed because there is a file transfer in progress."
    private static let names = (0..<70).map { "file \($0)" }

    /// - Parameter words: What the server says of one handle too many; nil for one that announces its number.
    private func settings(_ handles: Int, _ words: String?) -> SFTPDouble.Settings {
        var settings = SFTPDouble.Settings()
        settings.maximumHandles = handles
        // So that what is asked for at once is there at once.
        settings.latency = 0.003
        guard let words else { return settings }
        settings.extensions.removeAll { $0.name.hasPrefix("limits") }
        settings.handleRefusal = (words.hasPrefix("The requested") ? .permissionDenied : .failure, words)
        return settings
    }

    private func content(_ name: String) -> Data { name == "file 0" ? SFTPActivity.large : Data(name.utf8) }

    /// Writes, lists and reads all files at once.
    private func copyAll(_ double: SFTPDouble, provider: SFTPFileProvider) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in Self.names {
                group.addTask {
                    _ = try await provider.writeContents(path: ProviderPath(name), contents: self.content(name))
                }
            }
            try await group.waitForAll()
        }
        for name in Self.names { #expect(double.file("/" + name) == content(name), "\(name)") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in Self.names {
                group.addTask {
                    let count = try await provider.contentsOfDirectory(path: .root).count
                    let data = try await provider.contents(path: ProviderPath(name))
                    #expect(data == self.content(name) && count == Self.names.count)
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(arguments: [1, 2, 10], ["Failure", "Too many open files in this session, maximum 10", inProgress, nil])
    func `Many files go up and down at once`(handles: Int, words: String?) async throws {
        for near in [Duration.zero, .seconds(600)] {
            try await withSFTPProvider(settings(handles, words), files: [:], links: .init(near: near)) {
                double, provider in
                try await copyAll(double, provider: provider)
                #expect(words == nil || provider.connection.host.room.learned != nil)
                // Once the number is known, none is refused.
                let known = double.counts.requests[.open, default: 0]
                _ = try await provider.writeContents(path: ProviderPath("last"), contents: Data())
                #expect(double.counts.requests[.open] == known + 1)
            }
        }
    }

    @Test func `A server that announces more handles than it gives is believed no longer`() async throws {
        try await withSFTPProvider(settings(100, nil), files: [:]) { double, provider in
            let isFull = { @Sendable [unowned double] (request: SFTPDouble.Request) in
                [.open, .opendir].contains(request.kind) && double.counts.openHandles >= 2
            }
            double.setAnswer { isFull($0) ? [.status(.failure, "Too many open files")] : [] }
            try await copyAll(double, provider: provider)
        }
    }

    @Test func `What a server announces counts for folders and lanes, too`() async throws {
        try await withSFTPProvider(settings(2, nil)) { double, provider in
            try await SFTPActivity.look.run(provider)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<20 {
                    group.addTask { _ = try await provider.contentsOfDirectory(path: ProviderPath("shelf")) }
                    group.addTask { try await SFTPActivity.publishLarge.run(provider, "\(index)") }
                }
                try await group.waitForAll()
            }
            // None was refused and sent again.
            #expect(double.counts.requests[.opendir] == 20)
        }
    }

    @Test func `One transfer at a time for all sessions together is found out, too`() async throws {
        try await withSFTPProvider(settings(100, Self.inProgress), files: [:]) { double, provider in
            double.setAnswer { [unowned double] request in
                [.open, .opendir].contains(request.kind) && double.counts.openHandles > 0
                    ? [.status(.permissionDenied, Self.inProgress)] : []
            }
            try await copyAll(double, provider: provider)
        }
    }

    @Test func `A real refusal costs one more try at most, and is told in its own words`() async throws {
        for code in [SFTPDouble.Code.failure, .permissionDenied] {
            try await withSFTPProvider { double, provider in
                double.put(Data("secret".utf8), at: "/secret")
                double.setAnswer {
                    $0.path == "/secret" && [.open, .opendir].contains($0.kind) ? [.status(code, "Keep out")] : []
                }
                let open = { double.requests.count { $0.kind == .open && $0.path == "/secret" } }
                for isBesideAnother in [false, true] {
                    double.resetCounts()
                    let other = try await provider.open(path: ProviderPath("book"))
                    if isBesideAnother { _ = try await other.read([0..<1]) }
                    let error = try await SFTPFaults.mustFail {
                        try await provider.contents(path: ProviderPath("secret"))
                    }
                    #expect(error.status?.serverDescription == "Keep out", "\(error)")
                    #expect(open() == (isBesideAnother ? 2 : 1))
                    await other.close()
                }
                // It says nothing about the number of handles.
                #expect(provider.connection.host.room.learned == nil)
            }
        }
    }

    @Test func `Who keeps the only handle and waits for another is told so by the server`() async throws {
        let words = "Too many open files"
        try await withSFTPProvider(settings(1, words), links: .init(standstill: .milliseconds(200))) { _, provider in
            let error = try await SFTPFaults.mustFail {
                try await provider.contentsOfDirectory(path: .root) { _ in
                    _ = try await provider.contents(path: ProviderPath("book"))
                }
            }
            #expect(error.status?.serverDescription == words, "\(error)")
            try await SFTPActivity.read.run(provider)
        }
    }

    @Test func `Who is cancelled while waiting for a handle takes none from the others`() async throws {
        var settings = settings(1, nil)
        settings.answer = { $0.kind == .readdir ? [.held] : [] }
        try await withSFTPProvider(settings) { double, provider in
            try await SFTPActivity.look.run(provider)
            let first = Task { try await SFTPActivity.list.run(provider) }
            try await eventually { double.counts.openHandles == 1 }
            let second = Task { try await SFTPActivity.read.run(provider) }
            let third = Task { try await SFTPActivity.read.run(provider) }
            second.cancel()
            let error = try await SFTPFaults.mustFail { try await second.value }
            #expect(error is CancellationError, "\(error)")
            double.letGo()
            try await first.value
            try await third.value
        }
    }

    @Test func `Copies on a server that has a single handle go through this machine`() async throws {
        try await withSFTPProvider(settings(1, Self.inProgress)) { double, provider in
            try await SFTPActivity.copy.run(provider)
            #expect(double.file("/new") == SFTPFaults.book)
        }
    }
}

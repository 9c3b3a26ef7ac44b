import Foundation
import Testing

@testable import FileProviderCore

/// Long polling: the server answers when something changed.
@Suite struct PollingByServerTests {
    /// A provider whose answers a test has written down; the last is repeated.
    private final class Server: FileProviderLongPolling {
        static let type = "Server"
        let baseURL: URL? = nil
        let answers: Locked<[Result<LongPollAnswer, any Error>]>
        let tokens = Collected<String?>()

        init(_ answers: [Result<LongPollAnswer, any Error>]) { self.answers = Locked(answers) }

        func capabilities() async throws -> Capabilities { Capabilities(readCost: .request) }
        func attributesOfItem(path: ProviderPath) async throws -> FileObject { FileObject(path: path, type: .directory) }
        func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {}

        func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer {
            tokens.append(token)
            return try answers.update { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
        }
    }

    private static let options = WatchOptions(shortestInterval: 0.002, longestInterval: 0.01)
    private static let event = FileEvent(.modified, path: .root, type: .directory)

    @Test func `each answer's token is the next question, and failures that pass are outlasted`() async throws {
        let server = Server([
            .success(LongPollAnswer(events: [], token: "1")), .success(LongPollAnswer(events: [Self.event], token: "2")),
            .failure(URLError(.timedOut)), .success(LongPollAnswer(events: [], token: "3")),
            .success(LongPollAnswer(events: [Self.event], token: "4")),
        ])
        let changes = try await server.changes(at: .root, options: Self.options)
        for _ in 0..<2 { #expect(try await changes.watch.next() == [Self.event]) }
        #expect(server.tokens.values == [nil, "1", "2", "2", "3"])
        await changes.stop()
        #expect(try await changes.watch.next() == nil)
    }

    @Test func `a server that answers at once with nothing is not asked in a circle`() async throws {
        let server = Server([.success(LongPollAnswer(events: [], token: "1"))])
        var options = Self.options
        options.shortestInterval = 30
        let changes = try await server.changes(at: .root, options: options)
        let waiting = Task { try await changes.watch.next() }
        try await wait { server.tokens.values.count == 2 }
        await changes.stop()
        #expect(try await waiting.value == nil)
        #expect(server.tokens.values.count == 2)
    }

    @Test func `more events than are kept become a rescan, and a folder that is gone ends the watch`() async throws {
        let gone = FileError.make(.fileReadNoSuchFile, path: ProviderPath.root)
        let server = Server([
            .success(LongPollAnswer(events: [], token: "1")),
            .success(LongPollAnswer(events: Array(repeating: Self.event, count: 11), token: "2")), .failure(gone),
        ])
        var options = Self.options
        options.mostPending = 10
        let watch = try await server.changes(at: .root, options: options).watch
        #expect(try await watch.next()?.map(\.kind) == [.rescan])
        #expect(try await watch.next()?.map(\.kind) == [.removed])
        let error = await #expect(throws: CocoaError.self) { try await watch.next() }
        #expect(error?.code == .fileReadNoSuchFile)
        await watch.stop()
    }
}

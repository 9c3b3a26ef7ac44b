import Foundation
import ProviderDoubles
import Testing

import FileProviderCore

/// Long polling: the server answers when something changed.
@Suite struct PollingByServerTests {
    /// A provider whose answers a test has written down; the last is repeated.
    private final class Server: FileProviderLongPolling {
        static let type = "Server"
        let baseURL: URL? = nil
        let answers: LockedValue<[Result<LongPollAnswer, any Error>]>
        let tokens = CollectedValues<String?>()

        init(_ answers: [Result<LongPollAnswer, any Error>]) { self.answers = LockedValue(answers) }

        func capabilities() async throws -> Capabilities { Capabilities(readCost: .request) }
        func attributesOfItem(path: ProviderPath) async throws -> FileObject {
            FileObject(path: path, type: .directory)
        }
        func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        }

        func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer {
            tokens.append(token)
            return try answers.update { $0.count > 1 ? $0.removeFirst() : $0[0] }.get()
        }
    }

    private static let options = WatchOptions(minInterval: 0.002, maxInterval: 0.01)
    private static let event = FileEvent(.modified, path: .root, type: .directory)

    @Test func `each answer's token is the next question, and failures that pass are outlasted`() async throws {
        let server = Server([
            .success(LongPollAnswer(events: [], token: "1")),
            .success(LongPollAnswer(events: [Self.event], token: "2")),
            .failure(URLError(.timedOut)), .success(LongPollAnswer(events: [], token: "3")),
            .success(LongPollAnswer(events: [Self.event], token: "4")),
        ])
        let outcomes = CollectedValues<Bool>()
        let changes = try await server.changes(at: .root, options: Self.options) { outcomes.append($0 == nil) }
        for _ in 0..<2 { #expect(try await changes.watch.next() == [Self.event]) }
        #expect(server.tokens.values == [nil, "1", "2", "2", "3"])
        #expect(outcomes.values == [true, false, true, true])
        await changes.stop()
        #expect(try await changes.watch.next() == nil)
    }

    @Test func `a server that answers at once with nothing is not asked in a circle`() async throws {
        let server = Server([.success(LongPollAnswer(events: [], token: "1"))])
        var options = Self.options
        options.minInterval = 30
        let changes = try await server.changes(at: .root, options: options)
        let waiting = Task { try await changes.watch.next() }
        try await eventually { server.tokens.values.count == 2 }
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
        options.maxPending = 10
        let watch = try await server.changes(at: .root, options: options).watch
        #expect(try await watch.next()?.map(\.kind) == [.rescan])
        #expect(try await watch.next()?.map(\.kind) == [.removed])
        let error = await #expect(throws: CocoaError.self) { try await watch.next() }
        #expect(error?.code == .fileReadNoSuchFile)
        await watch.stop()
    }

    /// What a watch of `/d` makes of a server's events.
    private static func reported(_ events: [FileEvent], isRecursive: Bool) async throws -> [String]? {
        let server = Server([
            .success(LongPollAnswer(events: [], token: "1")), .success(LongPollAnswer(events: events, token: "2")),
            .success(LongPollAnswer(events: [FileEvent(.removed, path: try ProviderPath("/d/end"))], token: "3")),
        ])
        var options = options
        options.isRecursive = isRecursive
        let watch = try await server.changes(at: ProviderPath("/d"), options: options).watch
        let reported = try await watch.next()?.map(\.description)
        await watch.stop()
        return reported
    }

    @Test func `without recursion only the folder's own items are told`() async throws {
        let (own, deep) = (try ProviderPath("/d/own"), try ProviderPath("/d/sub/deep"))
        let events = [
            FileEvent(.created, path: deep), FileEvent(.modified, path: own), FileEvent(.moved, path: deep, from: own),
            FileEvent(.moved, path: own, from: deep, type: .directory),
            FileEvent(.rescan, path: deep, type: .directory),
        ]
        #expect(
            try await Self.reported(events, isRecursive: false) == [
                "modified /d/own", "removed /d/own", "created /d/own",
            ])
        #expect(try await Self.reported(events, isRecursive: true) == events.map(\.description))
        #expect(try await Self.reported([events[0]], isRecursive: false) == ["removed /d/end"])
    }

    @Test func `files on their way are told when they arrive`() async throws {
        let (own, temporary) = (try ProviderPath("/d/own"), try TemporaryName.make(beside: ProviderPath("/d/own")))
        let events = [
            FileEvent(.created, path: temporary), FileEvent(.modified, path: try temporary.appending("in it")),
            FileEvent(.moved, path: own, from: temporary, type: .regular),
        ]
        #expect(try await Self.reported(events, isRecursive: true) == ["created /d/own"])
        let folder = FileEvent(.moved, path: own, from: temporary, type: .directory)
        #expect(
            try await Self.reported([folder, Self.event], isRecursive: true) == [
                "created /d/own", "modified /", "rescan /d/own",
            ])
        #expect(try await Self.reported(Array(events.prefix(2)), isRecursive: true) == ["removed /d/end"])
    }
}

import Foundation
import ProviderDoubles
import Synchronization
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// An application that goes to the background, or ends, in the middle of a command.
@Suite(.timeLimit(.minutes(5)))
struct OfflineTests {
    private let peer: StagingPeer
    private let gate = Gate()
    private let time = ListeningTime()
    private let library: ShelfLibrary

    init() throws {
        peer = try StagingPeer()
        library = ShelfLibrary { [gate] name in try await gate.pass(name) }
    }

    private func issueUpload() async throws {
        for name in ["a.epub", "b.epub"] { try await peer.stage("text", as: name) }
        try await peer.issue(
            .uploadBooks(
                UploadBooks(
                    timestamp: 1, overwrite: false, books: ["a.epub", "b.epub"].map { UploadedBook(filename: $0) })))
    }

    /// Goes offline while the first of two books is being taken.
    private func goOffline(_ connection: CalibreConnection) async throws {
        gate.close("a.epub")
        try await connection.enter()
        try await issueUpload()
        try await eventually { gate.holds }
        async let offline: Void = connection.goOffline()
        try await eventually { time.hasWaitedForStep }
        #expect(try await peer.connected()?.state == .online)
        gate.open()
        try await offline
    }

    @Test func `offline, the book under way is taken and told before that, and the rest waits`() async throws {
        let connection = try peer.connection(library, time: time)
        try await goOffline(connection)
        #expect(try await peer.connected()?.state == .offline)
        #expect(library.books.count == 1)
        let status = try #require(await peer.status())
        #expect(status.code == .inProgress)
        #expect(status.progress == 0.5)
        try await connection.enter()
        #expect(try await peer.end().code == .success)
        #expect(library.books.count == 2)
        try await connection.leave()
    }

    @Test
    func `a command that is taken back while the application is offline ends with warnings, not as one cancelled`()
        async throws
    {
        let connection = try peer.connection(library, time: time)
        try await goOffline(connection)
        try await peer.folder.remove("upload_books.xml")
        try await connection.enter()
        let status = try await peer.end()
        try await connection.leave()
        #expect(status.code == .warnings)
        #expect(status.messages.map(\.text) == ["Stopped after 1 of 2 steps."])
        #expect(library.books.count == 1)
    }

    @Test func `progress of a command that goes on does not fall below what was told before`() async throws {
        gate.close("b.epub")
        let first = try peer.connection(library)
        try await first.enter()
        try await issueUpload()
        try await eventually { try await peer.status()?.progress == 0.5 }
        try await first.leave()
        let reported = try #require(await peer.status()?.timestamp)
        // No beat within the test: what is told is what the command begins with.
        var options = StagingPeer.options
        options.statusPause = 600
        let second = try peer.connection(library, options)
        try await second.enter()
        try await eventually { try await peer.status().map { $0.timestamp != reported } ?? false }
        #expect(try await peer.status()?.progress == 0.5)
        gate.open()
        #expect(try await peer.end().code == .success)
        try await second.leave()
    }
}

/// Holds up one book until it is opened.
private final class Gate: Sendable {
    private let state = Mutex((closedFor: String?.none, holds: false))
    var holds: Bool { state.withLock { $0.holds } }
    func close(_ name: String) { state.withLock { $0.closedFor = name } }
    func open() { state.withLock { $0.closedFor = nil } }

    func pass(_ name: String) async throws {
        try await eventually {
            state.withLock { state -> Bool in
                guard state.closedFor == name else { return true }
                state.holds = true
                return false
            }
        }
    }
}

/// The clocks of this machine, which tell whether somebody waited as ``ProcessingControl/waitForStep(atMost:)`` does.
private final class ListeningTime: TimeSource {
    private let system = SystemTime()
    private let waited = Mutex(false)
    var hasWaitedForStep: Bool { waited.withLock { $0 } }
    var wallClock: Double { system.wallClock }
    var elapsed: Double { system.elapsed }

    func sleep(seconds: Double) async throws {
        if seconds == 0.05 { waited.withLock { $0 = true } }
        try await system.sleep(seconds: seconds)
    }
}

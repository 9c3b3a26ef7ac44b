import FileProviderCore
import Foundation
import GRDB
import ReaderLink
import SQLiteStorage
import SampleBooks
import Synchronization
import Testing

@testable import ReaderLibrary

/// A user who leaves in the middle leaves a library in order.
@Suite(.timeLimit(.minutes(5))) struct LeavingTests {
    private let fixture = LibraryFixture()

    /// Cancels the task that asks for the time at the call with this number, the first being 1: in the middle of a
    /// step.
    private final class CancellingTime: TimeSource {
        private let left: Mutex<Int>

        init(at call: Int) { left = Mutex(call) }

        var wallClock: Double {
            let isNow = left.withLock { left in
                left -= 1
                return left == 0
            }
            if isNow { withUnsafeCurrentTask { $0?.cancel() } }
            return 1_000_000
        }

        /// Whether it came to that.
        var hasCancelled: Bool { left.withLock { $0 <= 0 } }
        var elapsed: Double { 0 }
        func sleep(seconds: Double) async throws {}
    }

    private func names() throws -> [[String]] { try ["Books", "Covers", "Incoming"].map { try fixture.names(in: $0) } }

    @Test(arguments: 1...2)
    func `an upload that is left leaves no file`(call: Int) async throws {
        let time = CancellingTime(at: call)
        let library = try await fixture.open { $0.time = time }
        let result = await Task { try await fixture.add(to: library) }.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(time.hasCancelled)
        #expect(try names() == [[], [], []])
        #expect(try await fixture.add(to: library) == .applied())
    }

    @Test func `a document that was copied goes when the upload is left`() async throws {
        let library = try await fixture.open()
        let document = try await fixture.stage(try SampleEPUB().data(), as: "book.epub")
        let storage = HookedProvider(fixture.staging) { if $0 == .closing { withUnsafeCurrentTask { $0?.cancel() } } }
        let watched = StagedDocument(provider: storage, path: document.path, size: document.size)
        let step = fixture.step()
        let result = await Task {
            try await library.add(UploadedBook(filename: "book.epub"), from: watched, overwrite: false, step: step)
        }.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try names() == [[], [], []])
    }

    @Test(arguments: 1...2)
    func `a change that is left keeps the old cover and no other`(call: Int) async throws {
        let filling = try await fixture.open()
        try await fixture.add(to: filling)
        try await filling.close()
        let before = try names()
        let time = CancellingTime(at: call)
        let library = try await fixture.open { $0.time = time }
        var change = UpdatedBook(
            BookReference(uuid: try #require(SampleEPUB().uuid)), hasTitle: false, hasAuthor: false)
        change.cover = EncodedCover(picture: SampleEPUB.jpeg)
        let (update, step) = (change, fixture.step())
        let result = await Task { try await library.update(update, step: step) }.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(time.hasCancelled)
        #expect(try names() == before)
        #expect(try await library.update(update, step: step).isApplied)
    }

    @Test func `a snapshot that is left does not stand in the way of the next`() async throws {
        let library = try await fixture.open()
        try await fixture.add(to: library)
        for turns in 0..<60 {
            let task = Task { try await library.snapshot() }
            for _ in 0..<turns { await Task.yield() }
            task.cancel()
            if case .success(let file) = await task.result { try FileManager.default.removeItem(at: file) }
        }
        #expect(try fixture.names(in: "Incoming").isEmpty)
        let file = try await library.snapshot()
        #expect(try await SQLiteSnapshotReader().books(in: file).count == 1)
    }

    @Test func `a database that stayed attached is let go of`() async throws {
        let library = try await fixture.open()
        try await library.database.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH DATABASE ':memory:' AS snapshot")
        }
        for _ in 0..<2 { #expect(try await SQLiteSnapshotReader().books(in: library.snapshot()) == []) }
    }
}

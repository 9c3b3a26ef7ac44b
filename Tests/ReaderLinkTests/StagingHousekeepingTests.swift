import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

@testable import ReaderApplication
import ReaderDriver
@testable import ReaderMessages

@Suite struct StagingHousekeepingTests {
    private let peer: StagingPeer
    private let time = ManualTime()

    init() throws {
        peer = try StagingPeer()
    }

    private func housekeeping() throws -> StagingHousekeeping {
        StagingHousekeeping(
            folder: peer.folder, documents: try peer.folder.folder("documents"),
            options: ApplicationOptions(application: "org.example.reader"),
            time: time, report: { Issue.record("\($0)") })
    }

    @Test func `what drivers left goes when it is old, and nothing else`() async throws {
        for name in ["status.xml", "upload_books.tmp", ".x.carrel-part", "mine.epub", "notes.txt"] {
            try await peer.put(Data(), as: name)
        }
        for name in ["left.epub", "half.tmp", "notes.txt"] { try await peer.stage("text", as: name) }
        var housekeeping = try housekeeping()
        try await housekeeping.tidy()
        time.advance(by: 3_000)
        try await housekeeping.tidy()
        #expect(
            try await names() == [
                "status.xml", "upload_books.tmp", ".x.carrel-part", "mine.epub", "notes.txt", "d/left.epub",
                "d/half.tmp", "d/notes.txt",
            ])
        time.advance(by: 3_000)
        try await housekeeping.tidy()
        #expect(try await names() == ["mine.epub", "notes.txt", "d/left.epub", "d/notes.txt"])
        time.advance(by: 86_400)
        try await housekeeping.tidy()
        #expect(try await names() == ["mine.epub", "notes.txt", "d/notes.txt"])
    }

    @Test func `a file that changes is not old`() async throws {
        try await peer.stage("text", as: "a.epub")
        var housekeeping = try housekeeping()
        try await housekeeping.tidy()
        time.advance(by: 80_000)
        try await peer.stage("longer text", as: "a.epub")
        try await housekeeping.tidy()
        time.advance(by: 80_000)
        try await housekeeping.tidy()
        #expect(try await names() == ["d/a.epub"])
    }

    private func names() async throws -> Set<String> {
        let documents = try await peer.folder.folder("documents").allFiles().map { "d/" + $0.name }
        return Set(try await peer.folder.allFiles().map(\.name) + documents)
    }
}

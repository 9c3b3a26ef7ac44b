import FileProviderCore
import Foundation
import Testing

@testable import ReaderApplication
import ReaderDriver
@testable import ReaderMessages

struct CommandInboxTests {
    private let provider = FlakyProvider(capacity: nil)
    private let peer: StagingPeer

    init() throws { peer = try StagingPeer(provider: provider) }

    private func inbox(_ found: [FileObject], _ time: ManualTime = ManualTime()) -> CommandInbox {
        CommandInbox(folder: peer.folder, found: found, options: StagingPeer.options, time: time)
    }

    @Test func `an unknown command is answered unless it was there before the application`() async throws {
        try await peer.put(Data("<old/>".utf8), as: "old.xml")
        let before = try await peer.folder.files()
        var inbox = inbox(before)
        try await peer.put(Data("<new/>".utf8), as: "new.xml")
        let found = try await inbox.next(among: peer.folder.files())
        #expect(found?.fileName == "new.xml")
        #expect(try await inbox.next(among: before) == nil)
    }

    @Test func `a command that cannot be removed is not read at each look, and another in its place is found`()
        async throws
    {
        var inbox = inbox([])
        try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 1, books: [])))
        let found = try #require(try await inbox.next(among: peer.folder.files()))
        inbox.leave(found)
        for _ in 0..<10 { #expect(try await inbox.next(among: peer.folder.files()) == nil) }
        #expect(provider.calls.filter { $0 == "open delete_books.xml" }.count == 2)
        try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 2, books: [BookReference(filename: "a.epub")])))
        #expect(try await inbox.next(among: peer.folder.files()) != nil)
    }
}

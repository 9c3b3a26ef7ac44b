import FileProviderCore
import Foundation
import ProviderDoubles
import Synchronization
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// What fails for good beside the books: the library's notes, the removal of a command, the list of books. The
/// application's clock is fast, so that it gives up soon.
@Suite(.timeLimit(.minutes(2)))
struct LastingFaultTests {
    private let provider = FlakyProvider(capacity: nil)
    private let library = ShelfLibrary()
    private let peer: StagingPeer

    init() throws { peer = try StagingPeer(provider: provider) }

    private func serving(_ body: () async throws -> Void) async throws {
        var options = ApplicationOptions(application: "org.example.reader")
        // By that clock a report is old in seconds.
        options.leftoverAge = 86_400 * 365
        let connection = try peer.connection(library, options, time: HurriedTime())
        try await connection.enter()
        do { try await body() } catch {
            try await connection.leave()
            throw error
        }
        try await connection.leave()
    }

    private func upload(_ name: String) async throws {
        try await peer.issue(.uploadBooks(UploadBooks(timestamp: 1, books: [UploadedBook(filename: name)])))
    }

    private func delete(_ name: String, at timestamp: Double) async throws {
        try await peer.issue(.deleteBooks(DeleteBooks(timestamp: timestamp, books: [BookReference(filename: name)])))
    }

    private func failToNote(_ error: any Error, times: Int) {
        library.state.withLock { $0.noteFailure = (error, times) }
    }

    // MARK: The library's notes

    @Test func `a library that cannot note how a command ended has the driver told all the same`() async throws {
        failToNote(CocoaError(.fileWriteUnknown), times: .max)
        try await serving {
            try await peer.stage("text", as: "a.epub")
            try await upload("a.epub")
            #expect(try await peer.end().code == .success)
            try await eventually { library.unfinishedCommands == 0 }
            #expect(try await peer.names() == ["connected.xml", "library.sqlite"])
        }
        #expect(library.log == ["add a.epub"])
    }

    @Test func `a command whose end was neither noted nor told counts as interrupted, and is not done twice`()
        async throws
    {
        failToNote(CocoaError(.fileWriteUnknown), times: .max)
        try await peer.stage("text", as: "a.epub")
        // Once the command goes, no report gets through.
        let (removals, refused) = (CollectedValues<Void>(), CollectedValues<Void>())
        provider.become { call, path in
            if call == "remove", path.name == "upload_books.xml" { removals.append(()) }
            guard call == "write", path.name == CommandStatus.fileName, !removals.values.isEmpty else { return .well }
            refused.append(())
            return .failing
        }
        try await serving {
            try await upload("a.epub")
            try await eventually { refused.values.count > 3 }
        }
        #expect(try await peer.status()?.code == .inProgress)
        #expect(try await peer.names() == ["status.xml", "library.sqlite"])
        provider.become { _, _ in .well }
        failToNote(CocoaError(.fileWriteUnknown), times: 0)
        try await serving {
            let status = try await peer.end()
            #expect(status.code == .failure)
            #expect(status.messages.map(\.filename) == ["upload_books.xml"])
            try await eventually { library.unfinishedCommands == 0 }
        }
        #expect(library.log == ["add a.epub"])
        #expect(try await peer.names() == ["library.sqlite"])
    }

    @Test(arguments: [true, false])
    func
        `a refusal that cannot be noted is tried again where that may help, else it ends the command, and the next is carried out`(
            mayPass: Bool
        ) async throws
    {
        failToNote(mayPass ? URLError(.networkConnectionLost) : CocoaError(.fileWriteUnknown), times: 1)
        try await serving {
            try await upload("missing.epub")
            let status = try await peer.end()
            #expect(status.code == (mayPass ? .warnings : .failure))
            #expect(status.messages.map(\.filename) == [mayPass ? "missing.epub" : "upload_books.xml"])
            try await delete("a.epub", at: 2)
            #expect(try await peer.end().code == .warnings)
            try await eventually { library.unfinishedCommands == 0 }
        }
        #expect(library.log == ["delete a.epub"])
    }

    // MARK: A command that stays

    private func keepTheCommand() {
        library.state.withLock { $0.books["a.epub"] = Data("text".utf8) }
        provider.become { call, path in call == "remove" && path.name == "delete_books.xml" ? .failing : .well }
    }

    @Test func `a command that the storage keeps is answered once, and another in its place is carried out`()
        async throws
    {
        keepTheCommand()
        try await serving {
            try await delete("a.epub", at: 1)
            #expect(try await peer.end().code == .success)
            let looks = looksAtTheCommand
            try await eventually { looksAtTheCommand > looks + 10 }
            #expect(try await peer.names() == ["connected.xml", "library.sqlite", "delete_books.xml"])
            #expect(library.log == ["delete a.epub"])
            provider.become { _, _ in .well }
            try await delete("b.epub", at: 2)
            #expect(try await peer.end().code == .warnings)
            #expect(try await peer.names() == ["connected.xml", "library.sqlite"])
        }
        #expect(library.log == ["delete a.epub", "delete b.epub"])
    }

    @Test func `a command that the storage kept is answered again by the next connection, and not carried out`()
        async throws
    {
        keepTheCommand()
        try await serving {
            try await delete("a.epub", at: 1)
            #expect(try await peer.end().code == .success)
        }
        #expect(library.unfinishedCommands == 1)
        provider.become { _, _ in .well }
        try await serving {
            #expect(try await peer.end().code == .success)
            try await eventually { library.unfinishedCommands == 0 }
        }
        #expect(library.log == ["delete a.epub"])
        #expect(try await peer.names() == ["library.sqlite"])
    }

    private var looksAtTheCommand: Int { provider.calls.count { $0 == "open delete_books.xml" } }

    // MARK: The list of books

    @Test func `a list of books that cannot be renewed is told, and renewed when it can be`() async throws {
        try await serving {
            try await eventually { try await peer.names().contains("library.sqlite") }
            provider.become { call, path in call == "write" && path.name == "library.sqlite" ? .failing : .well }
            try await peer.stage("text", as: "a.epub")
            try await upload("a.epub")
            let status = try await peer.end()
            #expect(status.code == .warnings)
            #expect(status.messages.map(\.filename) == ["upload_books.xml"])
            #expect(status.messages.first?.text.contains("could not be renewed") == true)
            #expect(try await peer.folder.read("library.sqlite", limit: 100) == Data())
            provider.become { _, _ in .well }
            try await eventually { try await peer.folder.read("library.sqlite", limit: 100) == Data("a.epub".utf8) }
        }
    }
}

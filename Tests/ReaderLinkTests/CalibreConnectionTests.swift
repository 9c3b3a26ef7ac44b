import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Synchronization
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

@Suite(.timeLimit(.minutes(10)))
struct CalibreConnectionTests {
    private let peer: StagingPeer
    private let library = ShelfLibrary()

    init() throws {
        peer = try StagingPeer()
    }

    private func serving(
        _ options: ApplicationOptions = StagingPeer.options, _ body: (CalibreConnection) async throws -> Void
    ) async throws {
        let connection = try peer.connection(library, options)
        try await connection.enter()
        do { try await body(connection) } catch {
            try await connection.leave()
            throw error
        }
        try await connection.leave()
    }

    private func upload(_ names: String..., overwrite: Bool = false) -> ReaderCommand {
        .uploadBooks(
            UploadBooks(timestamp: 1_364_148_473, overwrite: overwrite, books: names.map { UploadedBook(filename: $0) })
        )
    }

    @Test func `connection mode shows in connected.xml from its beginning to its end`() async throws {
        let connection = try peer.connection(library)
        #expect(await connection.state == .left)
        try await connection.enter()
        let online = try #require(await peer.connected())
        #expect(online.state == .online)
        #expect(online.application == "org.example.reader")
        #expect(online.heartbeat == 0.1)
        try await connection.goOffline()
        #expect(try await peer.connected()?.state == .offline)
        try await connection.enter()
        #expect(try await peer.connected()?.state == .online)
        try await connection.leave()
        #expect(try await peer.connected() == nil)
        try await connection.leave()
    }

    @Test func `connected.xml is written anew while nothing happens, each time with a later timestamp`() async throws {
        try await peer.put(
            MessageCoding().data(
                for: ConnectedMessage(timestamp: Date().timeIntervalSince1970 + 1_000, state: .online)),
            as: ConnectedMessage.fileName)
        try await serving { _ in
            var seen: [Double] = []
            while seen.count < 4 {
                if let timestamp = try await peer.connected()?.timestamp, timestamp != seen.last {
                    seen.append(timestamp)
                }
                await Task.yield()
            }
            #expect(seen == seen.sorted())
            // An application that died a while ago, with a clock ahead, left a later time than ours.
            #expect(seen[0] > Date().timeIntervalSince1970 + 900)
        }
    }

    @Test func `an upload takes the books, removes their documents and the command, and ends with success`()
        async throws
    {
        try await serving { _ in
            try await peer.stage("one", as: "a.epub")
            try await peer.stage("two", as: "b.epub")
            try await peer.issue(upload("a.epub", "b.epub"))
            let status = try await peer.end()
            #expect(status.code == .success)
            #expect(status.progress == 1)
            #expect(status.messages == [])
            #expect(status.command == "upload_books.xml")
            #expect(status.commandTimestamp == "1364148473.0")
            #expect(library.books == ["a.epub": Data("one".utf8), "b.epub": Data("two".utf8)])
            #expect(try await peer.names() == ["connected.xml", "library.sqlite"])
            #expect(try await peer.folder.read("library.sqlite", limit: 100) == Data("a.epub\nb.epub".utf8))
        }
        #expect(library.unfinishedCommands == 0)
    }

    @Test func `every status has a later timestamp than the one before, and no less progress`() async throws {
        let seen = CollectedValues<CommandStatus>()
        let taken = LockedValue(0)
        let library = ShelfLibrary { _ in
            let before = taken.update { count in
                defer { count += 1 }
                return count
            }
            // Each takes until there is another status.
            try await eventually { seen.values.count > before }
        }
        let connection = try peer.connection(library)
        try await connection.enter()
        for number in 0..<8 { try await peer.stage("text", as: "\(number).epub") }
        try await peer.issue(.uploadBooks(UploadBooks(books: (0..<8).map { UploadedBook(filename: "\($0).epub") })))
        try await peer.end { if $0 != seen.values.last { seen.append($0) } }
        try await connection.leave()
        #expect(seen.values.count > 8)
        #expect(seen.values.first?.progress ?? 1 < 0.5)
        for (earlier, later) in zip(seen.values, seen.values.dropFirst()) {
            #expect(earlier.timestamp ?? 0 < later.timestamp ?? 0)
            #expect(earlier.progress <= later.progress)
            #expect(earlier.code == .inProgress && (later.isFinal || later.progress < 1))
        }
    }

    @Test func `a book that takes long does not look like an application that died`() async throws {
        let timestamps = LockedValue<Set<Double>>([])
        let library = ShelfLibrary { _ in try await eventually { timestamps.value.count >= 3 } }
        let connection = try peer.connection(library)
        try await connection.enter()
        try await peer.stage("text", as: "a.epub")
        try await peer.issue(upload("a.epub"))
        try await peer.end { status in timestamps.update { _ = $0.insert(status.timestamp ?? 0) } }
        try await connection.leave()
        #expect(library.books.keys.sorted() == ["a.epub"])
    }

    @Test(arguments: [
        ("../outside.epub", "separator"), ("..", "leads elsewhere"), ("a/b.epub", "separator"),
        ("status.xml", "protocol"),
        ("Library.SQLite", "protocol"), ("missing.epub", "not found"), ("empty.epub", "empty"),
        ("folder.epub", "not a file"),
    ])
    func `a document that cannot be taken is told by name, and the others are taken`(_ name: String, _ reason: String)
        async throws
    {
        let other = try await documents(besides: "empty.epub")
        try await serving { _ in
            try await peer.issue(upload(name, "good.epub"))
            let status = try await peer.end()
            #expect(status.code == .warnings)
            #expect(status.messages.count == 1)
            #expect(status.messages.first?.filename == name)
            #expect(status.messages.first?.text.contains(reason) == true, "\(status.messages)")
            #expect(library.books.keys.sorted() == ["good.epub"])
        }
        #expect(try await peer.provider.contents(path: other) == Data("outside".utf8))
    }

    private func documents(besides empty: String) async throws -> ProviderPath {
        try await peer.stage("good", as: "good.epub")
        try await peer.stage("", as: empty)
        try await peer.provider.createFolder(path: peer.folder.path.appending("documents").appending("folder.epub"))
        let outside = try peer.folder.path.appending("outside.epub")
        try await peer.provider.writeContents(path: outside, contents: Data("outside".utf8))
        return outside
    }

    @Test func `a document is found under a name in other case, or in the other form of Unicode`() async throws {
        try await serving { _ in
            try await peer.stage("one", as: "ABC.epub")
            try await peer.stage("two", as: "Cafe\u{301}.epub")
            try await peer.issue(upload("abc.epub", "Caf\u{E9}.epub"))
            #expect(try await peer.end().code == .success)
            #expect(library.books.count == 2)
            #expect(try await peer.names() == ["connected.xml", "library.sqlite"])
        }
    }

    @Test func `of a book that a command names twice the later one counts`() async throws {
        try await serving { _ in
            try await peer.stage("one", as: "a.epub")
            try await peer.issue(
                .uploadBooks(
                    UploadBooks(books: [
                        UploadedBook(filename: "a.epub", collections: ["x"]),
                        UploadedBook(filename: "a.epub", collections: ["y"]),
                    ])))
            let status = try await peer.end()
            #expect(status.code == .warnings)
            #expect(library.state.withLock { $0.collections["a.epub"] } == ["y"])
        }
    }

    @Test func `books that are not taken are warnings, even when there are no others`() async throws {
        try await serving { _ in
            try await peer.issue(upload("missing.epub"))
            let status = try await peer.end()
            #expect(status.code == .warnings)
            #expect(status.messages.map(\.filename) == ["missing.epub"])
        }
    }

    @Test func `an action that the application does not take fails as a whole`() async throws {
        var options = StagingPeer.options
        options.capabilities = []
        try await serving(options) { _ in
            try await peer.issue(.action(ReaderAction(timestamp: 1, type: "LockBooks")))
            #expect(try await peer.end().code == .failure)
        }
    }

    @Test(arguments: [
        ("delete_books.xml", "<?xml version='1.0'?><!DOCTYPE x><deletebooks/>"), ("delete_books.xml", "no XML"),
        ("delete_books.xml", "<?xml version='1.0' encoding='utf-8'?><uploadbooks timestamp='1.0'/>"),
        ("unheard_of.xml", "<unheard/>"),
        ("delete_books.xml", "<deletebooks><manifest>"), ("delete_books.xml", ""),
    ])
    func `a command that cannot be carried out is answered and removed`(_ name: String, _ text: String) async throws {
        try await serving { _ in
            try await eventually { try await peer.names().contains("library.sqlite") }
            try await peer.put(Data(text.utf8), as: name)
            let status = try await peer.end()
            #expect(status.code == .failure)
            #expect(status.messages.first?.filename == name)
            #expect(try await peer.names() == ["connected.xml", "library.sqlite"])
        }
    }

    @Test func `what is no command, and was there before the application, stays`() async throws {
        try await peer.put(Data("<notes/>".utf8), as: "notes.xml")
        try await serving { _ in
            try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 1, books: [])))
            #expect(try await peer.end().code == .success)
            #expect(try await peer.names().contains("notes.xml"))
        }
    }

    @Test func `a driver that takes its command back before it is begun gets nothing`() async throws {
        try await peer.put(
            peer.coding.data(for: CommandStatus(code: .success, progress: 1)), as: CommandStatus.fileName)
        try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 1, books: [BookReference(filename: "a")])))
        var options = StagingPeer.options
        options.statusTaken = 60
        try await serving(options) { connection in
            for await event in connection.events { if case .began = event { break } }
            try await peer.folder.remove("delete_books.xml")
            try await peer.folder.remove(CommandStatus.fileName)
            try await peer.issue(.updateMetadata(UpdateMetadata(timestamp: 2, books: [])))
            #expect(try await peer.end().command == "update_metadata.xml")
            #expect(library.log == ["clean up"])
        }
    }

    @Test func `a wish to stop that came too late does not stop the next command`() async throws {
        for name in ["a.epub", "b.epub"] { try await peer.stage("text", as: name) }
        try await serving { _ in
            try await peer.put(Data(), as: CommandStatus.cancelFileName)
            try await eventually { try await !peer.names().contains(CommandStatus.cancelFileName) }
            try await peer.issue(upload("a.epub", "b.epub"))
            #expect(try await peer.end().code == .success)
        }
    }

    @Test func `a library that cannot be used is told, and the command fails`() async throws {
        let library = ShelfLibrary()
        library.state.withLock { $0.isClosed = true }
        let time = HurriedTime()
        let connection = try peer.connection(library, time: time)
        try await connection.enter()
        try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 1, books: [])))
        let status = try await peer.end()
        try await connection.leave()
        #expect(status.code == .failure)
        #expect(status.messages.first?.text.contains("library cannot be used") == true)
    }

    @Test func `entering and leaving at once end as the last one says`() async throws {
        let connection = try peer.connection(library)
        for _ in 0..<20 {
            try await connection.enter()
            async let left: Void = connection.leave()
            async let entered: Void = connection.enter()
            _ = try await (left, entered)
            let isOnline = await connection.state == .online
            #expect(try await (peer.connected() != nil) == isOnline)
            try await connection.leave()
            #expect(try await peer.connected() == nil)
        }
    }

    @Test func `a command that arrives in pieces is carried out when it is whole`() async throws {
        let data = try peer.coding.data(
            for: .deleteBooks(DeleteBooks(timestamp: 1, books: [BookReference(filename: "a.epub")])))
        var options = StagingPeer.options
        options.incompleteTime = 60
        try await serving(options) { _ in
            for count in stride(from: 10, to: data.count, by: 40) {
                try await peer.put(data.prefix(count), as: "delete_books.xml")
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await peer.status() == nil)
            try await peer.put(data, as: "delete_books.xml")
            #expect(try await peer.end().code == .warnings)
            #expect(library.log == ["delete a.epub"])
        }
    }

    @Test func `commands found together are carried out in the order of their timestamps`() async throws {
        try await peer.issue(.updateMetadata(UpdateMetadata(timestamp: 30, books: [])))
        try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 20, books: [BookReference(filename: "b")])))
        try await peer.issue(
            .rebuildCollections(
                RebuildCollections(timestamp: 10, books: [CollectedBook(BookReference(filename: "c"), collections: [])])
            ))
        try await serving { _ in
            for name in ["rebuild_collections.xml", "delete_books.xml", "update_metadata.xml"] {
                let status = try await peer.end()
                #expect(status.command == name)
            }
            #expect(library.log == ["collect c", "delete b", "clean up"])
        }
    }

    @Test func `a driver that never takes the status does not stop the next command`() async throws {
        try await serving { _ in
            try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 1, books: [])))
            try await eventually { try await peer.status()?.isFinal == true }
            try await peer.issue(.updateMetadata(UpdateMetadata(timestamp: 2, books: [])))
            try await eventually { try await peer.status()?.command == "update_metadata.xml" }
        }
    }

    @Test func `a command that comes again while the first is carried out is carried out as well`() async throws {
        let (hasStarted, isIssued) = (LockedValue(false), LockedValue(false))
        let library = ShelfLibrary { _ in
            hasStarted.update { $0 = true }
            try await eventually { isIssued.value }
        }
        let connection = try peer.connection(library)
        try await connection.enter()
        try await peer.stage("one", as: "a.epub")
        try await peer.issue(upload("a.epub"))
        try await eventually { hasStarted.value }
        try await peer.stage("two", as: "b.epub")
        try await peer.issue(upload("b.epub"))
        isIssued.update { $0 = true }
        try await peer.end()
        try await peer.end()
        try await connection.leave()
        #expect(Set(library.books.keys) == ["a.epub", "b.epub"])
    }

    @Test
    func `a driver that takes the status at once, and puts the same command there again, is served a thousand times`()
        async throws
    {
        let command = ReaderCommand.deleteBooks(DeleteBooks(timestamp: 1, books: [BookReference(filename: "a.epub")]))
        try await serving { _ in
            for _ in 0..<1_000 {
                try await peer.issue(command)
                let status = try await peer.end()
                try #require(status.code == .warnings)
            }
        }
        #expect(library.log == Array(repeating: "delete a.epub", count: 1_000))
        #expect(library.unfinishedCommands == 0)
    }

    @Test func `left in the middle, the command goes on with the next connection, and no book is taken twice`()
        async throws
    {
        let reached = FirstPass()
        let library = ShelfLibrary { name in
            if name == "b.epub", reached.pass() { try await Task.sleep(for: .seconds(60)) }
        }
        for name in ["a.epub", "b.epub", "c.epub"] { try await peer.stage("text", as: name) }
        let first = try peer.connection(library)
        try await first.enter()
        try await peer.issue(upload("a.epub", "b.epub", "c.epub"))
        try await eventually { reached.isPassed }
        try await first.leave()
        #expect(try await peer.status()?.code == .inProgress)
        #expect(library.books.keys.sorted() == ["a.epub"])
        let second = try peer.connection(library)
        try await second.enter()
        #expect(try await peer.end().code == .success)
        try await second.leave()
        #expect(library.log == ["add a.epub", "add b.epub", "add c.epub"])
        #expect(try await peer.names() == ["library.sqlite"])
    }

    @Test func `a driver that asks for an end gets it between two books`() async throws {
        let peer = peer
        let library = ShelfLibrary { name in
            if name == "a.epub" { try await peer.put(Data(), as: CommandStatus.cancelFileName) }
        }
        for name in ["a.epub", "b.epub"] { try await peer.stage("text", as: name) }
        let connection = try peer.connection(library)
        try await connection.enter()
        try await peer.issue(upload("a.epub", "b.epub"))
        let status = try await peer.end()
        try await connection.leave()
        #expect(status.code == .cancelled)
        #expect(library.books.keys.sorted() == ["a.epub"])
        #expect(try await peer.names() == ["library.sqlite"])
    }

    @Test func `a library that fails ends the command with its sentence, and the next one is carried out`() async throws
    {
        library.state.withLock { $0.failure = FileError.make(.fileWriteOutOfSpace, path: "/library") }
        try await serving { _ in
            try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 1, books: [BookReference(filename: "a")])))
            let status = try await peer.end()
            #expect(status.code == .failure)
            #expect(status.messages.last?.text.contains("not carried out to its end") == true)
            try await peer.issue(.deleteBooks(DeleteBooks(timestamp: 2, books: [BookReference(filename: "a")])))
            #expect(try await peer.end().code == .warnings)
        }
    }

    @Test func `a book is put into the staging folder for a driver that asks for it`() async throws {
        library.state.withLock { $0.books["a.epub"] = Data("one".utf8) }
        try await serving { _ in
            try await peer.issue(
                .action(
                    ReaderAction(
                        timestamp: 1, type: ReaderAction.exportBooks,
                        books: [BookReference(filename: "a.epub"), BookReference(filename: "x")],
                        parameters: [ReaderAction.exportName: "get.epub"])))
            #expect(try await peer.end().code == .warnings)
            #expect(try await peer.folder.folder("documents").read("0-get.epub", limit: 100) == Data("one".utf8))
        }
    }

    @Test(arguments: ["../get.epub", "a/b", ""])
    func `a book is put under a harmless name only`(_ name: String) async throws {
        library.state.withLock { $0.books["a.epub"] = Data("one".utf8) }
        try await serving { _ in
            try await eventually { try await peer.names().contains("library.sqlite") }
            let before = try await peer.names()
            try await peer.issue(
                .action(
                    ReaderAction(
                        timestamp: 1, type: ReaderAction.exportBooks, books: [BookReference(filename: "a.epub")],
                        parameters: name.isEmpty
                            ? [ReaderAction.exportName: "\u{202E}x"] : [ReaderAction.exportName: name])))
            #expect(try await peer.end().code == .warnings)
            #expect(try await peer.names() == before)
        }
    }
}

/// A clock that runs a thousand times as fast.
struct HurriedTime: TimeSource {
    private let system = SystemTime()
    var wallClock: Double { system.wallClock }
    var elapsed: Double { system.elapsed * 1_000 }
    func sleep(seconds: Double) async throws { try await system.sleep(seconds: seconds / 1_000) }
}

/// Lets the first one pass, and tells whether it did.
private final class FirstPass: Sendable {
    private let state = Mutex(false)
    var isPassed: Bool { state.withLock { $0 } }
    func pass() -> Bool {
        state.withLock { state in
            defer { state = true }
            return !state
        }
    }
}

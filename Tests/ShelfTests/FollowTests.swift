import FileProviderCore
import Foundation
import LocalFileProvider
import ProviderDoubles
import Testing

@testable import Shelf

@Suite(.timeLimit(.minutes(2))) struct FollowTests {
    private let bench: ShelfBench

    init() throws { bench = try ShelfBench() }

    /// Follows the sources for the length of `body`.
    private func following(_ sources: [ShelfSource]? = nil, _ body: (Shelf) async throws -> Void) async throws {
        try await bench.with(sources) { shelf in
            let work = Task { try await shelf.follow() }
            do {
                try await body(shelf)
                work.cancel()
            } catch {
                work.cancel()
                _ = await work.result
                throw error
            }
            await #expect(throws: CancellationError.self) { try await work.value }
        }
    }

    @Test func `changes are followed, and a renamed folder is not opened`() async throws {
        try await bench.put("books/old/a.epub", ShelfBench.epub("A"))
        try await bench.put("books/old/below/b.epub", ShelfBench.epub("B"))
        try await following { shelf in
            try await eventually { try await shelf.counts().books == 2 }
            let book = try #require(try await shelf.book(at: "books/old/a.epub"))
            let opened = bench.storage.state.value.opened.count
            try await bench.move("books/old", to: "books/new")
            let moved = try await eventually { try await shelf.book(at: "books/new/a.epub") }
            #expect(moved.id == book.id && moved.metadata == book.metadata)
            #expect(try await shelf.paths == ["/books/new/a.epub", "/books/new/below/b.epub"])
            #expect(bench.storage.state.value.opened.count == opened)

            try await bench.put("books/new/a.epub", ShelfBench.epub("Changed"))
            try await eventually { try await shelf.book(book.id)?.metadata.title.string == "Changed" }
            try await bench.put("books/c.epub", ShelfBench.epub("C"))
            try await eventually { try await shelf.book(at: "books/c.epub") != nil }
            // Two of three: they leave when they are missing for a second time.
            try await bench.remove("books/new/a.epub")
            try await bench.remove("books/new/below/b.epub")
            try await eventually { try await shelf.paths == ["/books/c.epub"] }
        }
        #expect(bench.lines.contains("changed /books/new/a.epub: Changed"))
        #expect(bench.lines.contains("moved /books/old/a.epub -> /books/new/a.epub"))
    }

    /// Two books in two folders, and a folder without any.
    private func fill() async throws {
        for name in ["a", "b"] { try await bench.put("books/\(name)/x.epub", ShelfBench.epub(name)) }
        try await bench.memory.createFolder(path: ProviderPath("books/empty"))
    }

    @Test func `a start lists each folder once`() async throws {
        try await fill()
        let options = bench.options { $0.watch = WatchOptions(minInterval: 1_000, maxInterval: 1_000) }
        try await bench.with(nil, options) { shelf in
            let work = Task { try await shelf.follow() }
            try await eventually { try await shelf.counts().books == 2 }
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
        }
        #expect(bench.storage.state.value.listings == 4)
    }

    @Test func `changes after the first listing are followed, and nothing else is reported`() async throws {
        try await fill()
        bench.storage.state.update { $0.isOpeningHeld = true }
        try await following { shelf in
            // The books are read once all folders are listed.
            try await eventually { bench.storage.state.value.open == 2 }
            try await bench.put("books/a/y.epub", ShelfBench.epub("In a folder with a book"))
            try await bench.put("books/empty/z.epub", ShelfBench.epub("In an empty folder"))
            bench.storage.state.update { $0.isOpeningHeld = false }
            try await eventually { try await shelf.counts().books == 4 }
            let listings = bench.storage.state.value.listings
            try await eventually { bench.storage.state.value.listings >= listings + 8 }
        }
        #expect(bench.lines.count == 4 && bench.lines.allSatisfy { $0.hasPrefix("added") })
        #expect(bench.storage.state.value.attributes == 2)
    }

    @Test func `a folder of this machine reports its moves`() async throws {
        let root = try TemporaryFolder()
        try FileManager.default.createDirectory(
            at: root.url.appending(path: "old"), withIntermediateDirectories: true)
        try ShelfBench.epub("A").write(to: root.url.appending(path: "old/a.epub"))
        let local = try LocalFileProvider(root: root.url)
        try await following([ShelfSource(provider: local)]) { shelf in
            try await eventually { try await shelf.book(at: "old/a.epub") != nil }
            try await local.moveItem(path: ProviderPath("old"), to: ProviderPath("new"))
            // Each line comes after its change.
            try await eventually { bench.lines.count >= 2 }
        }
        #expect(bench.lines == ["added /old/a.epub: A", "moved /old/a.epub -> /new/a.epub"])
    }

    @Test func `what a lost connection postponed is read once it is back`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        bench.storage.state.update { $0.isAway = true }
        try await following { shelf in
            try await eventually { bench.storage.state.value.opened.count >= 3 }
            #expect(try await shelf.counts().books == 0)
            bench.storage.state.update { $0.isAway = false }
            try await eventually { try await shelf.counts().books == 1 }
        }
        #expect(bench.lines == ["postponed /books/a.epub: The connection was lost.", "added /books/a.epub: A"])
    }

    @Test func `a look that takes longer than the pauses comes to its end`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        bench.storage.state.update { $0.isAway = true }
        try await following { _ in
            try await eventually { bench.lines.contains { $0.hasPrefix("postponed /books/a.epub: ") } }
            // From now on each look outlasts two pauses, after which what is pending is tried again.
            bench.storage.state.update { $0.isSlow = true }
            try await bench.put("books/b.epub", ShelfBench.epub("B"))
            try await eventually { bench.lines.contains { $0.hasPrefix("postponed /books/b.epub: ") } }
            bench.storage.state.update { $0.isSlow = false }
        }
    }

    @Test func `a folder that is missing for a while is followed again`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        try await following { shelf in
            try await eventually { try await shelf.counts().books == 1 }
            try await bench.move("books", to: "elsewhere")
            try await eventually { bench.lines.contains { $0.hasPrefix("interrupted") } }
            #expect(try await shelf.counts().books == 1)
            #expect(try await shelf.state().first?.interruption != nil)
            try await bench.put("elsewhere/b.epub", ShelfBench.epub("B"))
            try await bench.move("elsewhere", to: "books")
            try await eventually { try await shelf.counts().books == 2 }
            try await eventually { try await shelf.state().first?.interruption == nil }
        }
        let others = bench.lines.filter { !$0.hasPrefix("interrupted") }
        #expect(others == ["added /books/a.epub: A", "added /books/b.epub: B", "resumed"])
    }

    @Test func `a storage that goes away while nothing changes is reported once, and so is its return`() async throws {
        let interruption = "interrupted: The server is away."
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        try await following { shelf in
            try await eventually { try await shelf.counts().books == 1 }
            bench.storage.state.update { $0.isUnreachable = true }
            try await eventually { bench.lines.contains(interruption) }
            let failures = bench.storage.state.value.failedConnections
            try await eventually { bench.storage.state.value.failedConnections >= failures + 3 }
            #expect(try await shelf.state().first?.interruption == "The server is away.")
            #expect(try await shelf.counts().books == 1)
            bench.storage.state.update { $0.isUnreachable = false }
            try await eventually { bench.lines.contains("resumed") }
            #expect(try await shelf.state().first?.interruption == nil)
        }
        #expect(bench.lines == ["added /books/a.epub: A", interruption, "resumed"])
    }

    @Test func `a login that is refused ends nothing, neither at the start nor later`() async throws {
        let interruption = "interrupted: The login was refused."
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        try await bench.with { try await $0.scan() }
        bench.storage.state.update { $0.isRefusing = true }
        try await following { shelf in
            try await eventually { bench.lines.contains(interruption) }
            try await bench.put("books/b.epub", ShelfBench.epub("B"))
            bench.storage.state.update { $0.isRefusing = false }
            try await eventually { bench.lines.contains("resumed") }
            #expect(try await shelf.counts().books == 2)
            bench.storage.state.update { $0.isRefusing = true }
            try await eventually { bench.lines.count { $0 == interruption } == 2 }
            #expect(try await shelf.counts().books == 2)
            try await bench.put("books/c.epub", ShelfBench.epub("C"))
            bench.storage.state.update { $0.isRefusing = false }
            try await eventually { try await shelf.counts().books == 3 }
        }
    }

    @Test func `a folder that cannot be listed is looked at again, and its books stay`() async throws {
        for name in ["a", "b", "c"] { try await bench.put("books/\(name)/x.epub", ShelfBench.epub(name)) }
        let locked = try ProviderPath("books/a")
        bench.storage.state.update { $0.locked = [locked] }
        try await following { shelf in
            try await eventually { try await shelf.counts().books == 2 }
            #expect(try await shelf.state().first?.unlisted == 1)
            bench.storage.state.update { $0.locked = [] }
            try await eventually { try await shelf.counts().books == 3 }
            #expect(try await shelf.state().first?.unlisted == 0)
        }
        #expect(bench.lines.count { $0.hasPrefix("postponed /books/a: ") } == 1)
    }

    @Test func `a folder that is listed but not found is looked for again, and its books stay`() async throws {
        for name in ["a", "b", "c"] { try await bench.put("books/\(name)/x.epub", ShelfBench.epub(name)) }
        let lost = try ProviderPath("books/a")
        try await bench.with { try await $0.scan() }
        bench.storage.state.update { $0.lost = [lost] }
        try await following { shelf in
            try await eventually { bench.storage.state.value.lookedForLost >= 2 }
            #expect(try await shelf.counts().books == 3)
            bench.storage.state.update { $0.lost = [] }
            try await bench.put("books/a/y.epub", ShelfBench.epub("Y"))
            try await eventually { try await shelf.counts().books == 4 }
        }
        #expect(!bench.lines.contains { $0.hasPrefix("removed") })
    }

    /// Events, the paths to list, and the paths where everything is gone.
    private static func cases() throws -> [(events: [FileEvent], present: [String], gone: [String])] {
        let (a, b, inA, inB) = (
            try ProviderPath("a"), try ProviderPath("b"), try ProviderPath("a/x"), try ProviderPath("b/x")
        )
        let hidden = try ProviderPath(".a")
        return [
            ([FileEvent(.removed, path: a)], [], ["/a"]),
            ([FileEvent(.created, path: inA), FileEvent(.created, path: a)], ["/a"], []),
            ([FileEvent(.modified, path: a, type: .directory)], [], []),
            ([FileEvent(.moved, path: b, from: a), FileEvent(.modified, path: inB)], ["/b"], ["/a"]),
            ([FileEvent(.created, path: inA), FileEvent(.removed, path: a)], [], ["/a"]),
            ([FileEvent(.removed, path: a), FileEvent(.rescan, path: a, reason: "Lost.")], ["/a"], ["/a"]),
            ([FileEvent(.created, path: hidden), FileEvent(.removed, path: hidden)], [], []),
        ]
    }

    @Test func `events say where to look`() throws {
        for (events, present, gone) in try Self.cases() {
            let places = ChangedPlaces(events) { !$0.name.hasPrefix(".") }
            #expect(places.present.map(\.string) == present, "\(events)")
            #expect(places.gone.map(\.string) == gone, "\(events)")
        }
    }
}

import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Shelf
import Testing

/// Storages that go away, lose books for a while, or fail in the middle of a scan.
@Suite struct ScanCautionTests {
    private let bench: ShelfBench

    init() throws { bench = try ShelfBench() }

    private func putBooks(_ count: Int, in folder: String = "books") async throws {
        for number in 0..<count { try await bench.put("\(folder)/\(number).epub", ShelfBench.epub("Book \(number)")) }
    }

    @Test func `a lost connection postpones and refuses nothing`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        bench.storage.state.update { $0.isAway = true }
        try await bench.with { shelf in
            for _ in 1...2 {
                let report = try await shelf.scan()
                #expect(!report.isComplete && report.postponed == 1 && report.refused == 0)
            }
            #expect(try await shelf.counts().pending == 1)
            bench.storage.state.update { $0.isAway = false }
            #expect(try await shelf.scan().isComplete)
        }
        #expect(bench.lines == ["postponed /books/a.epub: The connection was lost.", "added /books/a.epub: A"])
    }

    @Test func `a storage that went away isn't asked for every file`() async throws {
        try await putBooks(100)
        bench.storage.state.update { $0.isAway = true }
        try await bench.with(nil, bench.options { $0.concurrentReads = 2 }) { shelf in
            await #expect(throws: URLError.self) { try await shelf.scan() }
            let interrupted = try await shelf.state()
            #expect(interrupted.first?.interruption == "The connection was lost.")
            #expect(bench.storage.state.value.opened.count <= 10)
            bench.storage.state.update { $0.isAway = false }
            let report = try await shelf.scan()
            #expect(report.added == 100)
            let state = try await shelf.state()
            #expect(state.first?.interruption == nil)
        }
        #expect(bench.lines.count { $0.hasPrefix("interrupted") } == 1)
        #expect(bench.lines.last == "resumed")
    }

    @Test func `a folder that is away empties no catalogue`() async throws {
        try await putBooks(2)
        try await bench.with { shelf in
            try await shelf.scan()
            try await bench.move("books", to: "elsewhere")
            await #expect { try await shelf.scan() } throws: { $0.isNoSuchFile }
            #expect(try await shelf.counts().books == 2)
            try await bench.move("elsewhere", to: "books")
            let report = try await shelf.scan()
            #expect(report.isComplete && report.read == 0)
        }
    }

    @Test func `an empty listing removes nothing until a second one`() async throws {
        try await putBooks(3)
        try await bench.with { shelf in
            try await shelf.scan()
            try await bench.move("books", to: "elsewhere")
            try await bench.memory.createFolder(path: ProviderPath("books"))
            #expect(try await shelf.scan().withheld == 3)
            #expect(try await shelf.counts().books == 3)
            #expect(try await shelf.state().first?.withheld == 3)

            try await bench.remove("books")
            try await bench.move("elsewhere", to: "books")
            let back = try await shelf.scan()
            #expect(back.withheld == 0 && back.removed == 0 && back.read == 0)

            for number in 0..<3 { try await bench.remove("books/\(number).epub") }
            #expect(try await shelf.scan().withheld == 3)
            #expect(try await shelf.scan().removed == 3)
            #expect(try await shelf.counts().books == 0)
        }
        #expect(bench.lines.count { $0 == "withheld 3" } == 2)
    }

    @Test func `more than half is kept until it is confirmed, and less is removed at once`() async throws {
        try await putBooks(5)
        try await bench.with { shelf in
            try await shelf.scan()
            try await bench.remove("books/0.epub")
            #expect(try await shelf.scan().removed == 1)
            for number in 1...3 { try await bench.remove("books/\(number).epub") }
            #expect(try await shelf.scan().withheld == 3)
            #expect(try await shelf.scan(confirmingRemovals: true).removed == 3)
            #expect(try await shelf.paths == ["/books/4.epub"])
        }
        try await bench.with(nil, bench.options { $0.removal = .immediate }) { shelf in
            try await bench.remove("books/4.epub")
            #expect(try await shelf.scan().removed == 1)
        }
    }

    @Test func `books in a folder that cannot be listed stay`() async throws {
        try await putBooks(2, in: "books/a")
        try await putBooks(6, in: "books/b")
        try await bench.with { shelf in
            try await shelf.scan()
            let locked = try ProviderPath("books/a")
            bench.storage.state.update { $0.locked = [locked] }
            try await bench.remove("books/a/0.epub")
            try await bench.remove("books/b/0.epub")
            for _ in 1...2 {
                let report = try await shelf.scan()
                #expect(!report.isComplete && report.postponed == 1)
                #expect(try await shelf.counts().books == 7)
            }
            bench.storage.state.update { $0.locked = [] }
            #expect(try await shelf.scan().isComplete)
            #expect(try await shelf.counts().books == 6)
        }
        #expect(bench.lines.count { $0.hasPrefix("postponed /books/a: ") } == 1)
    }

    @Test func `books in a folder that is listed but not found stay, until it is no longer listed`() async throws {
        try await putBooks(2, in: "books/a")
        try await putBooks(6, in: "books/b")
        let lost = try ProviderPath("books/a")
        try await bench.with { shelf in
            try await shelf.scan()
            bench.storage.state.update { $0.lost = [lost] }
            for _ in 1...2 {
                let report = try await shelf.scan()
                #expect(!report.isComplete && report.postponed == 1)
                #expect(try await shelf.counts().books == 8)
            }
            try await bench.remove("books/a/0.epub")
            try await bench.remove("books/a/1.epub")
            try await bench.remove("books/a")
            #expect(try await shelf.scan().isComplete)
            #expect(try await shelf.counts().books == 6)
        }
        #expect(bench.lines.count { $0.hasPrefix("postponed /books/a: ") } == 1)
    }

    @Test func `names that the storage cannot give leave the folder's books alone`() async throws {
        try await putBooks(4, in: "books/a")
        let crafted = CraftedListing(bench.memory)
        let source = ShelfSource(provider: crafted, root: try ProviderPath("books"))
        try await bench.with([source]) { shelf in
            try await shelf.scan()
            crafted.leaveOut("0.epub", in: try ProviderPath("books/a"))
            for _ in 1...2 { #expect(try await !shelf.scan().isComplete) }
            #expect(try await shelf.counts().books == 4)
        }
    }

    @Test func `a scan that was cancelled goes on where it was`() async throws {
        try await putBooks(30)
        bench.storage.state.update { $0.openLimit = 12 }
        try await bench.with(nil, bench.options { $0.concurrentReads = 2 }) { shelf in
            let scan = Task { try await shelf.scan() }
            try await eventually { bench.storage.state.value.opened.count == 14 }
            scan.cancel()
            await #expect(throws: CancellationError.self) { try await scan.value }
            #expect(try await shelf.counts().books == 12)
        }
        bench.storage.state.update { $0.openLimit = .max }
        try await bench.with { shelf in
            #expect(try await shelf.counts().pending == 18)
            let report = try await shelf.scan()
            #expect(report.isComplete && report.added == 18 && report.read == 18)
        }
        #expect(bench.storage.state.value.opened.count == 32)
    }

    @Test func `a source that is slow to list keeps no other one waiting`() async throws {
        let slow = CountedStorage()
        try await slow.memory.createFolder(path: ProviderPath("more"))
        try await slow.memory.writeContents(path: ProviderPath("more/b.epub"), contents: ShelfBench.epub("B"))
        slow.state.update { $0.isHeld = true }
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        let source = ShelfSource(provider: slow, root: try ProviderPath("more"))
        try await bench.with([source, bench.source]) { shelf in
            let scan = Task { try await shelf.scan() }
            try await eventually { try await shelf.paths == ["/books/a.epub"] }
            slow.state.update { $0.isHeld = false }
            #expect(try await scan.value.added == 2)
        }
    }

    @Test func `a source that fails doesn't keep the others from being scanned`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        let other = MemoryFileProvider(MemoryConfiguration(name: "other"))
        let missing = ShelfSource(provider: other, root: try ProviderPath("missing"))
        try await bench.with([missing, bench.source]) { shelf in
            let report = try await shelf.scan()
            #expect(!report.isComplete && report.added == 1)
            let states = try await shelf.state()
            #expect(states.map { $0.interruption == nil } == [false, true])
            #expect(states.map { $0.scanned == nil } == [true, false])
        }
    }

    @Test func `books of a source that isn't given leave once the others were seen in full`() async throws {
        try await putBooks(2)
        try await bench.with { try await $0.scan() }
        let other = MemoryFileProvider(MemoryConfiguration(name: "other"))
        let source = ShelfSource(provider: other, root: try ProviderPath("more"))
        try await bench.with([source]) { shelf in
            await #expect { try await shelf.scan() } throws: { $0.isNoSuchFile }
            #expect(try await shelf.counts().books == 2)
            let book = try #require(try await shelf.book(at: "books/0.epub"))
            await #expect { try await shelf.open(book) } throws: { $0.isNoSuchFile }
            try await other.createFolder(path: ProviderPath("more"))
            try await shelf.scan()
            #expect(try await shelf.counts().books == 0)
        }
    }
}

import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Publication
import SampleBooks
import Testing

@testable import Shelf

@Suite struct CoverTests {
    private let bench: ShelfBench

    init() throws { bench = try ShelfBench() }

    /// The cover of the only book.
    private func cover(_ shelf: Shelf, dimension: Int = 240) async throws -> ShelfCover? {
        let book = try #require(try await shelf.books().books.first)
        return try await shelf.cover(of: book, dimension: dimension)
    }

    private func state(_ shelf: Shelf) async throws -> ShelfBook.CoverState? {
        try await shelf.books().books.first?.coverState
    }

    #if Formats
        @Test func `a picture is scaled to the next size, and kept`() async throws {
            try await bench.put("books/a.epub", SampleBook.small(.epub2))
            try await bench.with { shelf in
                try await shelf.scan()
                #expect(try await state(shelf) == .unknown)
                let small = try #require(try await self.cover(shelf, dimension: 100))
                #expect(small.mediaType == "image/jpeg" && small.data.starts(with: [0xFF, 0xD8, 0xFF]))
                let large = try #require(try await self.cover(shelf, dimension: 5_000))
                #expect(large.data.count > small.data.count && large.tag == small.tag)
                let opened = bench.storage.state.value.opened.count
                #expect(opened == 2)
                #expect(try await cover(shelf, dimension: 240) == small)
                #expect(bench.storage.state.value.opened.count == opened)
                let book = try #require(try await shelf.books().books.first)
                #expect(book.coverState == .known && book.coverTag == small.tag)
            }
            #expect(try bench.covers.count == 2)
            try await bench.with { shelf in
                let made = try await cover(shelf)
                #expect(made != nil)
            }
            #expect(bench.storage.state.value.opened.count == 2)
        }

        @Test func `a damaged cover is none`() async throws {
            try await bench.put("books/a.epub", ShelfBench.epub("A", cover: SampleEPUB.png))
            try await checkNone()
        }

        @Test func `a cover that claims very many pixels is none`() async throws {
            var picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
            picture += Data("IHDR".utf8) + Data([0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0, 8, 2, 0, 0, 0, 0, 0, 0, 0])
            picture += Data([0, 0, 0, 0]) + Data("IDAT".utf8) + Data(count: 4)
            try await bench.put("books/a.epub", ShelfBench.epub("A", cover: picture))
            try await checkNone()
        }
    #endif

    @Test func `a picture that cannot be scaled is kept as it is`() async throws {
        let picture = Data("GIF89a".utf8) + Data([2, 0, 3, 0, 0, 0, 0, 0x3B])
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: picture))
        try await bench.with { shelf in
            try await shelf.scan()
            let cover = try #require(try await self.cover(shelf))
            #expect(cover.data == picture && cover.mediaType == "image/gif")
            #expect(try await self.cover(shelf) == cover)
        }
        #expect(try bench.covers.count == 1)
    }

    @Test func `a book without a cover, or with a drawing, is asked once`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A"))
        try await checkNone()
        try await bench.put("books/a.epub", SampleBook.small(.epub3))
        try await checkNone()
    }

    private func checkNone(_ location: SourceLocation = #_sourceLocation) async throws {
        try await bench.with { shelf in
            try await shelf.scan()
            #expect(try await cover(shelf) == nil, sourceLocation: location)
            #expect(try await state(shelf) == ShelfBook.CoverState.none, sourceLocation: location)
            let opened = bench.storage.state.value.opened.count
            #expect(try await cover(shelf) == nil, sourceLocation: location)
            #expect(bench.storage.state.value.opened.count == opened, sourceLocation: location)
        }
        #expect(try bench.covers.isEmpty, sourceLocation: location)
    }

    @Test func `a cover that is too large is left out unread`() async throws {
        let picture = SampleBook.coverPicture() + Data(count: 5 << 20)
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: picture))
        try await checkNone()
        let bytes = bench.storage.state.value.bytes
        #expect(bytes < 256 << 10, "\(bytes) bytes were read")
    }

    @Test func `many ask for one cover, and it is made once`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: SampleBook.coverPicture()))
        try await bench.with { shelf in
            try await shelf.scan()
            let book = try #require(try await shelf.books().books.first)
            try await withThrowingTaskGroup(of: ShelfCover?.self) { group in
                for _ in 0..<20 { group.addTask { try await shelf.cover(of: book, dimension: 240) } }
                for try await cover in group { #expect(cover != nil) }
            }
        }
        #expect(bench.storage.state.value.opened.count == 2)
    }

    @Test func `a cover that was made since a caller looked is not made again`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: SampleBook.coverPicture()))
        try await bench.put("books/b.epub", ShelfBench.epub("B"))
        try await bench.with { shelf in
            try await shelf.scan()
            let books = try await shelf.books().books
            for book in books {
                let made = try await shelf.cover(of: book, dimension: 240)
                let opened = bench.storage.state.value.opened.count
                // `book` was loaded before.
                let kept = try await shelf.makeCover(of: book)
                #expect(kept?.picture(240) == made?.data && kept?.tag == made?.tag)
                #expect((kept == nil) == (book.path.string.hasSuffix("b.epub")))
                #expect(bench.storage.state.value.opened.count == opened)
            }
            #expect(books.count == 2)
        }
    }

    @Test func `all covers are made several at once, and a storage that is away is asked again`() async throws {
        for number in 0..<30 {
            let data = try ShelfBench.epub("Book \(number)", cover: SampleBook.coverPicture())
            try await bench.put("books/\(number).epub", data)
        }
        try await bench.with { shelf in
            try await shelf.scan()
            bench.storage.state.update { $0.isAway = true }
            await #expect(throws: URLError.self) { try await shelf.makeCovers() }
            bench.storage.state.update { $0.isAway = false }
            try await shelf.makeCovers()
            #expect(try await shelf.books(ShelfQuery(limit: 500)).books.allSatisfy { $0.coverState == .known })
            let opened = bench.storage.state.value.opened.count
            try await shelf.makeCovers()
            #expect(bench.storage.state.value.opened.count == opened)
        }
        #expect(bench.storage.state.value.mostOpen <= 8)
    }

    @Test func `as many covers are made at once as books are read`() async throws {
        for number in 0..<12 {
            let data = try ShelfBench.epub("Book \(number)", cover: SampleBook.coverPicture())
            try await bench.put("books/\(number).epub", data)
        }
        try await bench.with(nil, bench.options { $0.concurrentReads = 1 }) { shelf in
            try await shelf.scan()
            let books = try await shelf.books().books
            try await withThrowingTaskGroup(of: ShelfCover?.self) { group in
                for book in books.prefix(6) { group.addTask { try await shelf.cover(of: book, dimension: 240) } }
                group.addTask {
                    try await shelf.makeCovers()
                    return nil
                }
                try await group.waitForAll()
            }
            #expect(try await shelf.books().books.allSatisfy { $0.coverState == .known })
        }
        #expect(bench.storage.state.value.mostOpen == 1)
    }

    @Test func `a scan and covers together open no more files than the storage can bear`() async throws {
        bench.storage.state.update { $0.concurrentTransfers = 2 }
        func put(_ numbers: Range<Int>) async throws {
            for number in numbers {
                let data = try ShelfBench.epub("Book \(number)", cover: SampleBook.coverPicture())
                try await bench.put("books/\(number).epub", data)
            }
        }
        try await put(0..<6)
        try await bench.with { shelf in
            try await shelf.scan()
            try await put(6..<12)
            bench.storage.state.update { $0.isOpeningHeld = true }
            let scan = Task { try await shelf.scan() }
            try await eventually { bench.storage.state.value.open == 2 }
            let covers = Task { try await shelf.makeCovers() }
            try await eventually { await shelf.making.count == 6 }
            // The files that are open stay so for a moment longer, in which covers with their own limit would open more.
            bench.storage.state.update { $0.isOpeningHeld = false }
            let report = try await scan.value
            #expect(report.added == 6)
            try await covers.value
            try await shelf.makeCovers()
            #expect(try await shelf.books().books.allSatisfy { $0.coverState == .known })
        }
        #expect(bench.storage.state.value.mostOpen == 2)
    }

    @Test func `the covers of other sources don't wait for a storage that doesn't answer`() async throws {
        let slow = CountedStorage()
        try await slow.memory.createFolder(path: ProviderPath("more"))
        for number in 0..<20 {
            let data = try ShelfBench.epub("Book \(number)", cover: SampleBook.coverPicture())
            try await slow.memory.writeContents(path: ProviderPath("more/\(number).epub"), contents: data)
        }
        try await bench.memory.createFolder(path: ProviderPath("books"))
        let source = ShelfSource(provider: slow, root: try ProviderPath("more"))
        try await bench.with([source, bench.source]) { shelf in
            try await shelf.scan()
            // Its number comes after all others.
            try await bench.put("books/z.epub", ShelfBench.epub("Z", cover: SampleBook.coverPicture()))
            try await shelf.scan()
            slow.state.update { $0.openLimit = $0.opened.count }
            let work = Task { try await shelf.makeCovers() }
            try await eventually { try await shelf.book(at: "books/z.epub")?.coverState == .known }
            work.cancel()
            await #expect(throws: CancellationError.self) { try await work.value }
        }
    }

    @Test func `a storage that is away keeps no other source without covers`() async throws {
        let away = CountedStorage()
        try await away.memory.createFolder(path: ProviderPath("more"))
        for number in 0..<30 {
            let data = try ShelfBench.epub("Book \(number)", cover: SampleBook.coverPicture())
            try await away.memory.writeContents(path: ProviderPath("more/\(number).epub"), contents: data)
        }
        try await bench.memory.createFolder(path: ProviderPath("books"))
        let source = ShelfSource(provider: away, root: try ProviderPath("more"))
        try await bench.with([source, bench.source]) { shelf in
            try await shelf.scan()
            try await bench.put("books/z.epub", ShelfBench.epub("Z", cover: SampleBook.coverPicture()))
            try await shelf.scan()
            away.state.update { $0.isAway = true }
            await #expect(throws: URLError.self) { try await shelf.makeCovers() }
            #expect(try await shelf.book(at: "books/z.epub")?.coverState == .known)
        }
    }

    @Test func `a request that the storage cancels keeps no other cover from being made`() async throws {
        for name in ["a", "b", "c"] {
            try await bench.put("books/\(name).epub", ShelfBench.epub("Book \(name)", cover: SampleBook.coverPicture()))
        }
        let path = try ProviderPath("books/a.epub")
        try await bench.with { shelf in
            try await shelf.scan()
            bench.storage.state.update { $0.cancelled = [path] }
            try await shelf.makeCovers()
            let books = try await shelf.books().books
            #expect(books.filter { $0.coverState == .known }.count == 2)
            #expect(books.first { $0.path == path }?.coverState == .unknown)
            bench.storage.state.update { $0.cancelled = [] }
            try await eventually { () -> Bool in
                try await shelf.makeCovers()
                return try await shelf.books().books.allSatisfy { $0.coverState == .known }
            }
        }
    }

    @Test func `covers leave with their books, and when these change`() async throws {
        for name in ["a", "b", "c"] {
            try await bench.put("books/\(name).epub", ShelfBench.epub("Book \(name)", cover: SampleBook.coverPicture()))
        }
        try await bench.with { shelf in
            try await shelf.scan()
            try await shelf.makeCovers()
            let all = try bench.covers
            let book = try #require(try await shelf.book(at: "books/b.epub"))
            try await bench.remove("books/a.epub")
            try await bench.move("books/b.epub", to: "books/new.epub")
            try await bench.put("books/c.epub", ShelfBench.epub("Changed", cover: SampleBook.coverPicture()))
            try await shelf.scan()
            let kept = try bench.covers
            #expect(!kept.isEmpty && kept == all.filter { $0.hasPrefix("cover-\(book.id)-") })
            let opened = bench.storage.state.value.opened.count
            #expect(try await shelf.cover(of: book, dimension: 240) != nil)
            #expect(bench.storage.state.value.opened.count == opened)
        }
    }

    @Test func `what a crash left among the covers is swept, and nothing else`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: SampleBook.coverPicture()))
        try await bench.with { shelf in
            try await shelf.scan()
            try await shelf.makeCovers()
        }
        let kept = try bench.covers
        let part = try TemporaryName.make(beside: .root.appending("cover")).name
        for name in ["cover-999-0123456789abcdef-240", "cover-1-0123456789abcdef-240", part, "mine.png"] {
            try SampleBook.coverPicture().write(to: bench.folder.appending(path: "covers").appending(path: name))
        }
        try await bench.with { shelf in
            #expect(try !bench.covers.contains(part))
            try await shelf.makeCovers()
        }
        #expect(try bench.covers == kept.union(["mine.png"]))
    }

    @Test func `the covers of a source that is no longer given leave with its books`() async throws {
        let other = CountedStorage()
        let path = try ProviderPath("more/b.epub")
        try await other.memory.createFolder(path: ProviderPath("more"))
        try await other.memory.writeContents(
            path: path, contents: ShelfBench.epub("B", cover: SampleBook.coverPicture()))
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: SampleBook.coverPicture()))
        let source = ShelfSource(provider: other, root: try ProviderPath("more"))
        try await bench.with { shelf in
            try await shelf.scan()
            try await shelf.makeCovers()
        }
        let kept = try bench.covers
        try await bench.with([bench.source, source]) { shelf in
            try await shelf.scan()
            try await shelf.makeCovers()
        }
        #expect(try bench.covers.count > kept.count)
        try await bench.with { shelf in try await shelf.scan() }
        #expect(try bench.covers == kept)
    }

    @Test func `a picture that somebody removed is made again`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: SampleBook.coverPicture()))
        try await bench.with { shelf in
            try await shelf.scan()
            let first = try #require(try await self.cover(shelf))
            for name in try bench.covers {
                try FileManager.default.removeItem(at: bench.folder.appending(path: "covers").appending(path: name))
            }
            #expect(try await cover(shelf) == first)
        }
        #expect(bench.storage.state.value.opened.count == 3)
    }

    @Test func `a cover that cannot be read now is asked for again`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: SampleBook.coverPicture()))
        try await bench.with { shelf in
            try await shelf.scan()
            bench.storage.state.update { $0.isAway = true }
            await #expect(throws: URLError.self) { try await cover(shelf) }
            #expect(try await state(shelf) == .unknown)
            bench.storage.state.update { $0.isAway = false }
            #expect(try await cover(shelf) != nil)
        }
    }

    /// A picture that no opening of a book reads with the rest, because it is large.
    private static func largePicture() -> Data {
        let noise = Data((0..<(1 << 20)).map { _ in UInt8.random(in: .min ... .max) })
        return Data("GIF89a".utf8) + Data([2, 0, 3, 0, 0, 0, 0]) + noise + Data([0x3B])
    }

    @Test(arguments: [true, false])
    func `a file that vanishes while its cover is read is not without one`(hasCover: Bool) async throws {
        let picture = hasCover ? Self.largePicture() : nil
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: picture))
        try await bench.with { shelf in
            try await shelf.scan()
            var isOver = false
            for reads in 0..<20 where !isOver {
                let before = bench.storage.state.update { state in
                    state.readLimit = state.reads + reads
                    return state.vanishedReads
                }
                do {
                    let cover = try await self.cover(shelf)
                    #expect((cover != nil) == hasCover)
                    #expect(bench.storage.state.value.vanishedReads == before)
                    isOver = true
                } catch {
                    #expect(error.isNoSuchFile)
                    #expect(try await state(shelf) == .unknown)
                }
            }
            #expect(isOver)
            #expect(try await state(shelf) == (hasCover ? .known : ShelfBook.CoverState.none))
        }
    }

    @Test func `a cover that could not be read has a pause, which a change of its file ends`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: Self.largePicture()))
        let options = bench.options { $0.watch = WatchOptions(minInterval: 1_000, maxInterval: 1_000) }
        try await bench.with(nil, options) { shelf in
            try await shelf.scan()
            let source = try #require(shelf.sourceNumbers.first)
            bench.storage.state.update { $0.readLimit = $0.reads }
            try await shelf.makeCovers()
            bench.storage.state.update { $0.readLimit = .max }
            let opened = bench.storage.state.value.opened.count
            try await shelf.makeCovers()
            #expect(bench.storage.state.value.opened.count == opened)
            #expect(try await state(shelf) == .unknown)
            #expect(await !shelf.hasDueCovers(source: source))
            try await bench.put("books/a.epub", ShelfBench.epub("Changed", cover: Self.largePicture()))
            try await shelf.scan()
            try await shelf.makeCovers()
            #expect(try await state(shelf) == .known)
        }
    }

    @Test func `between looks at all books, only covers of books that changed are made, and those that are due`()
        async throws
    {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: Self.largePicture()))
        try await bench.with { shelf in
            try await shelf.scan()
            let source = try #require(shelf.sourceNumbers.first)
            let changed = try #require(try await shelf.changed())
            let later = changed.addingTimeInterval(1)
            let opened = bench.storage.state.value.opened.count
            try await shelf.makeCovers(source: source, changedSince: later)
            #expect(bench.storage.state.value.opened.count == opened)
            bench.storage.state.update { $0.readLimit = $0.reads }
            try await shelf.makeCovers(source: source, changedSince: changed.addingTimeInterval(-1))
            #expect(bench.storage.state.value.opened.count > opened)
            #expect(try await state(shelf) == .unknown)
            bench.storage.state.update { $0.readLimit = .max }
            try await eventually { await shelf.hasDueCovers(source: source) }
            try await shelf.makeCovers(source: source, changedSince: later)
            #expect(try await state(shelf) == .known)
            #expect(await !shelf.hasDueCovers(source: source))
        }
    }

    @Test func `a cover that could not be read is made after its pause`() async throws {
        try await bench.put("books/a.epub", ShelfBench.epub("A", cover: Self.largePicture()))
        try await bench.with { shelf in
            try await shelf.scan()
            let source = try #require(shelf.sourceNumbers.first)
            #expect(await !shelf.hasDueCovers(source: source))
            bench.storage.state.update { $0.readLimit = $0.reads }
            try await shelf.makeCovers()
            bench.storage.state.update { $0.readLimit = .max }
            try await eventually { await shelf.hasDueCovers(source: source) }
            try await shelf.makeCovers()
            #expect(try await state(shelf) == .known)
            #expect(await !shelf.hasDueCovers(source: source))
        }
    }

    @Test(
        arguments: [
            (.fileReadCorruptFile, true), (.featureUnsupported, true), (.fileReadTooLarge, true),
            (.fileReadNoSuchFile, true), (.fileReadUnknown, false), (.fileWriteOutOfSpace, false),
            (.fileReadInvalidFileName, false),
        ] as [(CocoaError.Code, Bool)])
    func `only an error of the file itself leaves a book without a cover for good`(code: CocoaError.Code, isFinal: Bool)
        throws
    {
        let path = try ProviderPath("books/a.epub")
        #expect(FileError.make(code, path: path, sentence: "x").isOfTheCover == isFinal)
        // As a server's 403 or a disk's error.
        let cause = POSIXError(.EACCES)
        #expect(
            !FileError.make(.fileReadNoPermission, path: path, sentence: "x", underlying: cause).isOfTheCover)
    }
}

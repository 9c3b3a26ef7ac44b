import FileProviderCore
import Foundation
import MemoryFileProvider
import Testing

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

/// The cache's file: damaged, foreign, refused, and written by several drivers.
@Suite struct PlainFolderCacheTests {
    private static let name = ".carrel-books.sqlite"

    private func bed(_ names: String...) async throws -> PlainFolderBed {
        let bed = try await PlainFolderBed()
        for name in names { try await bed.put("\(name).epub", PlainFolderBed.epub(name.uppercased())) }
        return bed
    }

    @Test(arguments: [
        (Data("no cache".utf8), "bad"), (Data(), "bad"), (Data(count: 5000), "bad"), (JSONFolderCache.newer, "v9"),
    ])
    func `a cache that cannot be used is kept aside and collected anew`(content: Data, suffix: String) async throws {
        let bed = try await bed("a")
        try await bed.put(Self.name, content)
        let listing = try await bed.driver().books()
        #expect(listing.books.map(\.title) == ["A"])
        #expect(listing.warnings.count == 1)
        #expect(try await bed.provider.base.contents(path: bed.path("\(Self.name).\(suffix)")) == content)
        #expect(try await bed.remembered().entries.map(\.title) == ["A"])
        #expect(try await bed.driver().books().warnings == [])
    }

    @Test func `a cache that is too large is kept aside unread`() async throws {
        var bed = try await bed("a")
        bed.options.maxCacheSize = 100
        try await bed.put(Self.name, Data(count: 101))
        #expect(try await bed.driver().books().books.map(\.title) == ["A"])
        #expect(try await bed.provider.attributesOfItem(path: bed.path("\(Self.name).bad")).size == 101)
    }

    @Test func `a folder in the place of the cache is put aside`() async throws {
        let bed = try await bed("a")
        try await bed.provider.base.createFolder(path: bed.path(Self.name))
        #expect(try await bed.driver().books().books.map(\.title) == ["A"])
        #expect(try await bed.remembered().entries.map(\.title) == ["A"])
    }

    @Test func `each change counts the generation up, and no change writes nothing`() async throws {
        let bed = try await bed("a")
        _ = try await bed.driver().books()
        #expect(try await bed.remembered().generation == 1)
        _ = try await bed.driver().books()
        #expect(try await bed.remembered().generation == 1)
        _ = try await bed.driver().update([PlainFolderEdit(filename: "a.epub", title: "T")])
        #expect(try await bed.remembered().generation == 2)
    }

    @Test func `where the cache cannot be written books are listed, and edits fail`() async throws {
        let bed = try await bed("a")
        bed.provider.change { $0.onWrite = { throw FileError.make(.fileWriteNoPermission, path: $0) } }
        let driver = try bed.driver()
        let listing = try await driver.books()
        #expect(listing.books.map(\.title) == ["A"])
        #expect(listing.warnings.count == 1)
        await #expect(throws: CocoaError.self) {
            try await driver.update([PlainFolderEdit(filename: "a.epub", title: "T")])
        }
        #expect(try await driver.books().books.map(\.title) == ["A"])
    }

    @Test(arguments: [true, false])
    func `two drivers that write at the same time lose nothing of each other`(hasTags: Bool) async throws {
        let bed = try await bed("a", "b")
        bed.provider.change { $0.hasTags = hasTags }
        let (one, two) = (try bed.driver(), try bed.driver())
        _ = try await one.books()
        _ = try await two.books()
        // The other driver writes when the first one has read the cache and is about to look at it for the last time.
        let isFirst = CollectedValues<Void>()
        let path = try bed.path(Self.name)
        let theirs = PlainFolderEdit(filename: "b.epub", title: "Two's")
        bed.provider.change {
            $0.onWrite = { written in
                guard hasTags, written == path, isFirst.values.isEmpty else { return }
                isFirst.append(())
                _ = try await two.update([theirs])
            }
        }
        _ = try await one.update([PlainFolderEdit(filename: "a.epub", title: "One's")])
        if !hasTags { _ = try await two.update([theirs]) }
        #expect(try await bed.driver().books().books.map(\.title) == ["One's", "Two's"])
    }

    @Test func `many drivers at once lose nothing of each other`() async throws {
        var bed = try await bed("a", "b", "c", "d")
        bed.options.cacheTries = 50
        let shared = bed
        _ = try await shared.driver().books()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["a", "b", "c", "d"] {
                group.addTask {
                    _ = try await shared.driver().update([
                        PlainFolderEdit(filename: "\(name).epub", title: "New \(name)")
                    ])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await shared.driver().books().books.map(\.title) == ["New a", "New b", "New c", "New d"])
    }

    @Test func `a driver whose changes never come through says so`() async throws {
        let bed = try await bed("a")
        let driver = try bed.driver()
        _ = try await driver.books()
        let path = try bed.path(Self.name)
        let provider = bed.provider
        let cache = try await provider.base.contents(path: path)
        bed.provider.change {
            $0.onWrite = { written in
                if written == path {
                    try await provider.base.writeContents(path: path, contents: cache, overwrite: true)
                }
            }
        }
        await #expect { try await driver.update([PlainFolderEdit(filename: "a.epub", title: "T")]) } throws: {
            ($0 as? PlainFolderError)?.kind == .cacheIsBusy
        }
        #expect(try await driver.books().books.map(\.title) == ["A"])
    }

    @Test func `a book that another driver has just put there is not forgotten for an older listing`() async throws {
        let old = FolderCacheEntry(
            path: "a.epub", size: 1, format: "f", title: "Old", added: Date(timeIntervalSince1970: 0))
        var new = old
        (new.size, new.title) = (2, "New")
        var entries = ["a.epub": new]
        FolderChange.gone(old).apply(to: &entries)
        #expect(entries["a.epub"] == new)
        FolderChange.gone(new).apply(to: &entries)
        #expect(entries.isEmpty)
    }

    @Test func `what another driver's user edited stays when the file is read anew`() {
        var theirs = FolderCacheEntry(
            path: "a.epub", size: 1, format: "f", title: "Read", added: Date(timeIntervalSince1970: 0))
        var ours = theirs
        theirs.apply(PlainFolderEdit(filename: "a.epub", authors: ["Theirs"]))
        ours.apply(PlainFolderEdit(filename: "a.epub", title: "Ours"))
        var entries = ["a.epub": theirs]
        FolderChange.found(ours).apply(to: &entries)
        #expect(entries["a.epub"]?.title == "Ours")
        #expect(entries["a.epub"]?.authors == ["Theirs"])
        #expect(entries["a.epub"]?.edited == [.title, .authors])
    }
}

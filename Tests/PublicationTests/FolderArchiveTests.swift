import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Synchronization
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Passes everything on, and keeps the readers that it opened.
private final class WatchedProvider: ForwardingProvider {
    static let type = "Watched"
    let underlying: any FileProvider
    let opened = Mutex<[WatchedReader]>([])

    init(_ base: any FileProvider) { underlying = base }

    func open(path: ProviderPath) async throws -> any FileReader {
        let reader = WatchedReader(try await underlying.open(path: path))
        opened.withLock { $0.append(reader) }
        return reader
    }

    /// How many were opened, and how many of them are open.
    var counts: [Int] { opened.withLock { [$0.count, $0.count { !$0.isClosed.withLock { $0 } }] } }
}

private final class WatchedReader: FileReader {
    let base: any FileReader
    let isClosed = Mutex(false)
    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    init(_ base: any FileReader) { self.base = base }

    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        #expect(!isClosed.withLock { $0 }, "read after it was closed")
        return try await base.stream(part, into: sink)
    }

    func close() async {
        isClosed.withLock { $0 = true }
        await base.close()
    }
}

/// A folder on this machine's disk, gone after the test.
private func withFolder(_ body: (URL, LocalFileProvider) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try await body(folder.url, try LocalFileProvider(root: folder.url))
}

@Suite struct `A folder as an archive` {
    private let files = [
        "/book/mimetype": "application/epub+zip", "/book/OEBPS/a b.xhtml": "one", "/book/OEBPS/caf\u{E9}.css": "coffee",
        "/book/.DS_Store": "dots", "/book/100%.txt": "percent", "/book-other/x": "other", "/secret": "secret",
    ]

    private func memory() async throws -> WatchedProvider {
        WatchedProvider(try await MemoryShelf(files.mapValues { Data($0.utf8) }).provider)
    }

    /// Pitfall 20: `/book` does not serve `/book-other`, nor what lies above it.
    @Test func `has the files below it, by names relative to it`() async throws {
        let archive = try await FolderArchive.open(try await memory(), path: ProviderPath("/book"))
        #expect(
            archive.entries.map(\.path) == [
                ".DS_Store", "100%.txt", "OEBPS/a b.xhtml", "OEBPS/caf\u{E9}.css", "mimetype",
            ])
        #expect(archive.entries.map(\.length) == [4, 7, 3, 6, 20])
        for name in ["", "/mimetype", "../secret", "book/mimetype", "../book-other/x", "-other/x", "OEBPS", "x"] {
            #expect(archive.entry(at: name) == nil)
        }
        let fetcher = ArchiveFetcher(archive)
        #expect(try await fetcher.links().map(\.href)[2] == "OEBPS/a%20b.xhtml")
        #expect(try await fetcher.get("OEBPS/a%20b.xhtml").readAsString() == "one")
        #expect(await failure(fetcher.get("%2e%2e/secret")) == .notFound)
    }

    /// Pitfall 21: names in the other Unicode normalisation are found, the very name first.
    @Test func `is searched by the very name, then by normalisation`() async throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        let shelf = try await MemoryShelf([:])
        // A dictionary would take the first two for one.
        for (path, content) in [("/a/\(composed)", "one"), ("/a/\(decomposed)", "two"), ("/b/\(decomposed)", "three")] {
            try await shelf.add(Data(content.utf8), at: ProviderPath(path))
        }
        let both = try await FolderArchive.open(shelf.provider, path: ProviderPath("/a"))
        #expect(both.entries.count == 2)
        for (name, content) in [(composed, "one"), (decomposed, "two")] {
            #expect(try await both.read(try #require(both.entry(at: name))) == Data(content.utf8))
        }
        let single = try await FolderArchive.open(shelf.provider, path: ProviderPath("/b"))
        #expect(try await single.read(try #require(single.entry(at: composed))) == Data("three".utf8))
    }

    /// Pitfall 18: ranges are half open and clamped; one byte can be read, and nothing behind the end is no error.
    @Test func `gives ranges, clamped`() async throws {
        let archive = try await FolderArchive.open(try await memory(), path: ProviderPath("/book"))
        let entry = try #require(archive.entry(at: "mimetype"))
        #expect(try await archive.read(entry, range: 0..<1) == Data("a".utf8))
        #expect(try await archive.read(entry, range: 12..<99) == Data("epub+zip".utf8))
        #expect(try await archive.read(entry, range: -9..<3) == Data("app".utf8))
        #expect(try await archive.read(entry, range: 20..<30).isEmpty)
        #expect(try await archive.read(entry, range: 5..<5).isEmpty)
    }

    @Test func `keeps files open that are read on, and a bounded number of them`() async throws {
        var files: [String: Data] = [:]
        for index in 0..<40 { files["/f/\(index)"] = Data("content \(index)".utf8) }
        let provider = WatchedProvider(try await MemoryShelf(files).provider)
        let archive = try await FolderArchive.open(provider, path: ProviderPath("/f"))
        let entry = try #require(archive.entry(at: "7"))
        for start in 0..<8 { _ = try await archive.read(entry, range: Int64(start)..<9) }
        #expect(provider.counts == [1, 1])
        for entry in archive.entries { _ = try await archive.read(entry) }
        #expect(provider.counts[1] == FolderArchive.maxOpenFiles)
        await archive.close()
        #expect(provider.counts[1] == 0)
        #expect(await failure(ArchiveFetcher(archive).get("7")) == .unavailable)
    }

    /// Pitfall 26: one file is read at many places at once, through readers that are shared and let go.
    @Test func `is read by many at once`() async throws {
        var files: [String: Data] = [:]
        var numbers = SeededNumbers(seed: 4)
        for index in 0..<30 { files["\(index)"] = numbers.bytes(5_000) }
        let contents = files
        let shelf = try await MemoryShelf(Dictionary(uniqueKeysWithValues: files.map { ("/f/\($0)", $1) }))
        let provider = WatchedProvider(shelf.provider)
        let archive = try await FolderArchive.open(provider, path: ProviderPath("/f"))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<300 {
                group.addTask {
                    let entry = try #require(archive.entry(at: "\(index * 7 % 30)"))
                    let start = Int64(index * 13 % 4_000)
                    return try await archive.read(entry, range: start..<start + 900)
                        == contents[entry.path]?.dropFirst(Int(start)).prefix(900)
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(provider.counts[1] <= FolderArchive.maxOpenFiles)
    }

    @Test func `reads no file that was changed since it was listed`() async throws {
        try await withFolder { folder, provider in
            let file = folder.appending(path: "page.txt")
            try Data("old".utf8).write(to: file)
            let archive = try await FolderArchive.open(provider, path: .root)
            let entry = try #require(archive.entry(at: "page.txt"))
            #expect(try await archive.read(entry) == Data("old".utf8))
            let handle = try FileHandle(forWritingTo: file)
            try handle.write(contentsOf: Data("newer".utf8))
            try handle.close()
            for _ in 0..<2 { #expect(await fileError { _ = try await archive.read(entry) } == .fileReadUnknown) }
            let again = try await FolderArchive.open(provider, path: .root)
            #expect(try await again.read(try #require(again.entry(at: "page.txt"))) == Data("newer".utf8))
        }
    }

    @Test(arguments: ["new", "newer"])
    func `reads no file that was replaced before it was first opened`(content: String) async throws {
        let shelf = try await MemoryShelf(["/f/page.txt": Data("old".utf8), "/f/other.txt": Data("same".utf8)])
        let archive = try await FolderArchive.open(shelf.provider, path: ProviderPath("/f"))
        _ = try await shelf.provider.writeContents(
            path: ProviderPath("/f/page.txt"), contents: Data(content.utf8), overwrite: true)
        let page = try #require(archive.entry(at: "page.txt"))
        #expect(await fileError { _ = try await archive.read(page) } == .fileReadUnknown)
        #expect(await fileError { _ = try await archive.read(page, range: 0..<1) } == .fileReadUnknown)
        #expect(try await archive.read(try #require(archive.entry(at: "other.txt"))) == Data("same".utf8))
    }

    @Test func `tells another version of a file of the same length`() async throws {
        try await withFolder { folder, provider in
            let path = folder.appending(path: "page.txt").path(percentEncoded: false)
            var versions: [ResourceValidator?] = []
            for (content, seconds) in [("one", 1_000_000), ("one", 1_000_000), ("two", 2_000_000)] {
                try Data(content.utf8).write(to: URL(filePath: path))
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: TimeInterval(seconds))], ofItemAtPath: path)
                let fetcher = ArchiveFetcher(try await FolderArchive.open(provider, path: .root))
                versions.append(try await fetcher.get("page.txt").validator())
            }
            #expect(versions.allSatisfy { $0?.length == 3 && $0?.tag != nil })
            #expect(versions[0] == versions[1] && versions[1]?.tag != versions[2]?.tag)
        }
    }

    /// Pitfall 20: symbolic links stay outside, whether they lead to files or to folders.
    @Test func `has no symbolic links in it`() async throws {
        try await withFolder { folder, provider in
            let book = folder.appending(path: "book", directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: book, withIntermediateDirectories: true)
            try Data("x".utf8).write(to: book.appending(path: "a.txt"))
            try Data("secret".utf8).write(to: folder.appending(path: "secret"))
            let path = { (url: URL) in url.path(percentEncoded: false) }
            try FileManager.default.createSymbolicLink(
                atPath: path(book) + "file", withDestinationPath: path(folder) + "secret")
            try FileManager.default.createSymbolicLink(atPath: path(book) + "folder", withDestinationPath: path(folder))
            let archive = try await FolderArchive.open(provider, path: ProviderPath("/book"))
            #expect(archive.entries.map(\.path) == ["a.txt"])
            #expect(try await archive.read(archive.entries[0]) == Data("x".utf8))
        }
    }

    @Test func `is held to the limit of entries`() async throws {
        var limits = ArchiveLimits()
        limits.entries = 4
        let provider = try await memory()
        #expect(
            await fileError { _ = try await FolderArchive.open(provider, path: ProviderPath("/book"), limits: limits) }
                == .fileReadTooLarge
        )
        limits.entries = 5
        #expect(try await FolderArchive.open(provider, path: ProviderPath("/book"), limits: limits).entries.count == 5)
    }

    @Test func `that holds the sample book opens as one, in memory and on disk`() async throws {
        let book = try await ZIPArchive.open(try CountingReader(try SampleBook.small(.epub3)))
        let shelf = try await MemoryShelf(["/books/.keep": Data()])
        try await withFolder { folder, local in
            for provider in [shelf.provider, local] as [any FileProviderReadWrite & FileProviderOperations] {
                try await unpack(book, to: ProviderPath("/books/one"), of: provider)
                let publication = try await Publication.open(path: ProviderPath("/books/one"), of: provider)
                #expect(publication.mediaType == .epub)
                for link in publication.readingOrder { #expect(try await publication.get(link).read().count > 0) }
            }
        }
    }

    @Test(.enabled(if: !BookCorpus.books.isEmpty, "the corpus is not here"), arguments: BookCorpus.books)
    func `that holds a real book opens as its file does`(book: URL) async throws {
        let data = try Data(contentsOf: book)
        let archive = try await ZIPArchive.open(try CountingReader(data))
        let shelf = try await MemoryShelf(["/book.epub": data, "/folder/.DS_Store": Data()])
        try await unpack(archive, to: ProviderPath("/folder"), of: shelf.provider)
        let file = try await Publication.open(path: ProviderPath("/book.epub"), of: shelf.provider)
        let folder = try await Publication.open(path: ProviderPath("/folder"), of: shelf.provider)
        #expect(folder.mediaType == .epub)
        #expect(folder.readingOrder.map(\.href) == file.readingOrder.map(\.href))
        #expect(folder.metadata.title == file.metadata.title)
        let first = try #require(folder.readingOrder.first)
        #expect(try await folder.get(first).read() == file.get(first).read())
    }

    private func unpack(
        _ archive: ZIPArchive, to folder: ProviderPath, of provider: any FileProviderReadWrite & FileProviderOperations
    ) async throws {
        for entry in archive.entries where !entry.isDirectory {
            let path = folder.appending(try ProviderPath("/" + entry.path))
            try await provider.createFolderWithParents(path: try #require(path.parent))
            _ = try await provider.writeContents(path: path, contents: try await archive.read(entry))
        }
    }
}

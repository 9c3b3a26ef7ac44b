import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import Synchronization
import Testing

/// Files in memory, only to be read.
private final class ShelfProvider: FileProviderReadWrite {
    static let type = "Shelf"
    let baseURL: URL? = nil
    let files: [String: String]
    let opened = Mutex<[CountingReader]>([])
    /// Whether `open` finds out that nothing is there, or the first read.
    let isLazy: Bool
    /// Runs at the start of each `open`.
    let opening = LockedValue<(@Sendable () async throws -> Void)?>(nil)

    init(_ files: [String: String], isLazy: Bool = false) {
        self.files = files
        self.isLazy = isLazy
    }

    func capabilities() async throws -> Capabilities { Capabilities(readCost: .local) }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        guard let content = files[path.string] else { throw FileError.make(.fileReadNoSuchFile, path: path) }
        return FileObject(path: path, type: .regular, size: Int64(content.utf8.count))
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        var children: [ProviderPath: FileObject] = [:]
        for name in files.keys {
            let file = try ProviderPath(name)
            guard let rest = file.relative(to: path), let first = rest.components.first else { continue }
            let child = try path.appending(nameBytes: first)
            children[child] = FileObject(
                path: child, type: child == file ? .regular : .directory, size: child == file ? 1 : nil)
        }
        if children.isEmpty { throw FileError.make(.fileReadNoSuchFile, path: path) }
        try await page(Array(children.values))
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        try await opening.value?()
        if try files.keys.contains(where: { try ProviderPath($0).isBelow(path) }) { throw FileError.isADirectory(path) }
        // Bytewise, as storages compare; strings would compare by normalisation.
        guard let file = try files.first(where: { try ProviderPath($0.key) == path }) else {
            let error = FileError.make(.fileReadNoSuchFile, path: path)
            if isLazy { return RangedFileReader(path: path, cost: .local) { _, _, _ in throw error } }
            throw error
        }
        let reader = try CountingReader(Data(file.value.utf8))
        opened.withLock { $0.append(reader) }
        return reader
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        throw FileError.unsupported("write", by: Self.type, path: path)
    }
}

private let files = [
    "/books/a/one.xhtml": "one", "/books/a/two words.txt": "two", "/books/b/100%.txt": "percent", "/books/z.css": "css",
    "/books/caf\u{E9}.txt": "coffee", "/books/what?.txt": "question", "/books-other/x.txt": "other",
    "/secret.txt": "secret",
]

@Suite struct `A provider's files` {
    private let provider: ShelfProvider
    private let fetcher: ProviderFetcher

    init() throws {
        provider = ShelfProvider(files)
        fetcher = ProviderFetcher(provider, folder: try ProviderPath("/books"))
    }

    @Test func `are listed below the root, sorted`() async throws {
        let links = try await fetcher.links()
        #expect(
            links.map(\.href) == [
                "a/one.xhtml", "a/two%20words.txt", "b/100%25.txt", "caf%C3%A9.txt", "what%3F.txt", "z.css",
            ])
        #expect(links.last?.mediaType.essence == "text/css")
        for link in links { #expect(await failure(fetcher.get(link)) == nil) }
    }

    @Test(
        arguments: [
            ("a/one.xhtml", "one"), ("/a/one.xhtml", "one"), ("a/one.xhtml#x", "one"), ("a/one.xhtml?q=1", "one"),
            ("a/two%20words.txt", "two"), ("a/two words.txt", "two"), ("b/100%25.txt", "percent"),
            ("b/100%.txt", "percent"),
            ("caf%C3%A9.txt", "coffee"), ("cafe%CC%81.txt", "coffee"), ("what%3F.txt", "question"),
            ("what?.txt", "question"),
        ], [false, true])
    func `are found by hrefs however they are written`(pair: (href: String, content: String), isLazy: Bool) async throws
    {
        let fetcher = ProviderFetcher(ShelfProvider(files, isLazy: isLazy), folder: try ProviderPath("/books"))
        #expect(try await fetcher.get(pair.href).readAsString() == pair.content)
    }

    @Test(arguments: [
        "../secret.txt", "/../secret.txt", "%2e%2e/secret.txt", "%2E%2E/secret.txt", "a/../../secret.txt",
        "..%2fsecret.txt",
        "a%2Fone.xhtml", "a%00", "../books-other/x.txt", "missing", "", "/", "a", "a/", ".", "a/./one.xhtml",
        "//secret.txt",
    ])
    func `outside the root, folders and what is not there are not found`(href: String) async throws {
        #expect(await failure(fetcher.get(href)) == .notFound)
        await #expect(throws: CocoaError.self) { try await fetcher.get(href).length() }
    }

    @Test func `are opened once, read in parts and closed`() async throws {
        let resource = fetcher.get("a/one.xhtml")
        #expect(try await resource.length() == 3)
        #expect(try await resource.read(1..<2) == Data("n".utf8))
        #expect(try await resource.read(-4..<99) == Data("one".utf8))
        #expect(try await resource.read(3..<9).isEmpty)
        #expect(try await resource.read(2..<2).isEmpty)
        let readers = provider.opened.withLock { $0 }
        #expect(readers.count == 1)
        await resource.close()
        await resource.close()
        #expect(readers[0].isClosed)
    }

    @Test func `are unavailable once the fetcher is closed`() async throws {
        let resource = fetcher.get("a/one.xhtml")
        _ = try await resource.read()
        await fetcher.close()
        #expect(provider.opened.withLock { $0 }.allSatisfy { $0.isClosed })
        #expect(await failure(resource) == .unavailable)
        #expect(await failure(fetcher.get("z.css")) == .unavailable)
    }

    /// The error of a read that fails with `error` after the fetcher was closed.
    private func errorOfReading(whileClosing error: any Error) async -> (any Error)? {
        let close: @Sendable () async throws -> Void = { [fetcher] in
            await fetcher.close()
            throw error
        }
        provider.opening.update { $0 = close }
        return await readingFails(fetcher.get("z.css"))
    }

    @Test(arguments: [CancellationError(), CocoaError(.userCancelled), URLError(.cancelled)] as [any Error])
    func `whose reading is cancelled while the fetcher closes stay cancelled`(error: any Error) async {
        let thrown = await errorOfReading(whileClosing: error)
        #expect(thrown?.isCancellation == true && thrown?.resourceFailure == .other, "\(String(describing: thrown))")
    }

    @Test func `whose task is cancelled while the fetcher closes are cancelled, whatever ends the read`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await errorOfReading(whileClosing: FileError.closed(.root))
        }
        let error = await task.value
        #expect(error is CancellationError)
    }

    @Test func `keep a lost connection while the fetcher closes`() async {
        let lost = await errorOfReading(whileClosing: URLError(.timedOut)) as? URLError
        #expect(lost?.code == .timedOut)
    }

    @Test func `have other errors below the closed publication`() async {
        let closed = await errorOfReading(whileClosing: POSIXError(.EIO)) as? URLError
        #expect(closed?.code == .resourceUnavailable)
        #expect((closed?.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code == .EIO)
    }

    @Test func `of which only one is served are reached by its name alone`() async throws {
        let single = ProviderFetcher(provider, file: try ProviderPath("/books/a/two words.txt"))
        #expect(try await single.links().map(\.href) == ["two%20words.txt"])
        #expect(try await single.get("/two%20words.txt").readAsString() == "two")
        #expect(await failure(single.get("one.xhtml")) == .notFound)
        #expect(await failure(single.get("../z.css")) == .notFound)
    }
}

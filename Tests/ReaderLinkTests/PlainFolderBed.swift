import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Synchronization

import ReaderApplication
@testable import ReaderDriver
@testable import ReaderMessages

/// A cache in JSON, in place of the one in SQLite.
struct JSONFolderCache: FolderCache {
    private struct StoredFile: Codable {
        var version = 1
        var contents: FolderCacheContents
    }

    /// The file that a newer version would write.
    static let newer = Data(#"{"version": 9}"#.utf8)

    func load(from file: URL) async throws -> FolderCacheContents {
        let data = try Data(contentsOf: file)
        if data == Self.newer { throw FolderCacheFailure(.newer(version: 9)) }
        do { return try JSONDecoder().decode(StoredFile.self, from: data).contents } catch {
            throw FolderCacheFailure(.damaged)
        }
    }

    func save(_ contents: FolderCacheContents, to file: URL) async throws {
        try JSONEncoder().encode(StoredFile(contents: contents)).write(to: file)
    }
}

/// A provider that counts what is read, and fails or lies where a test says so.
final class WatchedProvider: ForwardingProvider {
    struct Behaviour: Sendable {
        var opened: [String] = []
        var onList: @Sendable (ProviderPath) throws -> Void = { _ in }
        var onOpen: @Sendable (ProviderPath) throws -> Void = { _ in }
        var onWrite: @Sendable (ProviderPath) async throws -> Void = { _ in }
        /// What these paths are said to be.
        var types: [String: FileType] = [:]
        var hasTags = true
    }

    static let type = "Watched"
    let base = MemoryFileProvider()
    private let behaviour = Mutex(Behaviour())

    var underlying: any FileProvider { base }

    func change(_ change: @Sendable (inout Behaviour) -> Void) { behaviour.withLock { change(&$0) } }

    /// The files that were opened since this was asked last, the cache left out unless asked for.
    func takeOpened(withCache: Bool = false) -> [String] {
        behaviour.withLock { behaviour in
            defer { behaviour.opened = [] }
            return behaviour.opened.filter { withCache || !$0.contains(".carrel-books") }
        }
    }

    private var now: Behaviour { behaviour.withLock { $0 } }

    private func seen(_ item: FileObject) -> FileObject {
        var item = item
        if let type = now.types[item.path.string] { item.type = type }
        if !now.hasTags { item.entryTag = nil }
        return item
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await base.capabilities()
        if !now.hasTags { capabilities[.conditionalWriting] = .unavailable }
        return capabilities
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        seen(try await base.attributesOfItem(path: path))
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try now.onList(path)
        try await base.contentsOfDirectory(path: path) { items in try await page(items.map { seen($0) }) }
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        try now.onOpen(path)
        behaviour.withLock { $0.opened.append(path.string) }
        return try await base.open(path: path)
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await now.onWrite(path)
        return seen(try await base.writeContents(path: path, from: source, options: options))
    }
}

/// A folder of books in memory, and drivers of it.
struct PlainFolderBed {
    let provider = WatchedProvider()
    let folder: ProviderPath
    var options = PlainFolderOptions()

    init() async throws {
        folder = try ProviderPath("library")
        try await provider.createFolder(path: folder)
    }

    func driver() throws -> PlainFolderDriver {
        try PlainFolderDriver(provider: provider, folder: folder, cache: JSONFolderCache(), options: options)
    }

    func path(_ name: String) throws -> ProviderPath { folder.appending(try ProviderPath(name)) }

    /// Puts a file below the folder, and the folders that it needs.
    func put(_ name: String, _ data: Data) async throws {
        let path = try path(name)
        if let parent = path.parent { try await provider.createFolderWithParents(path: parent) }
        try await provider.base.writeContents(path: path, contents: data, overwrite: true)
    }

    func move(_ name: String, to other: String) async throws {
        let target = try path(other)
        if let parent = target.parent { try await provider.createFolderWithParents(path: parent) }
        try await provider.moveItem(path: path(name), to: target)
    }

    func remove(_ name: String) async throws { try await provider.removeItem(path: path(name)) }

    /// All files of the provider, by their whole paths.
    func files() async throws -> [String] {
        let files = CollectedValues<String>()
        try await provider.base.walk(path: .root) { if $0.isRegularFile { files.append($0.path.string) } }
        return files.values.sorted()
    }

    /// What the cache's file holds.
    func remembered() async throws -> FolderCacheContents {
        let scratch = try await ScratchFolder()
        let file = scratch.file("cache")
        try await provider.base.fetch(try path(options.cacheName), to: file, limit: 1 << 20)
        let contents = try await JSONFolderCache().load(from: file)
        await scratch.remove()
        return contents
    }

    /// An EPUB of one page.
    static func epub(
        _ title: String, by author: String = "Ann Author", uuid: String = "", cover: Data? = nil, filler: Int = 0
    ) throws -> Data {
        let package = """
            <package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
            <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>\(title)</dc:title><dc:language>en</dc:language>
            <dc:creator>\(author)</dc:creator><dc:identifier id="id">\(uuid.isEmpty ? "urn:x" : "urn:uuid:\(uuid)")</dc:identifier>
            </metadata><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>
            <item id="c" href="c.jpg" media-type="image/jpeg" properties="cover-image"/></manifest>
            <spine><itemref idref="a"/></spine></package>
            """
        let container = """
            <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
            <rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
            """
        return try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.store("META-INF/container.xml", Data(container.utf8))
            try zip.store("book.opf", Data(package.utf8))
            try zip.store("a.xhtml", Data("<html xmlns=\"http://www.w3.org/1999/xhtml\"><body/></html>".utf8))
            try zip.store("c.jpg", cover ?? Data())
            if filler > 0 { try zip.store("filler", Data(count: filler)) }
        }
    }

    /// A book to be uploaded, in a reader of another provider.
    static func item(
        _ data: Data, title: String, author: String = "Ann Author", uuid: String = "", format: String = "epub"
    ) async throws
        -> UploadItem
    {
        let source = MemoryFileProvider()
        let path = try ProviderPath("source")
        try await source.writeContents(path: path, contents: data)
        let metadata = BookMetadata(title: title, authors: [author], uuid: uuid)
        return UploadItem(reader: try await source.open(path: path), metadata: metadata, fileExtension: format)
    }
}

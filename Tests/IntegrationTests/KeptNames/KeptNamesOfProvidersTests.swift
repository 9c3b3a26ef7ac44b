import Carrel
import FaultServer
import Foundation
import ProviderDoubles
import Testing

/// The names of the older FileProvider interface, “Concepts and Design”: those that are kept compile here as they are
/// called there. What became of the others stands in `Documentation/Decisions/0015-names-of-the-older-interface.md`.
@Suite struct KeptNamesOfProvidersTests {
    private let provider = MemoryFileProvider(MemoryConfiguration(name: "kept"))

    /// What an operation's handler is called with.
    private func outcome<Value: Sendable>(_ start: (_ done: @escaping @Sendable (Value) -> Void) -> Progress?)
        async throws
        -> Value
    {
        let ended = AsyncStream.makeStream(of: Value.self)
        let progress = start { ended.continuation.yield($0) }
        #expect(progress != nil)
        var values = ended.stream.makeAsyncIterator()
        return try #require(await values.next())
    }

    private func perform(_ start: (_ handler: SimpleCompletionHandler) -> Progress?) async throws {
        let error: (any Error)? = try await outcome { done in start { done($0) } }
        #expect(error == nil)
    }

    private func put(_ path: String, _ text: String) async throws {
        let path = try ProviderPath(path)
        if let folder = path.parent { try await provider.createFolderWithParents(path: folder) }
        try await provider.writeContents(path: path, contents: Data(text.utf8), overwrite: true)
    }

    @Test func `what belongs to FileProviderBasic`() async throws {
        try await put("/a/b.txt", "text")
        #expect(MemoryFileProvider.type == provider.type && provider.baseURL != nil)
        #expect(provider.url(of: "/a/b.txt")?.absoluteString == "mem://kept/a/b.txt")
        #expect(provider.url(of: "/../b.txt") == nil, "what is no path has no URL")
        #expect(provider.url(of: "/a/b.txt").flatMap { provider.relativePathOf(url: $0) } == "/a/b.txt")
        #expect(provider.delegate == nil && provider.fileOperationDelegate == nil)
        let contents: [FileObject] = try await outcome { done in
            provider.contentsOfDirectory(path: "/a") { contents, error in done(error == nil ? contents : []) }
        }
        #expect(contents.map(\.name) == ["b.txt"])
        let attributes: FileObject? = try await outcome { done in
            provider.attributesOfItem(path: "/a/b.txt") { attributes, _ in done(attributes) }
        }
        #expect(attributes?.size == 4 && attributes?.path.string == "/a/b.txt")
        let volume: VolumeObject? = try await outcome { provider.storageProperties(completionHandler: $0) }
        #expect(volume?.usage == 4)
        let isReachable: Bool = try await outcome { done in provider.isReachable { success, _ in done(success) } }
        #expect(isReachable)
    }

    @Test func `searching by a predicate`() async throws {
        try await put("/a/b.txt", "text")
        let everything: [FileObject] = try await outcome { done in
            provider.searchFiles(path: "/a", recursive: false, query: NSPredicate(value: true)) { files, _ in
                done(files)
            }
        }
        #expect(everything.map(\.name) == ["b.txt"])
        let blocks: [FileObject] = try await outcome { done in
            let predicate = NSPredicate { item, _ in (item as? [String: Any])?["name"] as? String == "b.txt" }
            return provider.searchFiles(path: "/", recursive: true, query: predicate) { files, _ in done(files) }
        }
        #expect(blocks.first?.mapPredicate()["name"] as? String == "b.txt")
    }

    @Test func `what belongs to FileProviderOperations and FileProviderReadWrite`() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "x")
        try await perform { provider.create(folder: "a", at: "/", completionHandler: $0) }
        try await perform { provider.writeContents(path: "/a/b", contents: Data("text".utf8), completionHandler: $0) }
        try await perform { provider.copyItem(path: "/a/b", to: "/a/c", completionHandler: $0) }
        try await perform { provider.moveItem(path: "/a/c", to: "/a/d", completionHandler: $0) }
        try await perform { provider.copyItem(path: "/a/d", toLocalURL: file, completionHandler: $0) }
        try await perform { provider.copyItem(localFile: file, to: "/a/e", completionHandler: $0) }
        try await perform { provider.removeItem(path: "/a/d", completionHandler: $0) }
        let whole: Data? = try await outcome { done in provider.contents(path: "/a/e") { data, _ in done(data) } }
        let part: Data? = try await outcome { done in
            provider.contents(path: "/a/e", offset: 1, length: 2) { data, _ in done(data) }
        }
        #expect(whole == Data("text".utf8) && part == Data("ex".utf8))
        let all: any FileProviderBasic & FileProviderOperations & FileProviderReadWrite = provider
        let same: any FileProvider = all
        #expect(same === provider)
    }

    @Test func `what belongs to FileProviderMonitor`() {
        provider.registerNotification(path: "/") {}
        #expect(provider.isRegisteredForNotification(path: "/"))
        provider.unregisterNotification(path: "/")
        #expect(!provider.isRegisteredForNotification(path: "/"))
        let monitor: any FileProviderMonitor.Type = LocalFileProvider.self
        #expect(monitor.type == "Local")
    }

    @Test func `what belongs to FileProviderUndoable`() async throws {
        let undoable: any FileProvider & FileProviderUndoable = try provider.undoable()
        undoable.setupUndoManager()
        try await undoable.createFolder(path: ProviderPath("/undone"))
        #expect(try await undoable.canUndo(operation: .create(path: "/undone")))
        #expect(try await undoable.undoManager.undo())
    }

    @Test func `what belongs to FileProviderSharing`() throws {
        let url = try #require(URL(string: "dav://127.0.0.1:1/"))
        let shared: any FileProviderSharing = try WebDAVFileProvider(
            configuration: WebDAVConfiguration(baseURL: url), options: ConnectionOptions())
        let remote: any FileProviderBasicRemote = try #require(shared as? any FileProviderBasicRemote)
        #expect(!remote.useCache && remote.validatingCache)
        let progress = shared.publicLink(to: "/a") { (_: URL?, _: FileObject?, _: Date?, _: (any Error)?) in }
        #expect(progress != nil)
        progress?.cancel()
    }

    @Test func `what belongs to ExtendedFileProvider`() async throws {
        FileInformationGenerators.shared.registerBuiltInGenerators()
        #expect(provider.propertiesOfFileSupported(path: "/a.pdf") && !provider.propertiesOfFileSupported(path: "/a"))
        #expect(provider.thumbnailOfFileSupported(path: "/a.pdf") && !provider.thumbnailOfFileSupported(path: "/a"))
        let thumbnail: Thumbnail? = try await outcome { done in
            provider.thumbnailOfFile(path: "/missing.pdf", dimension: 64) { image, _ in done(image) }
        }
        let keys: [String] = try await outcome { done in
            provider.propertiesOfFile(path: "/missing.pdf") { _, keys, _ in done(keys) }
        }
        #expect(thumbnail == nil && keys.isEmpty)
        await #expect(throws: CocoaError.self) { try await Thumbnail.scaleDown(image: Data(), toSize: 64) }
        let elsewhere = try #require(URL(string: "https://example.org/a.pdf"))
        await #expect { try await Thumbnail.convertToImage(pdfURL: elsewhere, page: 1) } throws: {
            ($0 as? URLError)?.code == .unsupportedURL
        }
        let noPDF = BytesResource(Link(href: "a.pdf"), string: "no document")
        await #expect(throws: CocoaError.self) { try await Thumbnail.convertToImage(pdfPage: 1, of: noPDF) }
    }

    @Test func `operations, files and volumes`() throws {
        let copy = FileOperationType.copy(source: "/a", destination: "/b")
        #expect(copy.source == "/a" && copy.destination == "/b" && copy.actionDescription == "Copying")
        let operations: [FileOperationType] = [
            .create(path: "/a"), .move(source: "/a", destination: "/b"), .modify(path: "/a"), .remove(path: "/a"),
            .link(link: "/a", target: "/b"), .fetch(path: "/a"),
        ]
        #expect(operations.map(\.source) == Array(repeating: "/a", count: 6))
        var object = FileObject(path: try ProviderPath("/a/b"), type: .regular, size: 4)
        object.name = "A name to show"
        #expect(object.path.name == "b" && object.name == "A name to show" && !object.isDirectory)
        #expect(VolumeObject(totalCapacity: 10, availableCapacity: 4).usage == 6)
    }

    @Test func `what a Progress says`() throws {
        let progress = try #require(provider.removeItem(path: "/a", completionHandler: nil))
        let operation = progress.userInfo[.fileProviderOperationTypeKey] as? FileOperationType
        #expect(operation == .remove(path: "/a") && progress.userInfo[.startingTimeKey] is Date)
        let transfer = try #require(
            provider.copyItem(path: "/a", toLocalURL: URL(fileURLWithPath: "/nowhere/x"), completionHandler: nil))
        #expect(transfer.kind == .file)
        #expect(transfer.userInfo[.fileOperationKindKey] as? Progress.FileOperationKind == .downloading)
    }

    @Test func `errors of Foundation`() {
        let file: CocoaError = provider.cocoaError("/a", code: .fileNoSuchFile)
        let network: URLError = provider.urlError("/a", code: .timedOut)
        #expect(file.code == .fileNoSuchFile && network.code == .timedOut)
        let answer: any FileProviderHTTPError = WebService().serverError(
            with: FileProviderHTTPErrorCode(rawValue: 404), path: .root, data: Data("Nothing here.".utf8))
        #expect(answer.code.rawValue == 404 && answer.path == "/" && answer.serverDescription == "Nothing here.")
    }

    @Test func `what belongs to HTTPFileProvider`() async throws {
        let request = try WebService().request(
            for: .read(ProviderPath("/a")), overwrite: false, attributes: HTTPWriteAttributes())
        #expect(request?.method == "GET")
        let server = try FaultServer { request in .reply(200, body: Data(request.target.suffix(1).utf8)) }
        defer { server.stop() }
        let found = CollectedValues<String>()
        let connection = try HTTPConnection(url: server.url(), options: ConnectionOptions())
        try await connection.paginated { (token: String?) in
            HTTPRequest("GET", path: .root, query: token ?? "1")
        } pageHandler: { data, _ in
            let name = String(decoding: data, as: UTF8.self)
            let file = FileObject(path: try ProviderPath.root.appending(name), type: .regular)
            return HTTPPage([file], nextToken: name == "1" ? "2" : nil)
        } page: { items in
            found.append(items.map(\.name))
        }
        #expect(found.values == ["1", "2"])
    }

    @available(*, deprecated, message: "Uses what is misspelt on purpose.")
    @Test func `names that were misspelt`() throws {
        #expect(ProgressUserInfoKey.fileProvderOperationTypeKey == .fileProviderOperationTypeKey)
        let undoable: any FileProvideUndoable = try provider.undoable()
        #expect(undoable.undoManager.levels > 0)
    }
}

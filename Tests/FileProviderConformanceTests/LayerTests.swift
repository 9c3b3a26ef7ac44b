import FileProviderConformance
import FileProviderCore
import Foundation
import LocalFileProvider
import MemoryFileProvider
import ProviderDoubles
import Testing

@Suite struct LayerTests {
    /// A base, made again for each test.
    enum Base: String, CaseIterable {
        case memory, local

        func use(_ body: (any FileProvider) async throws -> Void) async throws {
            switch self {
            case .memory: try await body(MemoryFileProvider())
            case .local:
                let folder = try TemporaryFolder()
                try await body(try LocalFileProvider(root: folder.url))
            }
        }
    }

    private let shelf: ProviderPath

    init() throws {
        shelf = try ProviderPath("/shelf é%41")
    }

    @Test(arguments: Base.allCases) func `a prefixed provider keeps every promise`(base: Base) async throws {
        try await base.use { provider in
            try await provider.createFolder(path: shelf)
            let layered = provider.layered(PrefixLayer(prefix: shelf))
            let again = provider.layered(PrefixLayer(prefix: shelf))
            let report = await Conformance(provider: layered, folder: .root, connect: { again }).run()
            #expect(report.isConforming, "\(report)")
            #expect(report.passed.count > 400)
            #expect(try await provider.contentsOfDirectory(path: .root).map(\.path) == [shelf])
        }
    }

    @Test(arguments: Base.allCases) func `a remembering provider keeps every promise`(base: Base) async throws {
        try await base.use { provider in
            let layered = provider.layered(RememberingLayer())
            let report = await Conformance(provider: layered, folder: .root, connect: { layered }).run()
            #expect(report.isConforming, "\(report)")
        }
    }

    @Test func `versions pass under the layer's paths, and a read-only layer restores none`() async throws {
        let base = KeepingProvider(MemoryFileProvider())
        let layered = base.layered(PrefixLayer(prefix: shelf))
        let keeping = try #require(layered as? any FileProviderVersions)
        #expect(layered as? any FileProviderTrash == nil)
        let path = try ProviderPath("f")
        let version = try #require(try await keeping.versions(of: path).first)
        #expect(version.path == path)
        let reader = try await keeping.open(version)
        #expect(reader.path == path)
        #expect(try await reader.read(.whole).data == Data("1".utf8))
        try await base.createFolder(path: shelf)
        try await keeping.restore(version)
        #expect(try await base.contents(path: shelf.appending(path)) == Data("1".utf8))
        let readOnly = try #require(base.layered(ReadOnlyLayer()) as? any FileProviderVersions)
        await #expect(throws: CocoaError.self) { try await readOnly.restore(version) }
    }

    @Test(arguments: Base.allCases) func `a read-only provider keeps every promise`(base: Base) async throws {
        try await base.use { provider in
            try await provider.writeContents(path: ProviderPath("/book"), contents: Data([1, 2, 3]))
            let layered = provider.layered(ReadOnlyLayer())
            let report = await Conformance(provider: layered, folder: .root, connect: { layered }).run()
            #expect(report.isConforming, "\(report)")
            #expect(report.outcome(of: "Where writing is unavailable, it fails and changes nothing") == .passed)
            #expect(report.skipped.contains { $0.sentence == "needs writing" })
            #expect(try await layered.contents(path: ProviderPath("/book")) == Data([1, 2, 3]))
        }
    }

    @Test func `a read-only provider refuses each change by its name, through every protocol`() async throws {
        let folder = try TemporaryFolder()
        let base = try LocalFileProvider(root: folder.url)
        let layered = LayeredFileProvider(ReadOnlyLayer(), over: base)
        let (file, other) = (try ProviderPath("/book"), try ProviderPath("/other"))
        try await base.writeContents(path: file, contents: Data([1]))
        func sentence(_ body: () async throws -> Void) async -> String? {
            do { try await body() } catch { return (error as? CocoaError)?.sentence }
            return nil
        }
        let refused = [
            await sentence { try await layered.createFolder(path: other) },
            await sentence { try await layered.moveItem(path: file, to: other) },
            await sentence { try await layered.copyItem(path: file, to: other) },
            await sentence { try await layered.removeItem(path: file) },
            await sentence { _ = try await layered.writeContents(path: other, contents: Data()) },
            await sentence { try await layered.setAttributes(path: file, permissions: 0o600, modificationDate: nil) },
            await sentence { try await layered.createSymbolicLink(path: other, to: file) },
            await sentence { try await layered.appendContents(path: file, contents: Data([2])) },
            await sentence { try await layered.setExtendedAttribute("user.a", to: [1], path: file) },
        ]
        #expect(
            refused == [
                "A read-only provider cannot make folders here (“/other”).",
                "A read-only provider cannot move here (“/book”).",
                "A read-only provider cannot copy here (“/book”).",
                "A read-only provider cannot remove here (“/book”).",
                "A read-only provider cannot write here (“/other”).",
                "A read-only provider cannot set attributes here (“/book”).",
                "A read-only provider cannot make symbolic links here (“/other”).",
                "A read-only provider cannot append here (“/book”).",
                "A read-only provider cannot set attributes here (“/book”).",
            ])
        // A copy streams into a target that takes the bytes as they come.
        await #expect(throws: CocoaError.self) {
            try await FileCopy(file, of: base).write(to: other, of: layered, options: WriteOptions())
        }
        #expect(try await base.contentsOfDirectory(path: .root).map(\.name) == ["book"])
    }

    @Test func `a layer has an ability exactly where its base has it`() async throws {
        let folder = try TemporaryFolder()
        let local = try LocalFileProvider(root: folder.url).layered(RememberingLayer())
        let memory = MemoryFileProvider().layered(RememberingLayer())
        func abilities(_ provider: any FileProvider) -> [Bool] {
            [
                provider is any FileProviderPushWrite, provider is any FileProviderSymbolicLink,
                provider is any FileProviderMonitor, provider is any FileProviderAttributes,
                provider is any FileProviderSynchronization, provider is any FileProviderBasicRemote,
                provider is any FileProviderSearch, provider is any FileProviderSharing,
                provider is any FileProviderChecksums, provider is any FileProviderLongPolling,
                provider is any ExtendedFileProvider, provider is any FileProviderConfining,
                provider is any FileProviderAppending, provider is any FileProviderExtendedAttributes,
                provider is any FileProviderTrash, provider is any FileProviderVersions,
            ]
        }
        #expect(abilities(local) == abilities(try LocalFileProvider(root: folder.url)))
        #expect(abilities(memory) == abilities(MemoryFileProvider()))
        // Abilities that neither has are those of servers: `LayeredServiceTests`.
        #expect(abilities(local) != abilities(memory))
        let keeping = KeepingProvider(MemoryFileProvider())
        #expect(abilities(keeping.layered(RememberingLayer())) == abilities(keeping))
        let events = EventSource([])
        #expect(abilities(events.layered(RememberingLayer())) == abilities(events))
        // A layer over a layer, too.
        #expect(abilities(local.layered(ReadOnlyLayer())) == abilities(local))
    }

    @Test func `a prefixed provider shows nothing outside of its folder, and names its own paths`() async throws {
        let base = MemoryFileProvider()
        try await base.createFolder(path: shelf)
        try await base.writeContents(path: ProviderPath("/outside"), contents: Data([1]))
        let layered = LayeredFileProvider(PrefixLayer(prefix: shelf), over: base)
        #expect(try await layered.contentsOfDirectory(path: .root).isEmpty)
        let missing = try ProviderPath("/missing")
        let error = await #expect(throws: CocoaError.self) { try await layered.contents(path: missing) }
        #expect(error?.userInfo[NSFilePathErrorKey] as? String == "/missing")
        #expect(error?.sentence == "“/missing” does not exist.")
        let outside = base.url(of: try ProviderPath("/outside"))
        #expect(throws: URLError.self) { try layered.relativePath(of: outside) }
        #expect(try layered.relativePath(of: layered.url(of: missing)) == missing)
        await #expect(throws: CocoaError.self) { try await layered.removeItem(path: .root) }
        #expect(try await base.attributesOfItem(path: shelf).isDirectory)
    }

    @Test(arguments: Base.allCases)
    func `the layer's root refuses each change as a provider's own root does`(base: Base) async throws {
        try await base.use { provider in
            try await provider.createFolder(path: shelf)
            let layer = PairingLayer(prefix: shelf)
            let layered = provider.layered(layer)
            let file = try ProviderPath("/file")
            func code(_ body: () async throws -> Void) async -> CocoaError.Code? {
                do { try await body() } catch { return (error as? CocoaError)?.code }
                return nil
            }
            // Nothing is in the folder: a base would let it be replaced.
            func codesOfEmptyRoot(_ provider: any FileProvider) async -> [CocoaError.Code?] {
                var codes = [
                    await code { try await provider.writeContents(path: .root, contents: Data(), overwrite: true) },
                    await code { try await provider.createFolder(path: .root) },
                    await code { try await provider.removeItem(path: .root) },
                    await code { try await provider.moveItem(path: .root, to: file) },
                    await code { try await provider.copyItem(path: .root, to: file) },
                ]
                if let provider = provider as? any FileProviderAppending {
                    codes.append(await code { try await provider.appendContents(path: .root, contents: Data([1])) })
                }
                if let provider = provider as? any FileProviderSymbolicLink {
                    codes.append(await code { try await provider.createSymbolicLink(path: .root, text: "a") })
                }
                return codes
            }
            let codes = await codesOfEmptyRoot(layered)
            let ownCodes = await codesOfEmptyRoot(provider)
            #expect(codes == ownCodes && !codes.contains(nil))
            func codesOfTakenRoot(_ provider: any FileProvider) async throws -> [CocoaError.Code?] {
                try await provider.writeContents(path: file, contents: Data([1]))
                return [
                    await code { try await provider.moveItem(path: file, to: .root, overwrite: true) },
                    await code { try await provider.copyItem(path: file, to: .root, overwrite: true) },
                ]
            }
            let takenCodes = try await codesOfTakenRoot(layered)
            let ownTakenCodes = try await codesOfTakenRoot(provider)
            #expect(takenCodes == ownTakenCodes && !takenCodes.contains(nil))
            #expect(try await layered.contents(path: file) == Data([1]))
            #expect(layer.underWay.value == 0, "a change that is announced is also finished")
        }
    }

    @Test func `a path that has no place in the base leads nowhere in it`() async throws {
        let folder = try TemporaryFolder()
        let local = try LocalFileProvider(root: folder.url)
        let base = ForgettingProvider(local)
        let (real, alias) = (try ProviderPath("/real"), try ProviderPath("/alias"))
        try await local.createFolder(path: real)
        try await local.writeContents(path: real.appending("file"), contents: Data([1]))
        let layer = AliasLayer(real: real, alias: alias)
        let layered = LayeredFileProvider(layer, over: base)
        #expect(layered.url(of: alias) == base.url(of: real))
        #expect(layered.url(of: real) != base.url(of: real))
        #expect(throws: URLError.self) { try base.relativePath(of: layered.url(of: real)) }
        layered.dropCache(path: real)
        #expect(base.forgotten.values == [])
        layered.dropCache(path: alias)
        #expect(base.forgotten.values == [real])
        let confining = LayeredFileProvider(layer, over: local)
        let file = try alias.appending("file")
        await #expect(throws: CocoaError.self) { try await confining.confined(to: [real]).contents(path: file) }
        #expect(try await confining.confined(to: [real, alias]).contents(path: file) == Data([1]))
    }

    @Test func `errors of every kind name the path that callers know`() async throws {
        let memory = MemoryFileProvider()
        let path = try ProviderPath("/book")
        let location = shelf.appending(path)
        let transport = FileError.make(
            .badServerResponse, url: memory.url(of: location), sentence: "The answer for “\(location)” cannot be read.")
        let file = FileError.make(.fileReadUnknown, path: location, underlying: transport)
        let layer = PrefixLayer(prefix: shelf)
        let transportError = await #expect(throws: URLError.self) {
            try await FailingProvider(memory, error: transport).layered(layer).attributesOfItem(path: path)
        }
        #expect(transportError?.sentence == "The answer for “/book” cannot be read.")
        let fileError = await #expect(throws: CocoaError.self) {
            try await FailingProvider(memory, error: file).layered(layer).attributesOfItem(path: path)
        }
        #expect(fileError?.userInfo[NSFilePathErrorKey] as? String == "/book")
        #expect(fileError?.underlying?.sentence == "The answer for “/book” cannot be read.")
    }

    @Test(.timeLimit(.minutes(1))) func `a prefixed provider tells of changes under its own paths`() async throws {
        let folder = try TemporaryFolder()
        let base = try LocalFileProvider(root: folder.url)
        let inner = try ProviderPath("/inner")
        try await base.createFolder(path: inner)
        let layered = LayeredFileProvider(PrefixLayer(prefix: inner), over: base)
        let watch = try await layered.watch(path: .root, options: WatchOptions())
        try await base.writeContents(path: inner.appending("book"), contents: Data([1]))
        let events = try await watch.next()
        #expect(events?.map(\.path.string) == ["/book"])
        await watch.stop()
    }

    @Test func `events that lead into sight or out of it are told as what they are to the caller`() async throws {
        let source = EventSource([
            FileEvent(.moved, path: try ProviderPath("/in/a"), from: try ProviderPath("/out/a")),
            FileEvent(.moved, path: try ProviderPath("/out/b"), from: try ProviderPath("/in/b")),
            FileEvent(.moved, path: try ProviderPath("/in/d"), from: try ProviderPath("/in/c")),
            FileEvent(.created, path: try ProviderPath("/out/e")),
        ])
        let layered = LayeredFileProvider(PrefixLayer(prefix: try ProviderPath("/in")), over: source)
        let events = try await layered.changes(path: .root, since: nil).events
        #expect(events.map(\.description) == ["created /a", "removed /b", "moved /c → /d"])
    }
}

/// A storage whose server tells of the same changes again and again.
private final class EventSource: ForwardingProvider, FileProviderLongPolling {
    static let type = "Events"
    let underlying: any FileProvider = MemoryFileProvider()
    private let events: [FileEvent]

    init(_ events: [FileEvent]) {
        self.events = events
    }

    func changes(path: ProviderPath, since token: String?) async throws -> LongPollAnswer {
        LongPollAnswer(events: events, token: "1")
    }
}

/// Shows one folder of the base as the root, and counts the changes that were announced and not finished.
private struct PairingLayer: FileProviderLayer {
    let prefix: ProviderPath
    let underWay = LockedValue(0)

    func basePath(of path: ProviderPath) -> ProviderPath { prefix.appending(path) }
    func path(ofBase path: ProviderPath) -> ProviderPath? { path.relative(to: prefix) }
    func willChange(_ change: LayerChange) async throws { underWay.update { $0 += 1 } }
    func didChange(_ change: LayerChange) { underWay.update { $0 -= 1 } }
}

/// Shows a folder under another name, and nothing under the folder's own.
private struct AliasLayer: FileProviderLayer {
    let real: ProviderPath
    let alias: ProviderPath

    func basePath(of path: ProviderPath) throws -> ProviderPath {
        if path.relative(to: real) != nil { throw FileError.make(.fileReadInvalidFileName, path: path) }
        return path.relative(to: alias).map(real.appending) ?? path
    }

    func path(ofBase path: ProviderPath) -> ProviderPath? { path.relative(to: real).map(alias.appending) ?? path }
}

/// A storage that notes what it is to forget.
private final class ForgettingProvider: ForwardingProvider, FileProviderBasicRemote {
    static let type = "Forgetting"
    let underlying: any FileProvider
    let connectionOptions = ConnectionOptions()
    let forgotten = CollectedValues<ProviderPath>()

    init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    func dropCache(path: ProviderPath) { forgotten.append(path) }
}

/// A storage each of whose operations fails.
private final class FailingProvider: ForwardingProvider {
    static let type = "Failing"
    let underlying: any FileProvider
    private let error: any Error

    init(_ underlying: any FileProvider, error: any Error) {
        self.underlying = underlying
        self.error = error
    }

    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
    {
        throw error
    }
}

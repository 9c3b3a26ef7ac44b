import BoxFileProvider
import Carrel
import FileProviderConformance
import FileProviderUndo
import Foundation
import Testing

@Suite struct BoxFileProviderTests {
    private let folder: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "carrel-box-\(UInt64.random(in: 0 ... .max))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        folder = url.path
    }

    private func cleanUp() { try? FileManager.default.removeItem(atPath: folder) }

    @Test func `the box keeps every promise`() async throws {
        defer { cleanUp() }
        let provider = try BoxFileProvider(name: "kit", folder: folder)
        let report = await Conformance(provider: provider, folder: .root, connect: { provider }).run()
        #expect(report.isConforming, "\(report)")
    }

    @Test func `what is in the box is there again when it is opened anew`() async throws {
        defer { cleanUp() }
        let text = Data("hello".utf8)
        do {
            let provider = try BoxFileProvider(name: "a", folder: folder)
            try await provider.createFolder(path: ProviderPath("x"))
            try await provider.writeContents(path: ProviderPath("x/one"), contents: text)
            try await provider.copyItem(path: ProviderPath("x"), to: ProviderPath("y"))
            try await provider.moveItem(path: ProviderPath("y/one"), to: ProviderPath("two"))
            try await provider.removeItem(path: ProviderPath("x"))
        }
        let provider = try BoxFileProvider(name: "a", folder: folder)
        #expect(try await provider.contentsOfDirectory(path: .root).map(\.name).sorted() == ["two", "y"])
        #expect(try await provider.contents(path: ProviderPath("two")) == text)
    }

    @Test(arguments: ["{\"/b\":{\"mod", "\0\0\0\0\0\0", ""])
    func `a change that a crash cut off costs nothing but itself`(rest: String) async throws {
        defer { cleanUp() }
        for round in 1...3 {
            let provider = try BoxFileProvider(name: "a", folder: folder)
            try await provider.writeContents(path: ProviderPath("\(round)"), contents: Data("\(round)".utf8))
            #expect(try await provider.contentsOfDirectory(path: .root).count == round)
            let index = try FileHandle(forWritingTo: URL(fileURLWithPath: folder + "/a.box.index"))
            try index.seekToEnd()
            try index.write(contentsOf: Data(rest.utf8))
        }
    }

    @Test func `damage in the index is refused, and so is a second process`() async throws {
        defer { cleanUp() }
        let first = try BoxFileProvider(name: "a", folder: folder)
        #expect { try BoxFileProvider(name: "a", folder: folder) } throws: { ($0 as? CocoaError)?.code == .fileLocking }
        #expect(try await first.contentsOfDirectory(path: .root).isEmpty)
        try Data("no change\n".utf8).write(to: URL(fileURLWithPath: folder + "/b.box.index"))
        #expect { try BoxFileProvider(name: "b", folder: folder) } throws: {
            ($0 as? CocoaError)?.code == .fileReadCorruptFile
        }
    }

    /// What a provider gets without further code: completion handlers, `Progress`, configurations, transfers, books.
    @Test func `a configuration makes the provider, and completion forms give a Progress`() async throws {
        defer { cleanUp() }
        let registry = ProviderRegistry()
        try registry.register(BoxFileProvider.registration)
        var configuration = try ProviderConfiguration(url: #require(URL(string: "box://notes/")))
        configuration.settings = ["folder": folder]
        let box = try await registry.location(of: configuration).provider
        let progress = CollectedValues<Progress>()
        let error = await withCheckedContinuation { done in
            let started = box.writeContents(path: "/a.txt", contents: Data("hello".utf8)) { done.resume(returning: $0) }
            progress.append([started].compactMap(\.self))
        }
        #expect(error == nil)
        #expect(progress.values.first?.completedUnitCount == 5 && progress.values.first?.fractionCompleted == 1)
        #expect(try await registry.location(of: configuration).provider === box, "a box is opened once")
    }

    @Test(.timeLimit(.minutes(1))) func `watching a box tells of a file in a folder`() async throws {
        defer { cleanUp() }
        let provider = try BoxFileProvider(name: "a", folder: folder)
        try await provider.createFolder(path: ProviderPath("x"))
        let options = WatchOptions(minInterval: 0.02, maxInterval: 0.1)
        let changes = try await provider.changes(at: .root, options: options)
        try await provider.writeContents(path: ProviderPath("x/one"), contents: Data("hello".utf8))
        var events = changes.makeAsyncIterator()
        #expect(try await events.next() == FileEvent(.created, path: ProviderPath("x/one"), type: .regular))
    }

    @Test func `what was removed from a box comes back`() async throws {
        defer { cleanUp() }
        let provider = try BoxFileProvider(name: "a", folder: folder).undoable()
        try await provider.createFolder(path: ProviderPath("x"))
        try await provider.writeContents(path: ProviderPath("x/one"), contents: Data("hello".utf8))
        try await provider.removeItem(path: ProviderPath("x"))
        await #expect(throws: CocoaError.self) { try await provider.attributesOfItem(path: ProviderPath("x")) }
        #expect(try await provider.undoManager.undo())
        #expect(try await provider.contents(path: ProviderPath("x/one")) == Data("hello".utf8))
    }

    @Test func `the provider has under 220 lines of code`() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/BoxFileProvider")
        let files = try FileManager.default.contentsOfDirectory(
            at: sources.standardizedFileURL, includingPropertiesForKeys: nil)
        let lines = try files.flatMap { try String(contentsOf: $0, encoding: .utf8).split(separator: "\n") }
        let code = lines.count {
            !$0.trimmingPrefix { $0 == " " }.isEmpty && !$0.trimmingPrefix { $0 == " " }.hasPrefix("//")
        }
        #expect(files.count == 2 && code < 220)
    }
}

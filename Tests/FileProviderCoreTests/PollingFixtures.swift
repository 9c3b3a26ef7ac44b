import Foundation
import MemoryFileProvider
import Testing

import FileProviderCore

/// A provider that shows a Memory provider's tree, counts what it is asked, and fails as a test says.
final class ScriptedProvider: FileProviderBasic {
    static let type = "Scripted"
    let baseURL: URL? = nil
    let memory = MemoryFileProvider()
    let shown: LockedValue<MemoryFileProvider>
    /// The folders that were listed.
    let listings = LockedValue<[ProviderPath]>([])
    /// How often attributes were asked for.
    let questions = LockedValue(0)
    /// Whether the tag of a folder changes with everything below it.
    let coversTrees = LockedValue(false)
    /// What to fail with, by folder.
    let failure = LockedValue<(@Sendable (ProviderPath) -> (any Error)?)?>(nil)

    init() {
        shown = LockedValue(memory)
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await memory.capabilities()
        if coversTrees.value { capabilities[.treeTags] = .native }
        return capabilities
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        questions.update { $0 += 1 }
        return try await tagged(shown.value.attributesOfItem(path: path))
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        listings.update { $0.append(path) }
        if let error = failure.value?(path) { throw error }
        try await shown.value.contentsOfDirectory(path: path) { items in
            var tagged: [FileObject] = []
            for item in items { tagged.append(try await self.tagged(item)) }
            try await page(tagged)
        }
    }

    /// Gives a folder a tag made of all that is below it.
    private func tagged(_ item: FileObject) async throws -> FileObject {
        guard coversTrees.value, item.isDirectory else { return item }
        let below = CollectedValues<String>()
        try await memory.walk(path: item.path) { below.append("\($0.path) \($0.entryTag ?? "")") }
        var item = item
        item.entryTag = "\"\(below.values.sorted().hashValue)\""
        return item
    }
}

extension MemoryFileProvider {
    func write(_ text: String, to path: String) async throws {
        try await writeContents(path: ProviderPath(path), contents: Data(text.utf8), overwrite: true)
    }
}

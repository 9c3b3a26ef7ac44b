import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Sync
import Testing

/// A storage that keeps the case of names and does not tell names by it, as FAT does.
private final class CaseBlindStorage: ForwardingProvider {
    static let type = "CaseBlind"
    let underlying: any FileProvider

    init(_ underlying: any FileProvider) {
        self.underlying = underlying
    }

    func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        capabilities.isCaseSensitive = false
        return capabilities
    }

    /// What is there under this name in any case, else the name as it is.
    private func real(_ path: ProviderPath) async throws -> ProviderPath {
        guard let parent = path.parent else { return path }
        let folder = try await real(parent)
        let names = (try? await underlying.contentsOfDirectory(path: folder).map(\.name)) ?? []
        let name = names.first { $0.lowercased() == path.name.lowercased() }
        return try folder.appending(name ?? path.name)
    }

    private func named(_ path: ProviderPath, _ object: FileObject) -> FileObject {
        var object = object
        (object.path, object.name) = (path, path.name)
        return object
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        named(path, try await underlying.attributesOfItem(path: real(path)))
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await underlying.contentsOfDirectory(path: real(path)) { items in
            try await page(try items.map { named(try path.appending($0.name), $0) })
        }
    }

    func createFolder(path: ProviderPath) async throws { try await underlying.createFolder(path: real(path)) }

    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        let (source, target) = (try await real(path), try await real(destination))
        guard source == target, source.name != destination.name else {
            return try await underlying.moveItem(path: source, to: target, overwrite: overwrite, progress: progress)
        }
        // As renameat2(2) with RENAME_NOREPLACE says there.
        if !overwrite { throw FileError.make(.fileWriteFileExists, path: destination) }
        let renamed = try (source.parent ?? .root).appending(destination.name)
        try await underlying.moveItem(path: source, to: renamed, overwrite: false, progress: progress)
    }

    func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        try await underlying.copyItem(path: real(path), to: real(destination), overwrite: overwrite, progress: progress)
    }

    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await underlying.removeItem(path: real(path), recursive: recursive, progress: progress)
    }

    func open(path: ProviderPath) async throws -> any FileReader { try await underlying.open(path: real(path)) }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        named(path, try await underlying.writeContents(path: real(path), from: source, options: options))
    }
}

/// Names that differ in case alone, where one side does not tell them apart.
@Suite struct CaseTests {
    private let one = SyncBed.memory("one")
    private let two = SyncBed.memory("two")

    private func bed(_ direction: SyncOptions.Direction) async throws -> SyncBed {
        let bed = try SyncBed(direction, source: one, destination: CaseBlindStorage(two))
        bed.options.update { $0.deletes = direction == .mirror }
        for name in ["Foo/a", "Foo/Deep/b", "x.txt", "stays"] { try await one.put("/" + name, name) }
        try await one.createFolder(path: ProviderPath("Bare"))
        try await bed.run()
        return bed
    }

    private static let renamed = [
        "/bare/", "/foo/", "/foo/Deep/", "/foo/Deep/b Foo/Deep/b", "/foo/a Foo/a", "/stays stays", "/X.txt x.txt",
    ]

    private func expectRenamed(_ bed: SyncBed) async throws {
        #expect(try await one.tree() == Self.renamed.sorted())
        #expect(try await two.tree() == Self.renamed.sorted())
        #expect(try await bed.plan() == [])
        #expect(try await bed.run().hasChanges == false)
    }

    @Test(arguments: [SyncOptions.Direction.twoWay, .mirror])
    func `a rename in case alone arrives where case does not count`(direction: SyncOptions.Direction) async throws {
        let bed = try await bed(direction)
        try await one.move("/Foo", "/foo")
        try await one.move("/Bare", "/bare")
        try await one.move("/x.txt", "/X.txt")
        let report = try await bed.run()
        #expect(report.isComplete && report.bytes == 0, "\(report)")
        try await expectRenamed(bed)
    }

    @Test func `a rename in case alone comes from where case does not count`() async throws {
        let bed = try await bed(.twoWay)
        try await two.move("/Foo", "/foo")
        try await two.move("/Bare", "/bare")
        try await two.move("/x.txt", "/X.txt")
        let report = try await bed.run()
        #expect(report.isComplete && report.bytes == 0, "\(report)")
        try await expectRenamed(bed)
    }

    @Test func `a file that is renamed in case and changed keeps its last content`() async throws {
        let bed = try await bed(.twoWay)
        try await one.move("/x.txt", "/X.txt")
        try await one.put("/X.txt", "a newer one")
        try await bed.run()
        #expect(try await two.tree().contains("/X.txt a newer one"))
        #expect(try await one.tree() == two.tree())
        #expect(try await bed.plan() == [])
    }

    @Test func `of two names that one side takes for one, one is skipped, and nothing is lost`() async throws {
        let bed = try await bed(.twoWay)
        try await one.put("/X.txt", "another")
        try await one.put("/FOO/c", "c")
        for _ in 1...2 {
            let report = try await bed.run()
            #expect(report.skipped.count == 2 && report.failures == 0, "\(report)")
            #expect(try await one.texts() == ["Foo/a", "Foo/Deep/b", "x.txt", "stays", "another", "c"])
            #expect(try await two.texts() == ["Foo/a", "Foo/Deep/b", "x.txt", "stays"])
        }
    }
}

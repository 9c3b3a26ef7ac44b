package import FileProviderCore
import Foundation

/// A storage that keeps the case of names and does not tell names by it, as FAT does. Like most, it may not know that.
package final class CaseBlindStorage: ForwardingProvider {
    package static let type = "CaseBlind"
    package let underlying: any FileProvider

    private let knowsItself: Bool

    package init(_ underlying: any FileProvider, knowsItself: Bool) {
        self.underlying = underlying
        self.knowsItself = knowsItself
    }

    package func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        capabilities.isCaseSensitive = !knowsItself
        return capabilities
    }

    /// Names that are being made, without regard to case.
    private let inTheMaking = Locked<Set<String>>([])

    /// Looks and makes in one step, as a disk does: two names that are one wait for each other.
    private func making<Value>(_ path: ProviderPath, _ body: (ProviderPath) async throws -> Value) async throws -> Value {
        let key = path.string.lowercased()
        while !inTheMaking.update({ $0.insert(key).inserted }) { await Task.yield() }
        defer { inTheMaking.update { _ = $0.remove(key) } }
        return try await body(real(path))
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

    package func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        named(path, try await underlying.attributesOfItem(path: real(path)))
    }

    package func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await underlying.contentsOfDirectory(path: real(path)) { items in
            try await page(try items.map { named(try path.appending($0.name), $0) })
        }
    }

    package func createFolder(path: ProviderPath) async throws {
        try await making(path) { try await underlying.createFolder(path: $0) }
    }

    package func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        let (source, target) = (try await real(path), try await real(destination))
        guard source == target, source.name != destination.name else {
            return try await underlying.moveItem(path: source, to: target, overwrite: overwrite, progress: progress)
        }
        // As renameat2(2) with RENAME_NOREPLACE says there.
        if !overwrite { throw FileError.make(.fileWriteFileExists, path: destination) }
        let renamed = try (source.parent ?? .root).appending(destination.name)
        try await underlying.moveItem(path: source, to: renamed, overwrite: false, progress: progress)
    }

    package func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        try await underlying.copyItem(path: real(path), to: real(destination), overwrite: overwrite, progress: progress)
    }

    package func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await underlying.removeItem(path: real(path), recursive: recursive, progress: progress)
    }

    package func open(path: ProviderPath) async throws -> any FileReader { try await underlying.open(path: real(path)) }

    package func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        named(path, try await making(path) { try await underlying.writeContents(path: $0, from: source, options: options) })
    }
}

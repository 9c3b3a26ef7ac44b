package import FileProviderCore
import Foundation

/// A storage that takes some names for one, as disks of other systems do. Like most, it may not know that.
package final class BlindStorage: ForwardingProvider {
    /// What it has no regard to.
    package enum Kind: String, Sendable, CaseIterable {
        /// Case, which it keeps, as FAT does.
        case inCase
        /// Unicode normalization, which it keeps, as APFS does.
        case inForm
        /// Unicode normalization: it has all names in Form D, as HFS+ does.
        case decomposing
    }

    package static let type = "Blind"
    package let underlying: any FileProvider

    private let kind: Kind
    private let knowsItself: Bool

    package init(_ kind: Kind, underlying: any FileProvider, knowsItself: Bool) {
        self.kind = kind
        self.underlying = underlying
        self.knowsItself = knowsItself
    }

    package func capabilities() async throws -> Capabilities {
        var capabilities = try await underlying.capabilities()
        capabilities.isCaseSensitive = !(kind == .inCase && knowsItself)
        capabilities.isNormalizationSensitive = !(kind != .inCase && knowsItself)
        return capabilities
    }

    /// The same for all names that are one. Bytes, since strings are compared without regard to normalization.
    private func key(_ name: String) -> [UInt8] {
        Array((kind == .inCase ? name.lowercased() : name.precomposedStringWithCanonicalMapping).utf8)
    }

    /// How a new item of this name is called.
    private func stored(_ name: String) -> String {
        kind == .decomposing ? name.decomposedStringWithCanonicalMapping : name
    }

    /// Names that are being made.
    private let inTheMaking = LockedValue<Set<[UInt8]>>([])

    /// Looks and makes in one step, as a disk does: two names that are one wait for each other.
    private func making<Value>(_ path: ProviderPath, _ body: (ProviderPath) async throws -> Value) async throws -> Value
    {
        let key = key(path.string)
        while !inTheMaking.update({ $0.insert(key).inserted }) { await Task.yield() }
        defer { inTheMaking.update { _ = $0.remove(key) } }
        return try await body(real(path))
    }

    /// What is there under this name or one that is the same, else the name that a new item gets.
    private func real(_ path: ProviderPath) async throws -> ProviderPath {
        guard let parent = path.parent else { return path }
        let folder = try await real(parent)
        let names = (try? await underlying.contentsOfDirectory(path: folder).map(\.name)) ?? []
        let name = names.first { key($0) == key(path.name) }
        return try folder.appending(name ?? stored(path.name))
    }

    private func named(_ path: ProviderPath, _ object: FileObject) -> FileObject {
        var object = object
        (object.path, object.name) = (path, path.name)
        return object
    }

    package func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        named(path, try await underlying.attributesOfItem(path: real(path)))
    }

    package func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        try await underlying.contentsOfDirectory(path: real(path)) { items in
            try await page(try items.map { named(try path.appending($0.name), $0) })
        }
    }

    package func createFolder(path: ProviderPath) async throws {
        try await making(path) { try await underlying.createFolder(path: $0) }
    }

    package func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        let source = try await real(path)
        try await making(destination) { target in
            let renamed = try (source.parent ?? .root).appending(stored(destination.name))
            guard source == target, source != renamed else {
                return try await underlying.moveItem(path: source, to: target, overwrite: overwrite, progress: progress)
            }
            // As renameat2(2) with RENAME_NOREPLACE says there.
            if !overwrite { throw FileError.make(.fileWriteFileExists, path: destination) }
            try await underlying.moveItem(path: source, to: renamed, overwrite: false, progress: progress)
        }
    }

    package func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await underlying.copyItem(path: real(path), to: real(destination), overwrite: overwrite, progress: progress)
    }

    package func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await underlying.removeItem(path: real(path), recursive: recursive, progress: progress)
    }

    package func open(path: ProviderPath) async throws -> any FileReader { try await underlying.open(path: real(path)) }

    package func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        named(
            path,
            try await making(path) { try await underlying.writeContents(path: $0, from: source, options: options) })
    }
}

public import FileProviderCore
public import Foundation

/// A tree of files in this process's memory, which ends with the object: for tests, previews and examples.
///
/// It keeps every promise of the contract natively: one lock decides each operation as a whole, and each content has a
/// unique version.
public final class MemoryFileProvider: FileProviderBasic, FileProviderOperations, FileProviderReadWrite {
    /// `Memory`.
    public static let type = "Memory"

    /// `mem://`, the configuration's name and a slash.
    public let baseURL: URL?
    /// How this provider was set up.
    public let configuration: MemoryConfiguration
    let tree: LockedValue<MemoryTree>

    private static let named = LockedValue<[String: MemoryFileProvider]>([:])

    /// The registration for the scheme `mem`: all URLs with one host name the same tree, which lasts as long as the
    /// process.
    public static let registration = ProviderRegistration(type: type, schemes: ["mem"], needsHost: false) { url, _ in
        let name = url.host(percentEncoded: true)?.lowercased() ?? ""
        let provider = named.update { named in
            if let there = named[name] { return there }
            let new = MemoryFileProvider(MemoryConfiguration(name: name))
            named[name] = new
            return new
        }
        return ProviderLocation(
            provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }

    /// Creates an empty tree.
    public init(_ configuration: MemoryConfiguration = MemoryConfiguration()) {
        self.configuration = configuration
        baseURL = URL(string: "mem://\(configuration.name)/")
        tree = LockedValue(MemoryTree(capacity: configuration.capacity))
    }

    /// Returns every ability but symbolic links, natively.
    public func capabilities() async throws -> Capabilities {
        Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .streamedWriting: .native,
                .atomicReplacement: .native, .exclusiveCreation: .native, .conditionalWriting: .native,
                .folderCreation: .native,
                .removal: .native, .recursiveRemoval: .native, .moving: .native, .serverSideCopying: .native,
                .atomicFolderCopying: .native, .appending: .native,
                .settingModificationDate: .native, .storageProperties: .native, .entryTags: .native, .rawNames: .native,
            ],
            readCost: .local, timePrecision: 1e-6, concurrentTransfers: nil)
    }

    /// Returns the attributes of the item at `path`.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try tree.value.item(at: path, writing: false).object(at: path)
    }

    /// Lists the children as they are at this moment, in pages of 1,000.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it if `path` is
    ///   no folder.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        guard let children = try tree.value.item(at: path, writing: false).children else {
            throw FileError.notADirectory(path)
        }
        var items: [FileObject] = []
        for (name, item) in children {
            items.append(item.object(at: try path.appending(nameBytes: name)))
            guard items.count == 1000 else { continue }
            try Task.checkCancellation()
            try await page(items)
            items = []
        }
        if !items.isEmpty { try await page(items) }
    }

    /// Returns the configured capacity and the bytes in use.
    public func storageProperties() async throws -> VolumeObject? {
        let used = tree.value.used
        let capacity = configuration.capacity
        return VolumeObject(
            name: configuration.name, totalCapacity: capacity, availableCapacity: capacity.map { max(0, $0 - used) },
            usage: used)
    }
}

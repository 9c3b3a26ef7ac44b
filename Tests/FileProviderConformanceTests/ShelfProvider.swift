public import FileProviderCore
public import Foundation
import Synchronization

/// Files in a dictionary, gone with the object.
public final class ShelfProvider: FileProvider {
    /// For display, and to tell what a provider is.
    public static let type = "Shelf"
    /// The URL of each item begins with it.
    public let baseURL = URL(string: "shelf://local/")
    private let shelf = Mutex(Shelf())
    private static let only = ShelfProvider()

    /// An empty shelf.
    public init() {}

    /// Every URL of the scheme `shelf` names the same shelf.
    public static let registration = ProviderRegistration(type: type, schemes: ["shelf"]) { url, options in
        ProviderLocation(provider: only, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }

    /// 1: say unavailable rather than emulate.
    public func capabilities() async throws -> Capabilities {
        Capabilities(
            [
                .rangedReading: .native, .suffixReading: .native, .writing: .native, .streamedWriting: .native,
                .moving: .native,
                .atomicReplacement: .native, .exclusiveCreation: .native, .folderCreation: .native, .removal: .native,
                .recursiveRemoval: .native, .serverSideCopying: .derived,
                .atomicFolderCopying: .derived, .rawNames: .native,
            ], readCost: .local)
    }
    /// 2: of a symbolic link, the link itself.
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try shelf.withLock { try $0.item(path, writing: false).object(at: path) }
    }
    /// 3: direct children, in pages as they come.
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        try await page(shelf.withLock { try $0.children(of: path) })
    }
    /// 4: its parent has to be there.
    public func createFolder(path: ProviderPath) async throws {
        try shelf.withLock { try $0.put(Item(data: nil), at: path, overwrite: false) }
    }
    /// 5: never merges folders.
    public func moveItem(path: ProviderPath, to target: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try shelf.withLock { try $0.move(path, to: target, overwrite: overwrite) }
        progress.advance(by: 1)
    }
    /// 6: refuses a folder with content unless `recursive`.
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try shelf.withLock { try $0.remove(path, recursive: recursive) }
        progress.advance(by: 1)
    }
    /// 7: all reads of one reader are of one version.
    public func open(path: ProviderPath) async throws -> any FileReader {
        let item = try shelf.withLock { try $0.item(path, writing: false) }
        guard let data = item.data else { throw FileError.isADirectory(path) }
        let size = Int64(data.count)
        return RangedFileReader(path: path, cost: .local) { part, _, sink in
            let range = part.resolved(size: size)
            let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
            try sink.begin(extent)
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 1 << 20) {
                try await sink.send(data[Int(start)..<Int(min(start + 1 << 20, range.upperBound))])
            }
            return (extent, FileReaderAttributes(size: size))
        }
    }
    /// 8: the whole file or nothing.
    @discardableResult
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        if options.ifMatch != nil {
            throw FileError.unsupported("write under a condition", by: Self.type, path: path)
        }
        let item = Item(data: try await gather(source, for: path))
        try shelf.withLock { try $0.put(item, at: path, overwrite: options.overwrite) }
        return item.object(at: path)
    }

    private func gather(_ source: any WriteSource, for path: ProviderPath) async throws -> Data {
        let bytes = try source.bytes(from: 0)
        var data = Data()
        while let piece = try await bytes.next() { data += piece }
        guard source.length ?? Int64(data.count) == Int64(data.count) else {
            throw FileError.make(.fileWriteUnknown, path: path, sentence: "“\(path)” has another length than it said.")
        }
        return data
    }
}

/// A file, or a folder where `data` is nil.
private struct Item {
    let data: Data?
    func object(at path: ProviderPath) -> FileObject {
        FileObject(path: path, type: data == nil ? .directory : .regular, size: data.map { Int64($0.count) })
    }
}

private struct Shelf {
    private var items = [ProviderPath.root: Item(data: nil)]

    func item(_ path: ProviderPath, writing: Bool) throws -> Item {
        guard let item = items[path] else { throw FileError.make(errno: ENOENT, path: path, writing: writing) }
        return item
    }
    func children(of path: ProviderPath) throws -> [FileObject] {
        if try item(path, writing: false).data != nil { throw FileError.notADirectory(path) }
        return items.filter { $0.key.parent == path }.map { $1.object(at: $0) }
    }
    mutating func put(_ item: Item, at path: ProviderPath, overwrite: Bool) throws {
        guard let parent = path.parent else { throw FileError.make(.fileWriteFileExists, path: path) }
        if try self.item(parent, writing: true).data != nil { throw FileError.notADirectory(parent, writing: true) }
        if items[path] != nil, !overwrite { throw FileError.make(.fileWriteFileExists, path: path) }
        if items[path] != nil { try remove(path, recursive: false) }
        items[path] = item
    }
    mutating func move(_ path: ProviderPath, to target: ProviderPath, overwrite: Bool) throws {
        let moved = try item(path, writing: true)
        if path.isRoot || path == target || target.isBelow(path) {
            throw FileError.make(.fileWriteInvalidFileName, path: target)
        }
        try put(moved, at: target, overwrite: overwrite)
        for (old, item) in items where old.isBelow(path) {
            items[target.appending(old.relative(to: path) ?? .root)] = item
        }
        try remove(path, recursive: true)
    }
    mutating func remove(_ path: ProviderPath, recursive: Bool) throws {
        _ = try item(path, writing: true)
        if path.isRoot { throw FileError.make(.fileWriteNoPermission, path: path) }
        let inside = items.keys.filter { $0.isBelow(path) }
        if !recursive, !inside.isEmpty { throw FileError.make(errno: ENOTEMPTY, path: path, writing: true) }
        for gone in inside + [path] { items[gone] = nil }
    }
}

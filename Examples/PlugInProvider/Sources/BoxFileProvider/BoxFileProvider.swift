public import FileProviderCore
public import Foundation
import Synchronization

// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
/// Many small files in one big one: `box://NAME/path` is `path` in `NAME.box`, with `NAME.box.index` beside it. Nothing
/// in a box is ever overwritten: a crash loses only the unfinished change, and copies take no space.
public final class BoxFileProvider: FileProvider {
    public static let type = "Box"
    public let baseURL: URL?
    private let box: Mutex<Box>
    private static let opened = Mutex<[String: BoxFileProvider]>([:])
    /// Opens, or makes, the box called `name` in `folder`, a path of this machine; blocks on the disk.
    public init(name: String, folder: String) throws {
        box = Mutex(try Box(path: "\(folder)/\(name).box"))
        baseURL = URL(string: "box://\(try ProviderPath.root.appending(name).percentEncoded)/")
    }
    deinit { box.withLock { $0.unlock() } }
    /// The scheme `box`. Boxes are in the folder of the setting `folder`, else in `$BOX_FOLDER` or the current one;
    /// each is opened once.
    public static let registration = ProviderRegistration(type: type, schemes: ["box"], settings: ["folder"]) {
        url, options in
        let folder = options.settings["folder"] ?? ProcessInfo.processInfo.environment["BOX_FOLDER"] ?? "."
        let name = try ProviderPath.root.appending(url.host(percentEncoded: false) ?? "").name
        let provider = try await BlockingThreads.shared.run {
            try opened.withLock { opened in
                let provider = try opened["\(folder)/\(name)"] ?? BoxFileProvider(name: name, folder: folder)
                opened["\(folder)/\(name)"] = provider
                return provider
            }
        }
        return ProviderLocation(
            provider: provider, path: try ProviderPath(percentEncoded: url.path(percentEncoded: true)))
    }
    /// Works with the box on a thread that may block.
    private func withBox<Value: Sendable>(_ body: @escaping @Sendable (inout Box) throws -> Value) async throws -> Value
    {
        try Task.checkCancellation()
        return try await BlockingThreads.shared.run { try self.box.withLock { try body(&$0) } }
    }
    public func capabilities() async throws -> Capabilities {
        let native: [Capabilities.Ability] = [
            .rangedReading, .suffixReading, .writing, .streamedWriting, .atomicReplacement, .exclusiveCreation,
            .conditionalWriting,
            .folderCreation, .removal, .recursiveRemoval, .moving, .serverSideCopying, .atomicFolderCopying,
            .settingModificationDate,
            .storageProperties,
            .entryTags, .rawNames,
        ]
        return Capabilities(
            Dictionary(uniqueKeysWithValues: native.map { ($0, .native) }), readCost: .local, timePrecision: 1e-6)
    }
    public func storageProperties() async throws -> VolumeObject? { try await withBox { VolumeObject(usage: $0.end) } }
    public func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await withBox { try $0.item(path).object(at: path) }
    }
    public func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        if try await !attributesOfItem(path: path).isDirectory { throw FileError.notADirectory(path) }
        try await page(withBox { $0.items.filter { $0.key.parent == path }.map { $1.object(at: $0) } })
    }
    public func createFolder(path: ProviderPath) async throws {
        _ = try await withBox { try $0.put(Box.Item(), at: path) }
    }
    public func moveItem(path: ProviderPath, to target: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        _ = try await withBox { try $0.graft(path, to: target, overwrite: overwrite, isMove: true) }
        progress.advance(by: 1)
    }
    public func copyItem(path: ProviderPath, to target: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        progress.advance(by: try await withBox { try $0.graft(path, to: target, overwrite: overwrite, isMove: false) })
    }
    public func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await withBox { box in
            _ = try box.item(path, writing: true)
            if path.isRoot { throw FileError.make(.fileWriteNoPermission, path: path) }
            if !recursive, !box.below(path).isEmpty {
                throw FileError.make(errno: ENOTEMPTY, path: path, writing: true)
            }
            try box.commit(Dictionary(uniqueKeysWithValues: (box.below(path) + [path]).map { ($0, nil) }))
        }
        progress.advance(by: 1)
    }
    /// The bytes of this version stay where they are, whatever happens to the name meanwhile.
    public func open(path: ProviderPath) async throws -> any FileReader {
        let item = try await withBox { try $0.item(path) }
        guard let extents = item.extents, let size = item.size else { throw FileError.isADirectory(path) }
        return RangedFileReader(path: path, cost: .local) { part, _, sink in
            let range = part.resolved(size: size)
            let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
            try sink.begin(extent)
            var start: Int64 = 0
            for location in extents {
                let wanted = range.clamped(to: start..<start + Int64(location.count))
                let piece =
                    wanted.lowerBound + location.lowerBound - start..<wanted.upperBound + location.lowerBound - start
                start += Int64(location.count)
                if !wanted.isEmpty { try await sink.send(self.withBox { try $0.read(piece) }) }
            }
            return (extent, FileReaderAttributes(size: size, validator: item.tag))
        }
    }
    /// Pieces go into the box as they arrive; they are invisible until the change that names them.
    public func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await withBox { try $0.check(path, options) }
        let bytes = try source.bytes(from: 0)
        var item = Box.Item(extents: [], modified: options.modificationDate ?? Date())
        while let piece = try await bytes.next() { item.extents?.append(try await withBox { try $0.append(piece) }) }
        guard source.length ?? item.size == item.size else {
            throw FileError.make(.fileWriteUnknown, path: path, sentence: "“\(path)” has another length than promised.")
        }
        return try await withBox { [item] in try $0.put(item, at: path, options) }
    }
}

import FileProviderCore
import Foundation

/// What a broken provider does in place of the sound one below it; nil passes the call on.
struct Hooks: Sendable {
    typealias Base = any FileProvider

    var capabilities: (@Sendable (Base) async throws -> Capabilities)?
    var attributes: (@Sendable (Base, ProviderPath) async throws -> FileObject)?
    var list: (@Sendable (Base, ProviderPath) async throws -> [FileObject])?
    /// Called when a listing was given, and may end it with an error.
    var listed: (@Sendable (Base, ProviderPath) async throws -> Void)?
    var storage: (@Sendable (Base) async throws -> VolumeObject?)?
    var url: (@Sendable (Base, ProviderPath) -> URL)?
    var description: String?
    var createFolder: (@Sendable (Base, ProviderPath) async throws -> Void)?
    var move: (@Sendable (Base, ProviderPath, ProviderPath, Bool) async throws -> Void)?
    var copy: (@Sendable (Base, ProviderPath, ProviderPath, Bool) async throws -> Void)?
    var remove: (@Sendable (Base, ProviderPath, Bool) async throws -> Void)?
    var open: (@Sendable (Base, ProviderPath) async throws -> any FileReader)?
    var stream: BrokenReader.Stream?
    var write: (@Sendable (Base, ProviderPath, any WriteSource, WriteOptions) async throws -> FileObject)?
    var append: (@Sendable (any FileProviderAppending, ProviderPath, any WriteSource, Bool) async throws -> FileObject)?
    /// Called when the provider has been let go.
    var released: (@Sendable () -> Void)?
}

/// A sound provider, all but for its hooks.
final class BrokenProvider: FileProvider, FileProviderAppending {
    static let type = "Broken"

    private let base: any FileProvider
    private let hooks: Hooks

    init(_ base: any FileProvider, hooks: Hooks = Hooks()) {
        self.base = base
        self.hooks = hooks
    }

    deinit {
        hooks.released?()
    }

    var baseURL: URL? { base.baseURL }
    var debugDescription: String { hooks.description ?? base.debugDescription }

    func capabilities() async throws -> Capabilities {
        if let capabilities = hooks.capabilities { return try await capabilities(base) }
        return try await base.capabilities()
    }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        if let attributes = hooks.attributes { return try await attributes(base, path) }
        return try await base.attributesOfItem(path: path)
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        guard let list = hooks.list else { return try await base.contentsOfDirectory(path: path, page: page) }
        try await page(try await list(base, path))
        try await hooks.listed?(base, path)
    }

    func storageProperties() async throws -> VolumeObject? {
        if let storage = hooks.storage { return try await storage(base) }
        return try await base.storageProperties()
    }

    func url(of path: ProviderPath) -> URL { hooks.url?(base, path) ?? base.url(of: path) }

    func createFolder(path: ProviderPath) async throws {
        guard let createFolder = hooks.createFolder else { return try await base.createFolder(path: path) }
        try await createFolder(base, path)
    }

    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        guard let move = hooks.move else {
            return try await base.moveItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
        try await move(base, path, destination, overwrite)
    }

    func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        guard let copy = hooks.copy else {
            return try await base.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
        try await copy(base, path, destination, overwrite)
    }

    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        guard let remove = hooks.remove else {
            return try await base.removeItem(path: path, recursive: recursive, progress: progress)
        }
        try await remove(base, path, recursive)
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        if let open = hooks.open { return try await open(base, path) }
        let reader = try await base.open(path: path)
        return hooks.stream.map { BrokenReader(reader, stream: $0) } ?? reader
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        guard let write = hooks.write else {
            return try await base.writeContents(path: path, from: source, options: options)
        }
        return try await write(base, path, source, options)
    }

    func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        guard let base = base as? any FileProviderAppending else {
            throw FileError.unsupported("append", by: Self.type, path: path)
        }
        guard let append = hooks.append else {
            return try await base.append(path: path, from: source, createsFile: createsFile)
        }
        return try await append(base, path, source, createsFile)
    }
}

/// A sound reader, all but for how it streams.
final class BrokenReader: FileReader {
    typealias Stream =
        @Sendable (_ base: any FileReader, _ part: FilePart, _ sink: any ByteSink) async throws -> FileExtent

    private let base: any FileReader
    private let streaming: Stream

    init(_ base: any FileReader, stream: @escaping Stream) {
        self.base = base
        streaming = stream
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }
    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }
    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        try await streaming(base, part, sink)
    }
    func close() async { await base.close() }
}

/// A sink that does not pass everything on.
final class BrokenSink: ByteSink {
    private let base: any ByteSink
    private let begins: Int
    private let obeys: Bool

    /// - Parameters:
    ///   - begins: How often one `begin` reaches the sink below.
    ///   - obeys: Whether a request to wait is passed on.
    init(_ base: any ByteSink, begins: Int = 1, obeys: Bool = true) {
        self.base = base
        self.begins = begins
        self.obeys = obeys
    }

    func begin(_ extent: FileExtent) throws {
        for _ in 0..<begins { try base.begin(extent) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws -> FlowState {
        let flow = try base.write(bytes)
        return obeys ? flow : .ready
    }

    func whenReady(_ resume: @escaping @Sendable () -> Void) { base.whenReady(resume) }
}

/// A source that tells no length.
struct LengthlessSource: WriteSource {
    let base: any WriteSource
    var length: Int64? { nil }
    var isRepeatable: Bool { base.isRepeatable }
    func bytes(from offset: Int64) throws -> any ByteSource { try base.bytes(from: offset) }
}

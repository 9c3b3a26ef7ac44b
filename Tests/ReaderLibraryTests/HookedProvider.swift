import FileProviderCore
import Foundation

/// A storage in which something happens when a file is opened, read or closed.
final class HookedProvider: FileProviderOperations, FileProviderReadWrite {
    /// A moment in the life of a reader.
    enum Moment: Sendable, CaseIterable {
        case opening
        case reading
        case closing
    }

    static var type: String { "Hooked" }

    private let base: any FileProvider
    fileprivate let hook: @Sendable (Moment) throws -> Void

    /// - Parameter hook: Called before the file is opened, after its bytes were given and after it was closed; what it throws at the end
    ///   is lost.
    init(_ base: any FileProvider, _ hook: @escaping @Sendable (Moment) throws -> Void) {
        self.base = base
        self.hook = hook
    }

    var baseURL: URL? { base.baseURL }
    func capabilities() async throws -> Capabilities { try await base.capabilities() }
    func url(of path: ProviderPath) -> URL { base.url(of: path) }
    func relativePath(of url: URL) throws -> ProviderPath { try base.relativePath(of: url) }
    func attributesOfItem(path: ProviderPath) async throws -> FileObject { try await base.attributesOfItem(path: path) }
    func createFolder(path: ProviderPath) async throws { try await base.createFolder(path: path) }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        try await base.contentsOfDirectory(path: path, page: page)
    }

    func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        try await base.moveItem(path: path, to: destination, overwrite: overwrite, progress: progress)
    }

    func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter) async throws {
        try await base.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
    }

    func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await base.removeItem(path: path, recursive: recursive, progress: progress)
    }

    func open(path: ProviderPath) async throws -> any FileReader {
        try hook(.opening)
        return HookedReader(try await base.open(path: path), of: self)
    }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws -> FileObject {
        try await base.writeContents(path: path, from: source, options: options)
    }
}

private final class HookedReader: FileReader {
    private let base: any FileReader
    private let provider: HookedProvider

    init(_ base: any FileReader, of provider: HookedProvider) {
        self.base = base
        self.provider = provider
    }

    var path: ProviderPath { base.path }
    var cost: Capabilities.ReadCost { base.cost }

    func attributes() async throws -> FileReaderAttributes { try await base.attributes() }

    func stream(_ part: FilePart, into sink: any ByteSink) async throws -> FileExtent {
        let extent = try await base.stream(part, into: sink)
        try provider.hook(.reading)
        return extent
    }

    func read(_ ranges: [Range<Int64>]) async throws -> [Data] { try await base.read(ranges) }
    func writeSource() async throws -> any WriteSource { try await base.writeSource() }

    func close() async {
        await base.close()
        // Closing tells no errors.
        try? provider.hook(.closing)
    }
}

package import FileProviderCore
package import Foundation

/// A storage for tests that hands every call on to another one. A double writes out what it does otherwise, and no
/// more.
package protocol ForwardingProvider: FileProviderOperations, FileProviderReadWrite {
    /// The storage that does the work.
    var underlying: any FileProvider { get }

    /// Makes one call, which is `body`: where a double counts, fails or waits.
    ///
    /// - Parameter call: `attributes`, `list`, `space`, `folder`, `move`, `copy`, `remove`, `open` or `write`.
    func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value) async throws
        -> Value
}

extension ForwardingProvider {
    package func pass<Value: Sendable>(_ call: String, _ path: ProviderPath, _ body: () async throws -> Value)
        async throws -> Value
    {
        try await body()
    }

    package var baseURL: URL? { underlying.baseURL }
    package func capabilities() async throws -> Capabilities { try await underlying.capabilities() }
    package func url(of path: ProviderPath) -> URL { underlying.url(of: path) }
    package func relativePath(of url: URL) throws -> ProviderPath { try underlying.relativePath(of: url) }

    package func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        try await pass("attributes", path) { try await underlying.attributesOfItem(path: path) }
    }

    package func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        try await pass("list", path) { try await underlying.contentsOfDirectory(path: path, page: page) }
    }

    package func storageProperties() async throws -> VolumeObject? {
        try await pass("space", .root) { try await underlying.storageProperties() }
    }

    package func createFolder(path: ProviderPath) async throws {
        try await pass("folder", path) { try await underlying.createFolder(path: path) }
    }

    package func moveItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await pass("move", path) {
            try await underlying.moveItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    package func copyItem(path: ProviderPath, to destination: ProviderPath, overwrite: Bool, progress: ProgressReporter)
        async throws
    {
        try await pass("copy", path) {
            try await underlying.copyItem(path: path, to: destination, overwrite: overwrite, progress: progress)
        }
    }

    package func removeItem(path: ProviderPath, recursive: Bool, progress: ProgressReporter) async throws {
        try await pass("remove", path) {
            try await underlying.removeItem(path: path, recursive: recursive, progress: progress)
        }
    }

    package func open(path: ProviderPath) async throws -> any FileReader {
        try await pass("open", path) { try await underlying.open(path: path) }
    }

    @discardableResult
    package func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        try await pass("write", path) { try await underlying.writeContents(path: path, from: source, options: options) }
    }
}

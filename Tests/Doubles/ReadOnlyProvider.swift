package import FileProviderCore
package import Foundation

/// A storage whose files are the readers that a test gives. It has a reader for every path, and no listing; nothing can
/// be written.
package final class ReadOnlyProvider: FileProviderReadWrite {
    package static let type = "Read-only"
    private let reader: @Sendable (ProviderPath) throws -> any FileReader

    package init(_ reader: @escaping @Sendable (ProviderPath) throws -> any FileReader) {
        self.reader = reader
    }

    /// One and the same reader for every path.
    package convenience init(_ reader: any FileReader) { self.init { _ in reader } }

    package var baseURL: URL? { nil }
    package func capabilities() async throws -> Capabilities { Capabilities(readCost: .request) }
    package func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        FileObject(path: path, type: .regular)
    }
    package func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void)
        async throws
    {
        throw FileError.unsupported("list", by: Self.type, path: path)
    }
    package func open(path: ProviderPath) async throws -> any FileReader { try reader(path) }
    package func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        throw FileError.unsupported("write", by: Self.type, path: path)
    }
}

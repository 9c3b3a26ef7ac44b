import FileProviderCore
import Foundation
import Synchronization

/// A provider with one file, which knows whether all that was opened was closed.
final class FuzzShelf: FileProviderReadWrite {
    static let type = "Fuzz"
    let baseURL: URL? = nil
    private let path: ProviderPath
    private let data: Data
    private let mimeType: String?
    private let readers = Mutex<[FuzzReader]>([])

    /// - Parameter mimeType: What the server says that the file is.
    init(_ data: Data, path: ProviderPath, mimeType: String?) {
        (self.data, self.path, self.mimeType) = (data, path, mimeType)
    }

    /// Files that were opened and not closed.
    var openFiles: Int { readers.withLock { $0.count { !$0.isClosed } } }

    func open(path: ProviderPath) async throws -> any FileReader {
        guard path == self.path else { throw FileError.make(.fileReadNoSuchFile, path: path) }
        let reader = FuzzReader(data, path: path, mimeType: mimeType)
        readers.withLock { $0.append(reader) }
        return reader
    }

    func capabilities() async throws -> Capabilities { Capabilities(readCost: .request) }

    func attributesOfItem(path: ProviderPath) async throws -> FileObject {
        guard path == self.path else { throw FileError.make(.fileReadNoSuchFile, path: path) }
        return FileObject(path: path, type: .regular, size: Int64(data.count))
    }

    func contentsOfDirectory(path: ProviderPath, page: @Sendable ([FileObject]) async throws -> Void) async throws {
        throw CocoaError(.featureUnsupported)
    }

    func url(of path: ProviderPath) -> URL { URL(filePath: path.string) }

    func relativePath(of url: URL) throws -> ProviderPath { throw CocoaError(.featureUnsupported) }

    func writeContents(path: ProviderPath, from source: any WriteSource, options: WriteOptions) async throws
        -> FileObject
    {
        throw CocoaError(.featureUnsupported)
    }
}

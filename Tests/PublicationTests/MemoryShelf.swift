import FileProviderCore
import Foundation
import MemoryFileProvider

/// A provider in memory with files in it.
struct MemoryShelf {
    let provider = MemoryFileProvider()

    /// - Parameter files: Contents by path; folders are made as needed.
    init(_ files: [String: Data]) async throws {
        for (name, content) in files { try await add(content, at: ProviderPath(name)) }
    }

    func add(_ content: Data, at path: ProviderPath) async throws {
        if let folder = path.parent, !folder.isRoot { try await provider.createFolderWithParents(path: folder) }
        _ = try await provider.writeContents(path: path, contents: content)
    }
}

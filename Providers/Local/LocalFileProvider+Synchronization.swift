import CLinux
public import FileProviderCore
import Foundation

extension LocalFileProvider: FileProviderSynchronization {
    /// Moves, and copies of whole folders, wait for the disk here, too.
    public var unsynchronized: any FileProvider { LocalFileProvider(self, without: .fsync) }

    /// Brings the file system that holds the folder at `path` onto its disk. Source: syncfs(2).
    public func synchronize(path: ProviderPath) async throws {
        try await BlockingThreads.shared.run { [self] in
            let context = context(path, writing: true)
            let handle = try resolver.folder(at: path, context)
            let folder = FileDescriptor(owning: try context.check(openat(handle.raw, ".", LocalFlags.names)))
            try folder.syncFileSystem(path: path)
        }
    }
}

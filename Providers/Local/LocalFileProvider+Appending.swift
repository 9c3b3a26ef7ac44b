public import FileProviderCore
import Foundation

extension LocalFileProvider: FileProviderAppending {
    /// Adds bytes to a regular file, through symbolic links that stay below the root, and waits for the disk.
    ///
    /// Each piece of the source, of up to 1 MiB, is written at the end that the file has then: concurrent appends don't
    /// overwrite each other's bytes. Source: `O_APPEND`, open(2).
    ///
    /// - Throws: As ``/FileProviderCore/FileProviderAppending/append(path:from:createsFile:)``.
    public func append(path: ProviderPath, from source: any WriteSource, createsFile: Bool) async throws -> FileObject {
        let context = context(path, writing: true)
        if path.isRoot { throw context.error(EISDIR) }
        let append = try await BlockingThreads.shared.run { [self] _ in
            try LocalAppend(path: path, createsFile: createsFile, resolver: resolver, context: context)
        }
        try await append.pour(source)
        return try await BlockingThreads.shared.run { try append.finish() }
    }
}

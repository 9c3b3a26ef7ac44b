public import FileProviderCore
import Foundation

extension LocalFileProvider: FileProviderSymbolicLink {
    /// Creates a link with symlink(2). A target outside the root can be stored; this provider does not follow it.
    ///
    /// - Throws: `CocoaError(.fileWriteFileExists)` if there is an item at `path`; `CocoaError(.fileNoSuchFile)`
    ///   without its parent; `CocoaError(.fileWriteInvalidFileName)` for a target that is empty, longer than 4,095
    ///   bytes, or has a NUL in it.
    public func createSymbolicLink(path: ProviderPath, target: [UInt8]) async throws {
        let context = context(path, writing: true)
        if path.isRoot { throw context.error(EEXIST) }
        guard !target.isEmpty, target.count < PATH_MAX, !target.contains(0) else {
            throw FileError.make(
                .fileWriteInvalidFileName, path: path, url: context.url,
                sentence: "The target of a symbolic link must have 1 to \(PATH_MAX - 1) bytes, none of them NUL.")
        }
        try await BlockingThreads.shared.run { [self] _ in
            let entry = try resolver.entry(of: path, context)
            try context.check(
                target.withName { target in entry.name.withName { symlinkat(target, entry.folder.raw, $0) } })
        }
    }

    /// Returns the item that the link leads to, under its path without links.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadNoPermission)` if it leads out of the root;
    ///   `CocoaError(.fileReadUnknown)` with `ELOOP` or, if `path` is no link, `EINVAL` below it.
    public func destinationOfSymbolicLink(path: ProviderPath) async throws -> FileObject {
        let context = context(path, writing: false)
        return try await BlockingThreads.shared.run { [self] _ in
            guard !path.isRoot, let status = try resolver.entry(of: path, context).status(context) else {
                throw context.error(path.isRoot ? EINVAL : ENOENT)
            }
            guard status.type == .symbolicLink else { throw context.error(EINVAL) }
            let item = try resolver.item(at: path, context)
            return item.status.object(at: try realPath(of: item.handle, context: context))
        }
    }

    /// Returns the path of an open item, counted from the root. Source: proc(5), `/proc/self/fd`.
    private func realPath(of item: FileDescriptor, context: LocalContext) throws -> ProviderPath {
        let (root, whole) = (
            try machinePath(of: resolver.root, context: context), try machinePath(of: item, context: context)
        )
        guard let path = whole.relative(to: root) else { throw context.error(ENOENT) }
        return path
    }

    /// Returns the path of an open item on this machine.
    func machinePath(of file: FileDescriptor, context: LocalContext) throws -> ProviderPath {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/fd/\(file.raw)", &buffer, buffer.count)
        guard count >= 0 else { throw context.error() }
        return try ProviderPath(bytes: buffer.prefix(count).map(UInt8.init(bitPattern:)))
    }
}

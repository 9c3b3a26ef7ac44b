/// The number of files, folders and bytes below a folder.
public struct TreeSize: Sendable, Hashable {
    /// The sizes of all files together, as the storage lists them, in bytes. A file without a known size counts as 0.
    public var bytes: Int64 = 0
    /// Items that are not folders; symbolic links are not followed and have no bytes.
    public var files = 0
    /// Folders, without the one that was counted.
    public var folders = 0

    /// Creates an empty count.
    public init() {}

    /// Adds one item.
    public mutating func add(_ item: FileObject) {
        if item.isDirectory {
            folders += 1
            return
        }
        files += 1
        guard item.isRegularFile, let size = item.size, size > 0 else { return }
        let (sum, isTooMuch) = bytes.addingReportingOverflow(size)
        bytes = isTooMuch ? .max : sum
    }
}

extension FileProviderBasic {
    /// Counts the items below the folder at `path`; of a file, the file itself.
    ///
    /// - Parameter unlisted: As in ``walk(path:unlisted:entering:visit:)``.
    /// - Throws: As ``walk(path:unlisted:entering:visit:)``.
    /// - Complexity: One listing for each folder, and one request more.
    public func treeSize(
        path: ProviderPath,
        unlisted: @escaping @Sendable (ProviderPath, any Error) throws -> Void = {
            if $1.unusableNames == nil { throw $1 }
        }
    ) async throws -> TreeSize {
        let size = LockedValue(TreeSize())
        let item = try await attributesOfItem(path: path)
        if item.isRegularFile {
            size.update { $0.add(item) }
        } else {
            try await walk(path: path, unlisted: unlisted) { item in size.update { $0.add(item) } }
        }
        return size.value
    }
}

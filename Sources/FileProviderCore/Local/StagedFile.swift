import CLinux
package import Foundation

/// A file of this machine on its way: written under a temporary name in its folder, then moved into place in one step.
///
/// Every call blocks on the disk; use it on ``BlockingThreads`` or on a transport's thread.
package final class StagedFile: Sendable {
    package let sink: FileSink
    package let file: FileDescriptor
    private let folder: FileDescriptor
    private let temporary: [UInt8]
    private let name: [UInt8]
    private let target: ProviderPath
    private let calls: KernelCalls
    private let isSettled = Locked(false)

    /// Starts a file called `target`'s name in `folder`.
    package init(
        in folder: FileDescriptor, target: ProviderPath, permissions: UInt32 = 0o666, calls: KernelCalls = .all
    ) throws {
        self.folder = folder
        self.target = target
        self.calls = calls
        name = Array(target.nameBytes)
        temporary = Array(try TemporaryName.make(beside: .root).nameBytes)
        let raw = temporary.withName { openat(folder.raw, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions) }
        guard raw >= 0 else { throw FileError.make(errno: errno, path: target, writing: true) }
        file = FileDescriptor(owning: raw)
        sink = FileSink(file, path: target)
    }

    deinit {
        discard()
    }

    /// Sees the bytes onto the disk and the file into place, and its name onto the disk with its folder.
    ///
    /// - Parameter overwrite: Whether a file or an empty folder of that name may go.
    /// - Throws: `CocoaError(.fileWriteFileExists)`, decided by the kernel in one step; of two writers at once one wins. An error of
    ///   the last step alone, the disk's, leaves the file in place.
    package func commit(overwrite: Bool, modificationDate: Date? = nil) throws {
        // The time comes last: with an old one the file looks like a part that was left, and much takes long to reach the disk.
        if modificationDate != nil, calls.contains(.fsync), isLarge, fdatasync(file.raw) != 0 { throw error() }
        if let modificationDate, file.setModified(modificationDate.fileTime) != 0 { throw error() }
        if calls.contains(.fsync), fsync(file.raw) != 0 { throw error() }
        let code = overwrite ? replace() : FreeName(from: (folder, temporary), to: (folder, name), calls: calls).take(isFolder: false)
        if code != 0 { throw error(code) }
        isSettled.update { $0 = true }
        if calls.contains(.fsync) { try folder.syncNames(path: target) }
    }

    /// Removes what was written; nothing after ``commit(overwrite:modificationDate:)``.
    package func discard() {
        if isSettled.value { return }
        isSettled.update { $0 = true }
        _ = temporary.withName { unlinkat(folder.raw, $0, 0) }
    }

    /// Whether a sweep might meet the file while it is brought onto the disk.
    private var isLarge: Bool {
        var status = stat()
        return fstat(file.raw, &status) == 0 && status.st_size > 16 << 20
    }

    private func error(_ code: Int32 = errno) -> CocoaError { FileError.make(errno: code, path: target, writing: true) }

    /// 0, or what errno says.
    private func replace() -> Int32 {
        temporary.withName { temporary in
            name.withName { name in
                if renameat(folder.raw, temporary, folder.raw, name) == 0 { return 0 }
                // A folder is in the way. An empty one may go; the kernel refuses the others.
                guard errno == EISDIR else { return errno }
                guard unlinkat(folder.raw, name, AT_REMOVEDIR) == 0, renameat(folder.raw, temporary, folder.raw, name) == 0 else {
                    return errno
                }
                return 0
            }
        }
    }
}

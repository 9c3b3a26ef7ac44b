import CLinux
package import Foundation

/// A file of this machine on its way: written under a temporary name in its folder, then moved into place in one step.
///
/// Every call blocks on the disk; use it on ``BlockingThreads`` or on a transport's thread.
package final class StagedFile: Sendable {
    package let sink: FileSink
    package let file: FileDescriptor
    private let folder: FileDescriptor
    private let temporary: ProviderPath
    private let name: [UInt8]
    private let target: ProviderPath
    private let isSettled = Locked(false)

    /// Starts a file called `target`'s name in `folder`.
    package init(in folder: FileDescriptor, target: ProviderPath, permissions: UInt32 = 0o666) throws {
        self.folder = folder
        self.target = target
        name = Array(target.nameBytes)
        temporary = try TemporaryName.make(beside: ProviderPath(bytes: name))
        let raw = openat(folder.raw, temporary.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, permissions)
        guard raw >= 0 else { throw FileError.make(errno: errno, path: target, writing: true) }
        file = FileDescriptor(owning: raw)
        sink = FileSink(file, path: target)
    }

    deinit {
        discard()
    }

    /// Sees the bytes onto the disk and the file into place.
    ///
    /// - Parameter overwrite: Whether a file or an empty folder of that name may go.
    /// - Throws: `CocoaError(.fileWriteFileExists)`, decided by the kernel in one step; of two writers at once one wins.
    package func commit(overwrite: Bool, modificationDate: Date? = nil) throws {
        if let modificationDate { try setModificationDate(modificationDate) }
        guard fsync(file.raw) == 0 else { throw FileError.make(errno: errno, path: target, writing: true) }
        try name.withName { name in
            if overwrite { try replace(name) } else { try takeFreeName(name) }
        }
        isSettled.update { $0 = true }
        // The new name reaches the disk with its folder; a storage that cannot sync folders has nothing to add.
        _ = fsync(folder.raw)
    }

    /// Removes what was written; nothing after ``commit(overwrite:modificationDate:)``.
    package func discard() {
        if isSettled.value { return }
        isSettled.update { $0 = true }
        unlinkat(folder.raw, temporary.name, 0)
    }

    private func setModificationDate(_ date: Date) throws {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        let nanoseconds = Int((date.timeIntervalSince1970 - seconds) * 1e9)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: nanoseconds)
        guard
            withUnsafePointer(
                to: [time, time], { pointer in pointer.pointee.withUnsafeBufferPointer { futimens(file.raw, $0.baseAddress) } })
                == 0
        else { throw FileError.make(errno: errno, path: target, writing: true) }
    }

    private func replace(_ name: UnsafePointer<CChar>) throws {
        if renameat(folder.raw, temporary.name, folder.raw, name) == 0 { return }
        // A folder is in the way. An empty one may go; the kernel refuses the others.
        guard errno == EISDIR else { throw FileError.make(errno: errno, path: target, writing: true) }
        guard unlinkat(folder.raw, name, AT_REMOVEDIR) == 0, renameat(folder.raw, temporary.name, folder.raw, name) == 0 else {
            throw FileError.make(errno: errno, path: target, writing: true)
        }
    }

    private func takeFreeName(_ name: UnsafePointer<CChar>) throws {
        if carrel_rename_noreplace(folder.raw, temporary.name, folder.raw, name) == 0 { return }
        // A file system without that call still refuses a second link to a name in one step.
        guard errno == EINVAL || errno == ENOSYS else { throw FileError.make(errno: errno, path: target, writing: true) }
        guard linkat(folder.raw, temporary.name, folder.raw, name, 0) == 0 else {
            throw FileError.make(errno: errno, path: target, writing: true)
        }
        unlinkat(folder.raw, temporary.name, 0)
    }
}

extension Collection<UInt8> {
    /// These bytes as a C string, for the length of `body`.
    package func withName<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value {
        var text = map { CChar(bitPattern: $0) }
        text.append(0)
        return try text.withUnsafeBufferPointer { buffer in
            // Never nil: the buffer holds at least the closing NUL.
            try body(buffer.baseAddress.unsafelyUnwrapped)
        }
    }
}

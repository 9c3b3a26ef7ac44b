import CLinux
package import Foundation

/// A local file being written: under a temporary name in its folder, then moved into place in one step.
///
/// Every call but ``publish(overwrite:_:)`` blocks on the disk; use it on ``BlockingThreads`` or on a transport's
/// thread.
package final class StagedFile: Sendable {
    package let sink: FileSink
    package let file: FileDescriptor
    private let folder: FileDescriptor
    private let temporary: [UInt8]
    private let name: [UInt8]
    private let target: ProviderPath
    private let calls: KernelCalls
    private let isSettled = LockedValue(false)
    /// Whether the written bytes are kept if there is no commit.
    private let isKept: Bool

    /// Creates a temporary file in `folder` for the name of `target`.
    ///
    /// - Parameter identity: Opens the part that an earlier file of this identity left, or creates one; the part stays
    ///   until it is committed (``WriteOptions/resumption``).
    package init(
        in folder: FileDescriptor, target: ProviderPath, permissions: UInt32 = 0o666, resuming identity: String? = nil,
        calls: KernelCalls = .all
    ) throws {
        self.folder = folder
        self.target = target
        self.calls = calls
        isKept = identity != nil
        name = Array(target.nameBytes)
        let named = try ProviderPath.root.appending(nameBytes: name)
        temporary = Array(try TemporaryName.make(beside: named, for: identity).nameBytes)
        let flags = isKept ? O_APPEND | O_NONBLOCK : O_EXCL
        let raw = temporary.withName {
            openat(folder.raw, $0, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags, permissions)
        }
        guard raw >= 0 else { throw FileError.make(errno: errno, path: target, writing: true) }
        file = FileDescriptor(owning: raw)
        sink = FileSink(file, path: target)
        if isKept { try claimPart() }
    }

    /// Creates a temporary file for the local path `target`, whose folder exists.
    package convenience init(at target: ProviderPath, permissions: UInt32 = 0o666) throws {
        let folder = try FileDescriptor(path: (target.parent ?? .root).string, flags: O_RDONLY | O_DIRECTORY)
        try self.init(in: folder, target: target, permissions: permissions)
    }

    /// The name of a part can be predicted, so the file has to belong to this user alone, and no other write may use it
    /// now.
    private func claimPart() throws {
        var status = stat()
        guard fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1
        else {
            isSettled.update { $0 = true }
            throw FileError.make(
                .fileWriteUnknown, path: target,
                sentence: "The part of “\(target)” that an earlier copy left is shared or another user's; remove it.")
        }
        guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
            isSettled.update { $0 = true }
            throw FileError.make(
                .fileWriteUnknown, path: target,
                sentence: "“\(target)” is being written by another copy. Wait until that has ended.")
        }
    }

    /// Continues behind the first `count` bytes of the part, and cuts off the rest.
    package func proceed(after count: Int64) throws {
        guard ftruncate(file.raw, off_t(count)) == 0 else { throw error() }
        sink.continues(after: count)
    }

    deinit {
        discard()
    }

    /// Syncs the bytes to the disk, moves the file into place, and syncs its name with the folder.
    ///
    /// - Parameter overwrite: Whether a file or an empty folder of that name may be replaced.
    /// - Throws: `CocoaError(.fileWriteFileExists)`, decided by the kernel in one step: of two concurrent writers, one
    ///   wins. If only the last step fails, with an error of the disk, the file stays in place.
    package func commit(overwrite: Bool, modificationDate: Date? = nil) throws {
        // The time is set last: with an old time the file looks like an abandoned part, and syncing many bytes takes
        // long.
        if modificationDate != nil, calls.contains(.fsync), isLarge, fdatasync(file.raw) != 0 { throw error() }
        if let modificationDate, file.setModified(modificationDate.fileTime) != 0 { throw error() }
        if calls.contains(.fsync), fsync(file.raw) != 0 { throw error() }
        let code =
            overwrite
            ? replace() : FreeName(from: (folder, temporary), to: (folder, name), calls: calls).take(isFolder: false)
        if code != 0 { throw error(code) }
        isSettled.update { $0 = true }
        if calls.contains(.fsync) { try folder.syncNames(path: target) }
    }

    /// Writes the bytes of `fill` and commits the file, from a task. Leaves nothing behind if either fails.
    ///
    /// - Throws: As ``commit(overwrite:modificationDate:)``, and an error of `fill`.
    package func publish(overwrite: Bool, _ fill: (FileSink) async throws -> Void) async throws {
        do {
            try await fill(sink)
            try await BlockingThreads.shared.run { try self.commit(overwrite: overwrite) }
        } catch {
            // `discard` throws nothing, so neither does `run`.
            try? await BlockingThreads.shared.run { self.discard() }
            throw error
        }
    }

    /// Removes the temporary file, unless it is kept for a later write; does nothing after
    /// ``commit(overwrite:modificationDate:)``.
    package func discard() {
        if isSettled.value { return }
        isSettled.update { $0 = true }
        if isKept { return }
        _ = temporary.withName { unlinkat(folder.raw, $0, 0) }
    }

    /// Whether a sweep might find the file while it is synced to the disk.
    private var isLarge: Bool {
        var status = stat()
        return fstat(file.raw, &status) == 0 && status.st_size > 16 << 20
    }

    private func error(_ code: Int32 = errno) -> CocoaError { FileError.make(errno: code, path: target, writing: true) }

    /// Returns 0, or errno.
    private func replace() -> Int32 {
        temporary.withName { temporary in
            name.withName { name in
                if renameat(folder.raw, temporary, folder.raw, name) == 0 { return 0 }
                // A folder is in the way. An empty one may be removed; the kernel refuses others.
                guard errno == EISDIR else { return errno }
                guard unlinkat(folder.raw, name, AT_REMOVEDIR) == 0,
                    renameat(folder.raw, temporary, folder.raw, name) == 0
                else {
                    return errno
                }
                return 0
            }
        }
    }
}

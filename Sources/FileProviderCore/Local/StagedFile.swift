import CLinux
package import Foundation

/// A file of this machine on its way: written under a temporary name in its folder, then moved into place in one step.
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
    /// Whether what was written stays when it does not come to a commit.
    private let isKept: Bool

    /// Starts a file called `target`'s name in `folder`.
    ///
    /// - Parameter identity: Opens the part that an earlier file of this identity left, or a new one; it stays until it
    ///   is committed (``WriteOptions/resumption``).
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

    /// Starts the file at `target` of this machine, whose folder is there.
    package convenience init(at target: ProviderPath, permissions: UInt32 = 0o666) throws {
        let folder = try FileDescriptor(path: (target.parent ?? .root).string, flags: O_RDONLY | O_DIRECTORY)
        try self.init(in: folder, target: target, permissions: permissions)
    }

    /// The name of a part can be foretold: what is there has to be a file of this user alone, and of no other write at
    /// this time.
    private func claimPart() throws {
        var status = stat()
        guard fstat(file.raw, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1
        else {
            isSettled.update { $0 = true }
            throw FileError.make(
                .fileWriteUnknown, path: target,
                sentence: "The part of “\(target)” that an earlier copy left is not a file of this user alone.")
        }
        guard flock(file.raw, LOCK_EX | LOCK_NB) == 0 else {
            isSettled.update { $0 = true }
            throw FileError.make(
                .fileWriteUnknown, path: target, sentence: "“\(target)” is being written by another copy.")
        }
    }

    /// Goes on behind the first `count` bytes of the part; what follows them is cut off.
    package func proceed(after count: Int64) throws {
        guard ftruncate(file.raw, off_t(count)) == 0 else { throw error() }
        sink.continues(after: count)
    }

    deinit {
        discard()
    }

    /// Sees the bytes onto the disk and the file into place, and its name onto the disk with its folder.
    ///
    /// - Parameter overwrite: Whether a file or an empty folder of that name may go.
    /// - Throws: `CocoaError(.fileWriteFileExists)`, decided by the kernel in one step; of two writers at once one
    ///   wins. An error of the last step alone, the disk's, leaves the file in place.
    package func commit(overwrite: Bool, modificationDate: Date? = nil) throws {
        // The time comes last: with an old one the file looks like a part that was left, and much takes long to reach
        // the disk.
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

    /// Writes what `fill` gives and sees the file into place; on a task. Where either fails, nothing is left.
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

    /// Removes what was written, unless it is kept for a later write; nothing after
    /// ``commit(overwrite:modificationDate:)``.
    package func discard() {
        if isSettled.value { return }
        isSettled.update { $0 = true }
        if isKept { return }
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

import CLinux
import Foundation

/// Moves an item to a name that is still free: of two concurrent moves, exactly one succeeds. Source: rename(2),
/// link(2).
package struct FreeName {
    /// A name in an open folder.
    package typealias Entry = (folder: FileDescriptor, name: [UInt8])

    let from: Entry
    let to: Entry
    let calls: KernelCalls

    package init(from: Entry, to: Entry, calls: KernelCalls) {
        self.from = from
        self.to = to
        self.calls = calls
    }

    /// Moves the item, a symbolic link itself included.
    ///
    /// If the kernel cannot do that in one step, another call that refuses a taken name is used: a second link for
    /// files, mkdir(2) for folders, an empty file on storages without links. The last two show an empty item under the
    /// name for a moment.
    ///
    /// - Returns: 0, or errno; `EEXIST` if the name is taken.
    package func take(isFolder: Bool) -> Int32 {
        if calls.contains(.renameNoReplace) {
            let code = call { carrel_rename_noreplace(from.folder.raw, $0, to.folder.raw, $1) }
            // EINVAL may also mean that a folder would go into itself, which rename(2) then reports again.
            guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(code) else { return code }
        }
        if isFolder { return claimWithFolder() }
        let code = calls.contains(.hardLinks) ? claimWithLink() : ENOSYS
        return [EPERM, EMLINK, ENOSYS, EOPNOTSUPP].contains(code) ? claimWithFile() : code
    }

    private func claimWithLink() -> Int32 {
        let code = call { linkat(from.folder.raw, $0, to.folder.raw, $1, 0) }
        guard code == 0 else { return code }
        let removal = from.name.withName { unlinkat(from.folder.raw, $0, 0) == 0 ? 0 : errno }
        // An item that cannot be removed from its old place has not been moved.
        if removal != 0 { release(0) }
        return removal
    }

    private func claimWithFolder() -> Int32 {
        let code = to.name.withName { mkdirat(to.folder.raw, $0, 0o700) == 0 ? 0 : errno }
        return code == 0 ? moveOntoClaim(AT_REMOVEDIR) : code
    }

    private func claimWithFile() -> Int32 {
        let claim = to.name.withName {
            openat(to.folder.raw, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard claim >= 0 else { return errno }
        close(claim)
        return moveOntoClaim(0)
    }

    private func moveOntoClaim(_ removal: Int32) -> Int32 {
        let code = call { renameat(from.folder.raw, $0, to.folder.raw, $1) }
        if code != 0 { release(removal) }
        return code
    }

    private func release(_ flags: Int32) {
        _ = to.name.withName { unlinkat(to.folder.raw, $0, flags) }
    }

    private func call(_ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32) -> Int32 {
        from.name.withName { old in to.name.withName { body(old, $0) == 0 ? 0 : errno } }
    }
}

extension Collection<UInt8> {
    /// These bytes as a C string, for the length of `body`.
    @inlinable package func withName<Value>(_ body: (UnsafePointer<CChar>) throws -> Value) rethrows -> Value {
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { buffer in
            let (_, end) = UnsafeMutableRawBufferPointer(buffer).initializeMemory(as: UInt8.self, from: self)
            buffer.initializeElement(at: end.count, to: 0)
            // Never nil: the buffer holds at least the closing NUL.
            return try body(UnsafePointer(buffer.baseAddress.unsafelyUnwrapped))
        }
    }
}

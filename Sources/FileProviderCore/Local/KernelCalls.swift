/// System calls that some kernels, file systems or sandboxes lack. Carrel then falls back to other calls.
///
/// A call that is not in the set is never tried, so tests can take the fallback on a machine that has them all.
package struct KernelCalls: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// openat2(2), Linux 5.6; else a path is walked name by name.
    package static let openat2 = KernelCalls(rawValue: 1)
    /// renameat2(2) with RENAME_NOREPLACE, Linux 3.15; else ``FreeName`` claims the name.
    package static let renameNoReplace = KernelCalls(rawValue: 2)
    /// linkat(2), which FAT and some FUSE file systems refuse; else an empty file claims a name.
    package static let hardLinks = KernelCalls(rawValue: 4)
    /// ioctl_ficlone(2): btrfs, XFS, bcachefs; else bytes are copied.
    package static let clone = KernelCalls(rawValue: 8)
    /// copy_file_range(2), Linux 4.5; else bytes go through memory.
    package static let copyFileRange = KernelCalls(rawValue: 16)
    /// lseek(2) with SEEK_DATA and SEEK_HOLE; else holes are copied as the zeros that they read as.
    package static let dataAndHoles = KernelCalls(rawValue: 32)
    /// fsync(2) before and after a file is put into place; else the kernel writes when it sees fit.
    package static let fsync = KernelCalls(rawValue: 64)

    package static let all = KernelCalls(rawValue: 127)
}

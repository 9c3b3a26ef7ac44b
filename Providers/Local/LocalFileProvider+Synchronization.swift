import CLinux
public import FileProviderCore
import Foundation

extension LocalFileProvider: FileProviderSynchronization {
    /// The same folder; moves, and copies of whole folders, still wait for the disk.
    public var unsynchronized: any FileProvider { LocalFileProvider(self, without: .fsync) }

    /// Syncs the file system that holds the folder at `path`, and those mounted below it, to their disks. Source:
    /// syncfs(2).
    public func synchronize(path: ProviderPath) async throws {
        try await BlockingThreads.shared.run { [self] in
            let context = context(path, writing: true)
            let handle = try resolver.folder(at: path, context)
            let folder = FileDescriptor(owning: try context.check(openat(handle.raw, ".", LocalFlags.names)))
            try folder.syncFileSystem(path: path)
            for mounted in try mounted(below: folder, context: context) { try mounted.syncFileSystem(path: path) }
        }
    }

    /// Returns the folders below an open one at which other file systems are mounted, one for each file system.
    func mounted(below folder: FileDescriptor, context: LocalContext) throws -> [FileDescriptor] {
        guard let all = LocalMount.all(), let own = LocalMount(holding: folder, of: all) else { return [] }
        let top = try machinePath(of: folder, context: context)
        var (points, devices): (Set<ProviderPath>, Set<String>) = ([], [own.device])
        // Of two at one point, the later one hides the other.
        return all.reversed().filter { $0.point.isBelow(top) && points.insert($0.point).inserted }.compactMap { mount in
            // A mount point that cannot be opened is below another mount, or may not be read: nothing was read or
            // written by its name.
            guard !mount.isMountedOnAccess, !devices.contains(mount.device), let open = mount.open() else { return nil }
            devices.insert(mount.device)
            return open
        }
    }
}

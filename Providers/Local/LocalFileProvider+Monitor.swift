public import FileProviderCore

extension LocalFileProvider: FileProviderMonitor {
    /// Watches by inotify(7), folder by folder: each is watched before it is listed, so that no change in a growing
    /// tree is lost.
    ///
    /// Moves within the folder are reported as moves. Symbolic links are not followed. If the system has no more
    /// watches, the folder is polled instead, after a ``/FileProviderCore/FileEvent/Kind/rescan`` that says so. Writes
    /// through a memory map, writes to a file under another of its names (inotify(7), section Limitations), and changes
    /// by another machine on a network file system are not seen.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it if `path` is
    ///   no folder.
    /// - Complexity: One watch for each folder; five system calls for each folder and one for each item. Holds all
    ///   names.
    public func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        let monitor = LocalMonitor(of: self, path: path, options: options)
        try await monitor.start()
        return monitor
    }
}

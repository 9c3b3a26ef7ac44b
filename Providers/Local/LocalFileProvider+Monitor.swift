public import FileProviderCore

extension LocalFileProvider: FileProviderMonitor {
    /// Watches by inotify(7), folder by folder: each is watched before it is listed, so that a tree that grows
    /// meanwhile loses nothing.
    ///
    /// Moves within the folder are told as such. Symbolic links are not followed. Where the system has no more watches
    /// to give, the folder is polled instead, which a ``FileEvent/Kind/rescan`` tells. Not seen are writing through a
    /// memory map, and under any other of its names a file with several (inotify(7), section Limitations), and what
    /// another machine does on a network file system.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)`; `CocoaError(.fileReadUnknown)` with `ENOTDIR` below it when `path`
    ///   is no folder.
    /// - Complexity: One watch for each folder; five system calls for each folder and one for each item. Names are
    ///   held.
    public func watch(path: ProviderPath, options: WatchOptions) async throws -> any FileWatch {
        let monitor = LocalMonitor(of: self, path: path, options: options)
        try await monitor.start()
        return monitor
    }
}

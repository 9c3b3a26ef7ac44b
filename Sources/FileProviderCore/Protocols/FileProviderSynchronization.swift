/// Waiting for a storage's disk once for many changes, instead of after each of them.
///
/// A local disk is sent what was written half a minute later or so; until then a power failure takes it.
public protocol FileProviderSynchronization: FileProviderBasic {
    /// The same storage, whose published writes and copies of files may return before the disk has them.
    ///
    /// Others see whole files there, as ever; ``synchronize(path:)`` sees them onto the disk.
    var unsynchronized: any FileProvider { get }

    /// Returns once the disks have all changes made before the call, by anybody, in the file system that holds the
    /// folder at `path`, and in those that are mounted below it.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteUnknown)` or `CocoaError(.fileWriteOutOfSpace)`
    ///   when the disk failed.
    /// - Complexity: As much as is waiting for the disk. Source: syncfs(2).
    func synchronize(path: ProviderPath) async throws
}

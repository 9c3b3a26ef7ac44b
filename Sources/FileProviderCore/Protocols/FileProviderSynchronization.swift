/// Waiting for a storage's disk once for many changes, instead of after each of them.
///
/// The kernel writes to a local disk about half a minute later; until then a power failure loses the changes.
public protocol FileProviderSynchronization: FileProviderBasic {
    /// The same storage, whose published writes and copies may return before the disk has the files.
    ///
    /// Others still see only whole files there; ``synchronize(path:)`` waits until the disk has them.
    var unsynchronized: any FileProvider { get }

    /// Waits until the disks have all earlier changes, of any process, in the file system that holds the folder at
    /// `path`, and in those mounted below it.
    ///
    /// - Throws: `CocoaError(.fileNoSuchFile)`; `CocoaError(.fileWriteUnknown)` or `CocoaError(.fileWriteOutOfSpace)`
    ///   if the disk failed.
    /// - Complexity: Proportional to the data that the disk still has to write. Source: syncfs(2).
    func synchronize(path: ProviderPath) async throws
}

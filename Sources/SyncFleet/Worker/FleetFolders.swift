public import Sync

/// The way from a pair's row to its two folders: an app or a program connects to its storages here.
public protocol FleetFolders: Sendable {
    /// Returns one of a pair's two folders. Called for each run, for the source first.
    ///
    /// - Parameters:
    ///   - location: The URL in the pair's row.
    ///   - credential: The reference to the secret in the pair's row, or `nil`. The secret itself is in no row.
    /// - Throws: An error whose sentence becomes the pair's last error. It must not hold secrets.
    func folder(at location: String, credential: String?, of pair: FleetPair) async throws -> SyncFolder
}

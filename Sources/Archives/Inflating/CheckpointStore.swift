public import Foundation

/// Stores checkpoints between openings of an archive, from which its large deflated entries can be unpacked.
///
/// The stored data saves some seconds and some traffic, and correctness never depends on it: a store may forget at any
/// time, and its data is verified before use. A store doesn't report failures, because none is an error of reading.
/// Methods are called from any task.
public protocol CheckpointStore: Sendable {
    /// Returns the data saved for `key`; nil if there is none, or it is unavailable.
    func load(_ key: String) async -> Data?

    /// Saves `data`, up to 20 MiB, for `key`, replacing earlier data.
    ///
    /// - Parameter key: At most 128 letters, digits and hyphens, so that it can be a file name. It identifies the bytes
    ///   of one version of a file, independent of the file's path: a copy elsewhere has the same key unless its storage
    ///   has other version tags.
    func save(_ data: Data, for key: String) async

    /// Removes the data saved for `key`, which turned out to be damaged.
    func remove(_ key: String) async
}

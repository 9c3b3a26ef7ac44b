public import Foundation

/// Keeps, from one opening of an archive to the next, where its large deflated entries can be unpacked from.
///
/// What is kept is worth some seconds and some traffic, never correctness: a store may forget at any time, and what it
/// gives back is checked before it is used. None of its failures is an error of reading, so it does not report any.
/// Calls come from any task.
public protocol CheckpointStore: Sendable {
    /// What was saved for `key`; nil when there is nothing, or it cannot be had now.
    func load(_ key: String) async -> Data?

    /// Keeps `data`, up to 20 MiB, for `key` in place of what was there.
    ///
    /// - Parameter key: Letters, digits and hyphens, at most 128 of them, so that it can be a file's name. It says
    ///   which bytes of which version of which file are meant, and nothing of where the file lies: a copy elsewhere has
    ///   the same one unless its storage tells versions by other tags.
    func save(_ data: Data, for key: String) async

    /// Forgets what was saved for `key`: it turned out to be damaged.
    func remove(_ key: String) async
}

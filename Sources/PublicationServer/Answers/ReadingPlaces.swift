package import Foundation

/// Keeps the place of one reader in one publication, so that it is the same on all of the reader's devices.
package protocol ReadingPlaces: Sendable {
    /// The JSON of the locator that was kept last, as it was kept; nil if there is none.
    ///
    /// - Throws: Any error; the client gets 500 and a sentence without it.
    func place() async throws -> Data?

    /// Keeps the place instead of the one before. A store may drop a place that is older than the one it has.
    ///
    /// - Parameter locator: The JSON of a Readium locator, at most 16 KiB. Its member `modified` is the time of the
    ///   place; a store that changes the JSON has to keep that member.
    /// - Throws: Any error; the client gets 500 and a sentence without it.
    func keep(_ locator: Data) async throws
}

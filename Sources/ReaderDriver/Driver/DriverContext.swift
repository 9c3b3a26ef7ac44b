public import Foundation
public import Logging
import ReaderMessages

/// Reads the list of books that an application published.
public protocol LibrarySnapshotReader: Sendable {
    /// The books in the local file `file`, which comes from a peer and is not to be trusted.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a damaged one.
    func books(in file: URL) async throws -> [LibraryBook]
}

/// What a driver uses of the program that it runs in.
public struct DriverContext: Sendable {
    /// Reads lists of books; without one they cannot be listed.
    public var snapshotReader: (any LibrarySnapshotReader)?
    /// Where lists and books are kept for a moment.
    public var temporaryFolder: URL
    /// The clocks.
    public var time: any TimeSource
    /// Receives commands (debug) and failures (warning), and with ``DriverOptions/developmentMode`` what is sent and
    /// received (notice), without secrets; nil for no lines.
    public var logger: Logger?

    /// - Parameter temporaryFolder: Nil takes the system's.
    public init(
        snapshotReader: (any LibrarySnapshotReader)? = nil, temporaryFolder: URL? = nil,
        time: any TimeSource = SystemTime(),
        logger: Logger? = nil
    ) {
        self.snapshotReader = snapshotReader
        self.temporaryFolder = temporaryFolder ?? FileManager.default.temporaryDirectory
        self.time = time
        self.logger = logger
    }
}

public import Foundation
public import Logging
import ReaderMessages

/// Reads the list of books that an application published.
public protocol LibrarySnapshotReader: Sendable {
    /// Returns the books in the local file `file`, which comes from a peer and must not be trusted.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a damaged file.
    func books(in file: URL) async throws -> [LibraryBook]
}

/// The services that a driver uses from its host program.
public struct DriverContext: Sendable {
    /// Reads lists of books. Without a reader, books can't be listed.
    public var snapshotReader: (any LibrarySnapshotReader)?
    /// The folder for temporary lists and books.
    public var temporaryFolder: URL
    /// The clocks.
    public var time: any TimeSource
    /// Logs commands (debug) and failures (warning), and with ``DriverOptions/developmentMode`` everything sent and
    /// received (notice), without secrets; `nil` logs nothing.
    public var logger: Logger?

    /// - Parameter temporaryFolder: `nil` uses the system's folder.
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

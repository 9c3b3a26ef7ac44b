import FileProviderCore
import Foundation

/// Tells which kind of archive a file is.
package enum ArchiveOpener {
    /// The start of a file that kinds are told by.
    package static let headLength: Int64 = ZIPSalvage.headLength

    /// The archive in `reader`, which it takes over; nil when the file is none, or too damaged to be listed.
    ///
    /// What names in a ZIP archive mean that say no encoding is left open.
    ///
    /// - Throws: What is known to be an archive and cannot be opened; errors of the reader.
    /// - Complexity: What ``ZIPArchive/open(_:limits:salvaging:)`` costs; for what is no ZIP archive, its first 16 KiB
    ///   as well.
    package static func open(
        _ reader: CachedFileReader, limits: ArchiveLimits, checkpoints: (any CheckpointStore)?
    ) async throws -> (any Archive)? {
        do {
            let archive = try await ZIPArchive.open(reader, limits: limits, salvaging: true, checkpoints: checkpoints)
            // What lies last in another archive, as it is, ends as a ZIP archive with something in front of it.
            if archive.directory.prefixLength > 0, let outer = try await packed(reader, limits: limits) { return outer }
            return archive
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            return try await packed(reader, limits: limits)
        }
    }

    #if Formats
        private static func packed(_ reader: CachedFileReader, limits: ArchiveLimits) async throws -> (any Archive)? {
            guard PackedArchive.mayOpen(head: try await reader.read([0..<headLength])[0]) else { return nil }
            do {
                return try await PackedArchive.open(reader, limits: limits)
            } catch let error as CocoaError where error.code == .fileReadCorruptFile {
                return nil
            }
        }
    #else
        private static func packed(_ reader: CachedFileReader, limits: ArchiveLimits) async throws -> (any Archive)? {
            nil
        }
    #endif
}

import FileProviderCore
import Foundation

/// Recognises the kind of an archive and opens it.
package enum ArchiveOpener {
    /// How much of a file's start identifies its kind.
    package static let headLength: Int64 = ZIPSalvage.headLength

    /// Opens the archive in `reader` and takes ownership of the reader; nil if the file is not an archive, or too
    /// damaged to be listed.
    ///
    /// ZIP names that declare no encoding stay undecided.
    ///
    /// - Throws: The error of a recognised archive that cannot be opened; errors of the reader.
    /// - Complexity: As ``ZIPArchive/open(_:limits:salvaging:)``; for other files, their first 16 KiB in addition.
    package static func open(
        _ reader: CachedFileReader, limits: ArchiveLimits, checkpoints: (any CheckpointStore)?
    ) async throws -> (any Archive)? {
        do {
            let archive = try await ZIPArchive.open(reader, limits: limits, salvaging: true, checkpoints: checkpoints)
            // If the last entry of another archive is a stored ZIP file, the whole ends as a ZIP archive with data in
            // front.
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

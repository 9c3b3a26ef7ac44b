#if Formats
    import CArchive
    import FileProviderCore
    import Foundation

    /// Sorts libarchive's failures. Its numbers do not distinguish the cases, its messages do
    /// (archive_error_string(3)).
    enum PackedFailure {
        static func error(of handle: OpaquePointer, path: String) -> CocoaError {
            let words =
                archive_error_string(handle).map { String(cString: $0) } ?? "libarchive result \(archive_errno(handle))"
            let lowercased = words.lowercased()
            if lowercased.contains("crypt") || lowercased.contains("passphrase") {
                return FileError.make(
                    .fileReadNoPermission, path: path, sentence: "“\(path)” is encrypted with a password.")
            }
            if lowercased.contains("support") {
                return FileError.make(
                    .featureUnsupported, path: path,
                    sentence: "“\(path)” is packed in a way that is not supported (\(words)).")
            }
            return FileError.make(
                .fileReadCorruptFile, path: path, sentence: "“\(path)” is a damaged archive (\(words)).")
        }
    }
#endif

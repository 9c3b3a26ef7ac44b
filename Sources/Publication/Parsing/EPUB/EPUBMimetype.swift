import Archives
import FileProviderCore

/// The entry `mimetype`, which identifies an archive as an EPUB (EPUB 3.3, section 4.3.3).
enum EPUBMimetype {
    static let path = "mimetype"
    private static let length: Int64 = 20
    /// CRC-32 of `application/epub+zip`.
    private static let checksum: UInt32 = 0x2CAB_616F

    /// Reports what is wrong with the entry. Readers open such books all the same.
    ///
    /// - Complexity: Reads nothing: the archive's directory is enough.
    static func check(_ archive: any Archive, warnings: WarningLog) {
        guard let entry = archive.entry(at: path) else {
            warnings.warn(
                "missing-mimetype", severity: .minor,
                message: "The book has no “mimetype”; it was recognised as an EPUB by its name or content.")
            return
        }
        if entry.length != length || entry.checksum.map({ $0 != checksum }) == true {
            warnings.warn(
                "wrong-mimetype", severity: .minor,
                message:
                    "“mimetype” is not exactly “application/epub+zip”; the book was opened as an EPUB all the same.")
        }
        // A folder has no first file.
        guard entry.packedLength != nil, !(archive is FolderArchive) else { return }
        if entry.isCompressed {
            warnings.warn(
                "packed-mimetype", severity: .minor,
                message: "“mimetype” is compressed, which EPUB does not allow; it was accepted.")
        }
        if archive.entries.first?.path != path {
            warnings.warn(
                "misplaced-mimetype", severity: .minor,
                message: "“mimetype” is not the first file of the archive, as EPUB requires; it was accepted.")
        }
    }
}

extension Fetcher {
    /// The archive that this fetcher, or the first one below it, reads; nil if there is none.
    var archiveBelow: (any Archive)? {
        if let own = self as? ArchiveFetcher { return own.archive }
        for child in children {
            if let found = child.fetcher.archiveBelow { return found }
        }
        return nil
    }
}

public import FileProviderCore
public import Foundation

/// A book to be put on a device: its file, and what is known of it.
///
/// The file goes over as it is. Whoever wants calibre's metadata inside the EPUB writes it there before.
public struct UploadItem: Sendable {
    /// Where the bytes come from.
    public enum Contents: Sendable {
        /// A file on this machine's disk.
        case file(URL)
        /// A file on any storage; stays open, whoever opened it closes it.
        case reader(any FileReader)
    }

    /// Where the bytes come from.
    public var contents: Contents
    /// What the driver's library knows of the book. The application takes title and authors of a new book from the
    /// file; these tell which book on the device is the same.
    public var metadata: BookMetadata
    /// The extension of the file's name without the dot: `epub`.
    public var fileExtension: String
    /// The picture of the cover. An application gets it to update a book (``ExistingBookPolicy/update``), where nil
    /// leaves the cover on the device as it is. A plain folder keeps it for a new book whose file has none in itself.
    public var cover: Data?

    /// A book in a file on this machine's disk, whose name says its format.
    public init(file: URL, metadata: BookMetadata, cover: Data? = nil) {
        self.contents = .file(file)
        self.metadata = metadata
        self.fileExtension = file.pathExtension.isEmpty ? "epub" : file.pathExtension.lowercased()
        self.cover = cover
    }

    /// A book on any storage.
    public init(reader: any FileReader, metadata: BookMetadata, fileExtension: String = "epub", cover: Data? = nil) {
        self.contents = .reader(reader)
        self.metadata = metadata
        self.fileExtension = fileExtension
        self.cover = cover
    }
}

/// What happens to a book that is on the device already.
public enum ExistingBookPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// It stays as it is; the new one is skipped, and the report says so.
    case protect
    /// Its file stays; what is known of it is replaced.
    case update
    /// Its file is replaced.
    case replace
}

/// Told how far something is, from 0 to 1 and never back; on any thread.
public typealias DriverProgress = @Sendable (Double) -> Void

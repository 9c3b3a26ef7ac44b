public import FileProviderCore
public import Foundation

/// A book to upload to a device: its file and its metadata.
///
/// The file is sent unchanged. To have calibre's metadata inside an EPUB, write it there before the upload.
public struct UploadItem: Sendable {
    /// The source of the bytes.
    public enum Contents: Sendable {
        /// A file on this machine's disk.
        case file(URL)
        /// A file on any storage. The caller, who opened the reader, also closes it.
        case reader(any FileReader)
    }

    /// The source of the bytes.
    public var contents: Contents
    /// The book's metadata in the driver's library. The application reads title and authors of a new book from the
    /// file; these values identify the same book on the device.
    public var metadata: BookMetadata
    /// The extension of the file's name without the dot, such as `epub`.
    public var fileExtension: String
    /// The cover image. It is sent to an application when a book is updated (``ExistingBookPolicy/update``); `nil`
    /// keeps the device's cover. A plain folder stores it for a new book whose file contains none.
    public var cover: Data?

    /// Creates an item from a file on this machine's disk, whose extension tells the format.
    public init(file: URL, metadata: BookMetadata, cover: Data? = nil) {
        self.contents = .file(file)
        self.metadata = metadata
        self.fileExtension = file.pathExtension.isEmpty ? "epub" : file.pathExtension.lowercased()
        self.cover = cover
    }

    /// Creates an item from a file on any storage.
    public init(reader: any FileReader, metadata: BookMetadata, fileExtension: String = "epub", cover: Data? = nil) {
        self.contents = .reader(reader)
        self.metadata = metadata
        self.fileExtension = fileExtension
        self.cover = cover
    }
}

/// The policy for a book that is already on the device.
public enum ExistingBookPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// The book stays unchanged; the new one is skipped, and the report says so.
    case protect
    /// The file stays; its metadata is replaced.
    case update
    /// The file is replaced.
    case replace
}

/// Called with a progress from 0 to 1 that never goes back; on any thread.
public typealias DriverProgress = @Sendable (Double) -> Void

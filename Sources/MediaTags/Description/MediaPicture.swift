public import Foundation

/// A picture in a sound file.
public struct MediaPicture: Sendable, Hashable {
    /// The location of the bytes.
    public enum Content: Sendable, Hashable {
        /// Offsets from the start of the sound file.
        case range(Range<Int64>)
        /// The bytes of a picture that the file stores in an encoded form; up to 4 MiB.
        case bytes(Data)
    }

    /// The largest picture that is decoded while tags are read, in bytes; 4 MiB.
    static let maxDecodedSize = 4 << 20

    /// The location of the bytes.
    public var content: Content
    /// The media type, by the first bytes if they were read, else as the file declares it; nil if it does not.
    public var mediaType: String?
    /// Whether the file marks it as its front cover.
    public var isFrontCover: Bool

    init(_ content: Content, mediaType: String?, isFrontCover: Bool) {
        self.content = content
        self.mediaType = mediaType
        self.isFrontCover = isFrontCover
    }

    var isEmpty: Bool {
        switch content {
        case .range(let range): range.isEmpty
        case .bytes(let data): data.isEmpty
        }
    }

    /// Returns the type that a picture's first bytes show.
    static func mediaType(of start: some Collection<UInt8>) -> String? {
        if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        if start.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
        if start.starts(with: "GIF8".utf8) { return "image/gif" }
        if start.starts(with: "RIFF".utf8), start.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
        return start.starts(with: "BM".utf8) ? "image/bmp" : nil
    }

    /// Returns the type that a tag writes in one of many ways; nil if it is not a picture.
    static func mediaType(named name: String) -> String? {
        switch name.lowercased() {
        case "jpg", "jpeg", "image/jpg", "image/jpeg", "image/pjpeg": "image/jpeg"
        case "png", "image/png": "image/png"
        case let name where name.hasPrefix("image/") && name.count > 6: name
        default: nil
        }
    }
}

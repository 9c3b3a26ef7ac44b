package import Foundation

/// A picture that may be a cover, recognized by its first bytes and not decoded.
package struct CoverPicture: Sendable {
    package let data: Data
    package let fileExtension: String

    /// Returns `nil` for data that is neither JPEG, PNG, GIF nor WebP.
    package init?(_ data: Data) {
        let start = Array(data.prefix(12))
        if start.starts(with: [0xFF, 0xD8, 0xFF]) {
            fileExtension = "jpg"
        } else if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            fileExtension = "png"
        } else if start.starts(with: Array("GIF87a".utf8)) || start.starts(with: Array("GIF89a".utf8)) {
            fileExtension = "gif"
        } else if start.starts(with: Array("RIFF".utf8)), start.dropFirst(8).elementsEqual(Array("WEBP".utf8)) {
            fileExtension = "webp"
        } else {
            return nil
        }
        self.data = data
    }
}

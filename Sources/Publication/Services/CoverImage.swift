package import Foundation
import MediaTypes

/// Checks whether the file that a book calls its cover is an image.
package enum CoverImage {
    /// How many bytes of the start of a file are needed to decide.
    package static let start = 1 << 10

    /// The media type of the image that begins with `head`.
    /// - Parameter claimed: The media type that the book declares. It is believed for images of unknown kinds.
    /// - Returns: Nil if the bytes are not an image.
    package static func mediaType(of head: Data, claimed: String?) -> String? {
        if let type = Signatures.image(head) { return type.string }
        let claim = (claimed ?? "").lowercased()
        // SVG begins as any XML does (SVG 2, section 5.1), perhaps with a byte order mark.
        let text = head.drop { [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00, 0x09, 0x0A, 0x0D, 0x20].contains($0) }
        if text.first == UInt8(ascii: "<") { return claim.hasPrefix("image/svg") ? MediaType.svg.string : nil }
        return !text.isEmpty && claim.hasPrefix("image/") && !detectable.contains(claim) ? claim : nil
    }

    /// Kinds that the first bytes always show.
    private static let detectable: Set<String> = [
        "image/jpeg", "image/jpg", "image/png", "image/gif", "image/webp", "image/tiff", "image/svg+xml",
    ]
}

package import Foundation
import MediaTypes

/// Tells whether what a book calls its cover is an image.
package enum CoverImage {
    /// Bytes of the start of a file that are enough to tell.
    package static let start = 1 << 10

    /// The media type of the image that begins with `head`.
    ///
    /// - Parameter claimed: The media type that the book gives it. Images of kinds that are not known here are believed
    ///   by it.
    /// - Returns: Nil for what is no image.
    package static func mediaType(of head: Data, claimed: String?) -> String? {
        if let type = Signatures.image(head) { return type.string }
        let claim = (claimed ?? "").lowercased()
        // SVG begins as any XML does (SVG 2, section 5.1), perhaps with a byte order mark.
        let text = head.drop { [0xEF, 0xBB, 0xBF, 0xFE, 0xFF, 0x00, 0x09, 0x0A, 0x0D, 0x20].contains($0) }
        if text.first == UInt8(ascii: "<") { return claim.hasPrefix("image/svg") ? MediaType.svg.string : nil }
        return !text.isEmpty && claim.hasPrefix("image/") && !detectable.contains(claim) ? claim : nil
    }

    /// Kinds that are always told by their first bytes.
    private static let detectable: Set<String> = [
        "image/jpeg", "image/jpg", "image/png", "image/gif", "image/webp", "image/tiff", "image/svg+xml",
    ]
}

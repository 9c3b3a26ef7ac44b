import FileProviderCore
import Foundation
public import Publication

extension Publication {
    /// Returns the cover image, unchanged. For a PDF document, returns its first page, drawn by Poppler as a JPEG
    /// picture.
    ///
    /// - Parameters:
    ///   - dimension: Pixels of the longer side of a drawn page, 1–4096. An image of the book keeps its size.
    ///   - limit: The most bytes of an image; at most 256 MiB.
    /// - Returns: Nil for a book that has no cover.
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a cover that is not an image; `.fileReadTooLarge` over `limit`;
    ///   `.fileReadNoPermission` for a locked book; `.featureUnsupported` if a page must be drawn and Poppler, or the
    ///   package trait `Formats`, is missing; the storage's errors.
    /// - Complexity: Reads the image or, of a PDF document, the objects of its first page, usually in up to eight
    ///   requests.
    public func cover(dimension: Int = 1600, limit: Int = 64 << 20) async throws -> Cover? {
        if let image = try await coverImage(limit: limit) { return image }
        guard conforms(to: .pdf), let link = readingOrder.first, readingOrder.count == 1 else { return nil }
        if let protection, protection.isLocked {
            throw FileError.make(
                .fileReadNoPermission, path: link.href, sentence: protection.reason ?? "The document is locked.")
        }
        let name = link.href.removingPercentEncoding ?? link.href
        let resource = get(link)
        let page: Thumbnail
        do {
            let size = ThumbnailRequest(dimension: dimension).dimension
            page = try await PDFTools().picture(ofPage: 1, of: resource, path: ProviderPath(name), size)
        } catch {
            await resource.close()
            throw error
        }
        await resource.close()
        return Cover(data: page.data, mediaType: page.mediaType)
    }

    /// The cover made small enough that its longer side has at most `dimension` pixels; it never grows. A page of a PDF
    /// document is drawn in that size.
    ///
    /// - Returns: Nil for a book that has no cover.
    /// - Throws: As ``cover(dimension:limit:)``; `CocoaError(.featureUnsupported)` for a picture that cannot be scaled
    ///   here, such as an SVG drawing.
    /// - Complexity: As ``cover(dimension:limit:)``.
    public func cover(fitting dimension: Int) async throws -> Thumbnail? {
        guard let cover = try await cover(dimension: dimension) else { return nil }
        return try await Thumbnail.scaleDown(image: cover.data, toSize: dimension)
    }
}

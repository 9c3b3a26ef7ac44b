public import FileProviderCore
public import Foundation
public import Publication

/// For generators, and for apps that have a picture already.
extension Thumbnail {
    /// An encoded picture (JPEG, PNG, WebP) with its longer side at most `dimension` pixels, turned as its EXIF data
    /// say. It never grows.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)`, `.fileReadTooLarge`; `.featureUnsupported` for another format, and
    ///   without the package trait `Formats`.
    public static func scaleDown(image: Data, toSize dimension: Int) async throws -> Thumbnail {
        let reader = DataReader(image, path: try ProviderPath("image"))
        let images = FileInformationGenerator.images
        guard let thumbnail = images.thumbnail else {
            throw FileError.make(
                .featureUnsupported, path: reader.path, sentence: images.obstacle, underlying: images.missingTrait)
        }
        return try await thumbnail(reader, ThumbnailRequest(dimension: dimension))
    }

    /// A page of a PDF file, counted from 1, with its longer side `dimension` pixels long.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` for a page that is not there; `.fileReadCorruptFile`,
    ///   `.fileReadTooLarge`; `.featureUnsupported` where Poppler's `pdftoppm` is not installed.
    /// - Complexity: What the page consists of: of an undamaged file of any size usually up to eight requests. Without
    ///   the package trait `Formats`, the whole file is copied to a temporary one.
    public static func convertToImage(pdf reader: any FileReader, page: Int = 1, dimension: Int = 1024) async throws
        -> Thumbnail
    {
        try await PDFTools().thumbnail(reader, ThumbnailRequest(dimension: dimension, page: page))
    }

    /// A page of the PDF document in `resource`, such as that of an open book, with its longer side `dimension` pixels
    /// long. The resource stays the caller's.
    ///
    /// - Parameter number: The page's number, counted from 1.
    /// - Throws: As ``convertToImage(pdf:page:dimension:)``; `CocoaError(.featureUnsupported)` without the package trait
    ///   `Formats`, too.
    /// - Complexity: What the page consists of: of an undamaged file of any size usually up to eight requests.
    public static func convertToImage(pdfPage number: Int, of resource: any Resource, dimension: Int = 1024)
        async throws -> Thumbnail
    {
        let name = resource.link.href.removingPercentEncoding ?? resource.link.href
        return try await PDFTools().picture(
            ofPage: number, of: resource, path: ProviderPath(name), ThumbnailRequest(dimension: dimension).dimension)
    }
}

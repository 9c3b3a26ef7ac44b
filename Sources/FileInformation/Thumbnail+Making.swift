public import FileProviderCore
public import Foundation
public import Publication

/// For generators, and for apps that already have a picture.
extension Thumbnail {
    /// Scales an encoded picture (JPEG, PNG, WebP) down so that its longer side has at most `dimension` pixels, and
    /// orients it by its EXIF data. Never enlarges.
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

    /// Draws a page of a PDF file, counted from 1, with its longer side `dimension` pixels long.
    ///
    /// - Throws: `CocoaError(.fileReadNoSuchFile)` if there is no such page; `.fileReadCorruptFile`,
    ///   `.fileReadTooLarge`; `.featureUnsupported` if Poppler's `pdftoppm` is not installed.
    /// - Complexity: Reads the objects of the page: of an undamaged file of any size usually up to eight requests.
    ///   Without the package trait `Formats`, the whole file is copied to a temporary one.
    public static func convertToImage(pdf reader: any FileReader, page: Int = 1, dimension: Int = 1024) async throws
        -> Thumbnail
    {
        try await PDFTools().thumbnail(reader, ThumbnailRequest(dimension: dimension, page: page))
    }

    /// Draws a page of the PDF document in `resource`, such as that of an open book, with its longer side `dimension`
    /// pixels long. The resource is not closed.
    ///
    /// - Parameter number: The page's number, counted from 1.
    /// - Throws: As ``convertToImage(pdf:page:dimension:)``; `CocoaError(.featureUnsupported)` without the package trait
    ///   `Formats`, too.
    /// - Complexity: Reads the objects of the page: of an undamaged file of any size usually up to eight requests.
    public static func convertToImage(pdfPage number: Int, of resource: any Resource, dimension: Int = 1024)
        async throws -> Thumbnail
    {
        let name = resource.link.href.removingPercentEncoding ?? resource.link.href
        return try await PDFTools().picture(
            ofPage: number, of: resource, path: ProviderPath(name), ThumbnailRequest(dimension: dimension).dimension)
    }
}

/// For servers of pictures.
extension Thumbnail {
    /// Returns the format and the size in pixels of an encoded picture: JPEG, PNG, WebP or GIF. The size is that before
    /// applying the orientation. Needs no library.
    ///
    /// - Throws: `CocoaError(.featureUnsupported)` for another format; `CocoaError(.fileReadCorruptFile)`.
    package static func header(of image: Data) async throws -> (mediaType: String, width: Int, height: Int) {
        let header = try await ImageHeader(DataReader(image, path: try ProviderPath("image")))
        return (header.format.rawValue, header.width, header.height)
    }
}

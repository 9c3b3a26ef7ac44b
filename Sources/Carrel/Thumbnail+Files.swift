import FileInformation
public import FileProviderCore
public import Foundation

extension Thumbnail {
    /// A page of the PDF file of this machine at `pdfURL`, counted from 1, with its longer side `dimension` pixels long.
    ///
    /// - Throws: As ``/FileProviderCore/Thumbnail/convertToImage(pdf:page:dimension:)``; `URLError(.unsupportedURL)` for
    ///   a URL of anything but a file of this machine.
    public static func convertToImage(pdfURL: URL, page: Int = 1, dimension: Int = 1024) async throws -> Thumbnail {
        guard pdfURL.isFileURL else {
            throw FileError.make(
                .unsupportedURL, url: pdfURL, sentence: "“\(pdfURL.withoutSecrets)” is no file of this machine.")
        }
        let file = try LocalFile.location(pdfURL.path)
        return try await file.provider.withReader(path: file.path) {
            try await convertToImage(pdf: $0, page: page, dimension: dimension)
        }
    }
}

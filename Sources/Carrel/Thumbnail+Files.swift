import FileInformation
public import FileProviderCore
public import Foundation

extension Thumbnail {
    /// Renders a page of the local PDF file at `pdfURL`, counted from 1, with `dimension` pixels on its longer side.
    ///
    /// - Throws: As `convertToImage(pdf:page:dimension:)` of the module `FileInformation`; `URLError(.unsupportedURL)`
    ///   if `pdfURL` is not a local file's.
    public static func convertToImage(pdfURL: URL, page: Int = 1, dimension: Int = 1024) async throws -> Thumbnail {
        guard pdfURL.isFileURL else {
            throw FileError.make(
                .unsupportedURL, url: pdfURL, sentence: "“\(pdfURL.withoutSecrets)” is not a file on this machine.")
        }
        let file = try LocalFile.location(pdfURL.path)
        return try await file.provider.withReader(path: file.path) {
            try await convertToImage(pdf: $0, page: page, dimension: dimension)
        }
    }
}

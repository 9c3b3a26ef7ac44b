import Archives
import FileProviderCore
import Foundation
import MediaTypes

/// The PDF document of a package such as those that LCP protects, whose manifests usually have no more than a title.
struct PackagedPDF {
    private let fetcher: any Fetcher
    private let warnings: WarningLog

    init(_ fetcher: any Fetcher, warnings: WarningLog) {
        self.fetcher = fetcher
        self.warnings = warnings
    }

    /// Adds the number of pages, on which positions and the text by pages depend, and the table of contents to the
    /// manifest of a package with one PDF document, if it lacks the number.
    ///
    /// A document that is locked or cannot be read leaves the manifest as it is, the latter with a warning.
    ///
    /// - Throws: Errors of the storage.
    func complete(_ manifest: inout Manifest) async throws {
        guard manifest.metadata.numberOfPages == nil, manifest.readingOrder.count == 1,
            let link = manifest.readingOrder.first, !link.isRemote, MediaType.pdf.contains(link.mediaType)
        else { return }
        let resource = fetcher.get(link)
        do {
            let document = try await PDFDocument.open(resource)
            manifest.metadata.numberOfPages = document.pageCount > 0 ? document.pageCount : nil
            if manifest.tableOfContents.isEmpty {
                manifest.tableOfContents = PDFParser.contents(document.outline, href: link.href, warnings)
            }
        } catch let error as CocoaError where error.code == .fileReadNoPermission && error.underlying == nil {
            // The publication's protection says why.
        } catch let error as CocoaError where ContentErrors.isOne(error) || error.isNoSuchFile {
            warnings.warn(
                "unread-pdf", severity: .moderate,
                message: "“\(link.href)” cannot be read as PDF; it was opened without pages and contents.")
        }
        await resource.close()
    }
}

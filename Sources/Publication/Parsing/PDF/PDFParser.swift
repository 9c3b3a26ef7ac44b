import Archives
import FileProviderCore
import Foundation
import MediaTypes

/// Makes a manifest from a PDF file, which is its only resource (Readium's PDF profile).
///
/// The table of contents links to pages as `name.pdf#page=1`, counted from 1; to named actions of readers, such as
/// going to the next page, as `name.pdf#action=NextPage`; and to web addresses. A document with a password opens
/// locked, with its file name as title. In a build without the package trait `Formats`, every document opens this way
/// but unlocked, with a warning.
public struct PDFParser: PublicationParser {
    /// The profile that the manifests conform to.
    public static let profile = "https://readium.org/webpub-manifest/profiles/pdf"

    /// A parser. It keeps no state, so one may read any number of publications, also at once.
    public init() {}

    /// Returns the PDF in `asset`; nil if it is another file, an archive or a folder.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` for a file that is not PDF or cannot be repaired;
    ///   `.fileReadTooLarge` over the limits of ``PDFDocument``; the storage's errors.
    /// - Complexity: As ``PDFDocument/open(_:)``.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        guard asset.form == .file, let type = asset.mediaType, MediaType.pdf.contains(type) else { return nil }
        // The link of a single file. The fetcher's links are not requested, because that would cost another request.
        var link = Link(href: HREF.encode(asset.path.isRoot ? "file" : asset.path.name), mediaType: .pdf)
        let resource = asset.fetcher.get(link)
        var builder = PublicationBuilder(manifest: Manifest(metadata: Metadata(title: "")), fetcher: asset.fetcher)
        builder.manifest.metadata.title = LocalizedString(asset.nameWithoutExtension)
        builder.manifest.metadata.conformsTo = [Self.profile]
        builder.manifest.metadata.layout = .fixed
        do {
            let document = try await PDFDocument.open(resource)
            for warning in document.warnings {
                warnings.warn(warning.tag, severity: warning.severity, message: warning.message)
            }
            link.width = document.firstPage.map { Self.pixels($0.width) }
            link.height = document.firstPage.map { Self.pixels($0.height) }
            Self.describe(document, in: &builder.manifest.metadata)
            builder.manifest.tableOfContents = Self.contents(document.outline, href: link.href, warnings)
        } catch let error as CocoaError where error.code == .featureUnsupported && !PDFDocument.isSupported {
            let sentence =
                "This build cannot read PDF files (package trait Formats); the document was opened without pages and contents."
            warnings.warn("unread-pdf", severity: .moderate, message: sentence)
        } catch let error as CocoaError where error.code == .fileReadNoPermission && error.underlying == nil {
            // The document's own error; one of the storage has a cause.
            builder.protection = .locked(.other("PDF"), reason: error.sentence)
        }
        link.size = try await resource.length()
        builder.manifest.readingOrder = [link]
        return builder
    }

    /// Converts points to whole pixels, 1 or more.
    private static func pixels(_ points: Double) -> Int { Int(max(1, min(points.rounded(), 1e9))) }

    private static func describe(_ document: PDFDocument, in metadata: inout Metadata) {
        let details = document.details
        if let title = details.title { metadata.title = title }
        metadata.authors = details.authors.map { Contributor(name: LocalizedString($0)) }
        metadata.publishers = details.publishers.map { Contributor(name: LocalizedString($0)) }
        metadata.description = details.description
        metadata.subjects = details.keywords.map { Subject(name: LocalizedString($0)) }
        metadata.languages = details.languages
        metadata.identifier = details.identifier
        metadata.published = details.created
        metadata.modified = details.modified
        metadata.numberOfPages = document.pageCount > 0 ? document.pageCount : nil
        metadata.readingProgression = details.isRightToLeft ? .rtl : nil
    }

    /// Links to pages, to web addresses and to named actions. An item that leads to none of these leads where its first
    /// descendant does, or is left out.
    static func contents(_ items: [PDFDocument.OutlineItem], href: String, _ warnings: WarningLog) -> [Link] {
        items.compactMap { item in
            let children = contents(item.children, href: href, warnings)
            let action = item.action.map { "\(href)#action=\(HREF.encoded($0, .name))" }
            let target = item.page.map { "\(href)#page=\($0 + 1)" } ?? item.address ?? action ?? children.first?.href
            guard let target else {
                warnings.warn(
                    "outline-without-page", severity: .minor,
                    message: "Some items of the outline lead to no page of the document; they were left out.")
                return nil
            }
            let type = target.hasPrefix(href + "#") ? MediaType.pdf.string : nil
            return Link(href: target, type: type, title: item.title, children: children)
        }
    }
}

import Archives
import FileProviderCore
import Foundation

/// Makes a manifest from an EPUB 2 or 3 publication (EPUB 3.3; OPF 2.0.1), wherever its files come from.
///
/// Addresses in the manifest are percent-encoded and relative to the root of the container; an item whose address would
/// leave it is left out. Books are forgiven what can be understood, with a warning for each thing; only one without a
/// package document or a spine is refused.
///
/// Obfuscated fonts are made readable by a ``FontDeobfuscator``. A chapter with a media overlay has it among its
/// alternates, as SMIL and as guided navigation. Of a book in several renditions one is opened; the package documents
/// of the others are ``Manifest/links`` with the relation `alternate` and with what the container says of them.
public struct EPUBParser: PublicationParser {
    /// Picks the rendition to open from those that a book has, in their order; nil for the default one.
    public typealias RenditionChoice = @Sendable (_ renditions: [EPUBRendition]) -> EPUBRendition?

    private let choice: RenditionChoice

    /// A parser; it holds nothing of a book, so one may read any number of publications, also at once.
    ///
    /// - Parameter rendition: Called for books in several renditions. Unless given, the first is taken, which its
    ///   authors meant to be the default one (EPUB 3.3, section 4.2.6.3.1): a library that knows its device or its
    ///   reader's language may know better.
    public init(rendition: @escaping RenditionChoice = { $0.first }) {
        choice = rendition
    }

    /// The EPUB in `asset`; nil where its media type is another. A book without a title is called by its file's name.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        guard asset.mediaType == .epub else { return nil }
        var book = try await EPUBReader(asset.fetcher, warnings: warnings, choice: choice).book()
        if book.manifest.metadata.title.string.isEmpty {
            book.manifest.metadata.title = LocalizedString(asset.nameWithoutExtension)
            warnings.warn(
                "missing-title", severity: .moderate, message: "The book has no title; the name of its file stands in.")
        }
        var builder = PublicationBuilder(
            manifest: book.manifest,
            fetcher: book.fetcher(local: asset.fetcher, remote: asset.remote, warnings: warnings))
        builder.cover = book.coverSearch
        builder.services = book.services
        return builder
    }

    /// Reads the package of the publication in `fetcher`, which stays the caller's.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when there is no package document, or one that is damaged or has
    ///   nothing to read; `.fileReadTooLarge` over the limits of ``XMLLimits``; `.fileReadNoPermission` when it is
    ///   encrypted; the fetcher's errors, except that of a missing file.
    /// - Complexity: Reads the container, the package, the table of contents and what META-INF says of encryption. A
    ///   fetcher that can bring them closer is asked to do so first, all at once.
    public func parse(fetcher: any Fetcher, warnings: WarningLog = WarningLog()) async throws -> Manifest {
        try await EPUBReader(fetcher, warnings: warnings, choice: choice).book().manifest
    }

    /// The publication in `fetcher`, which it takes over, with its resources as they are and with the search for a
    /// cover that it does not declare.
    ///
    /// - Throws: As ``parse(fetcher:warnings:)``.
    package func open(_ fetcher: any Fetcher, warnings: WarningLog = WarningLog()) async throws -> Publication {
        let book = try await EPUBReader(fetcher, warnings: warnings, choice: choice).book()
        return Publication(
            manifest: book.manifest, fetcher: fetcher, mediaType: .epub, warnings: warnings.all,
            cover: book.coverSearch,
            services: book.services)
    }
}

import Archives
import FileProviderCore
import Foundation

/// Makes a manifest from an EPUB 2 or 3 publication (EPUB 3.3; OPF 2.0.1) on any fetcher.
///
/// Addresses in the manifest are percent-encoded and relative to the root of the container; an item whose address would
/// leave the container is left out. Faults that can be worked around cause a warning each; only a book without a
/// package document or a spine is refused.
///
/// A ``FontDeobfuscator`` makes obfuscated fonts readable. A chapter with a media overlay has it among its alternates,
/// as SMIL and as guided navigation. If a book has several renditions, one is opened; ``Manifest/links`` lists the
/// package documents of the others with the relation `alternate` and the attributes that the container declares for
/// them.
public struct EPUBParser: PublicationParser {
    /// Picks the rendition to open from a book's renditions, which are in their order; nil for the default one.
    public typealias RenditionChoice = @Sendable (_ renditions: [EPUBRendition]) -> EPUBRendition?

    private let choice: RenditionChoice

    /// A parser. It keeps nothing of a book, so one may read any number of publications, also at once.
    ///
    /// - Parameter rendition: Called for books with several renditions. By default picks the first, which is the
    ///   authors' default (EPUB 3.3, section 4.2.6.3.1). A library that knows its device or its reader's language may
    ///   choose better.
    public init(rendition: @escaping RenditionChoice = { $0.first }) {
        choice = rendition
    }

    /// Returns the EPUB in `asset`; nil if its media type is another. A book without a title gets its file's name.
    public func parse(_ asset: PublicationAsset, warnings: WarningLog) async throws -> PublicationBuilder? {
        guard asset.mediaType == .epub else { return nil }
        var book = try await EPUBReader(asset.fetcher, warnings: warnings, choice: choice).book()
        if book.manifest.metadata.title.string.isEmpty {
            book.manifest.metadata.title = LocalizedString(asset.nameWithoutExtension)
            warnings.warn(
                "missing-title", severity: .moderate,
                message: "The book has no title; the name of its file is used instead.")
        }
        var builder = PublicationBuilder(
            manifest: book.manifest,
            fetcher: book.fetcher(local: asset.fetcher, remote: asset.remote, warnings: warnings))
        builder.cover = book.coverSearch
        builder.services = book.services
        return builder
    }

    /// Reads the package of the publication in `fetcher`, which is not closed.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` if there is no package document, or if it is damaged or contains
    ///   nothing to read; `.fileReadTooLarge` over the limits of ``/SafeXML/XMLLimits``; `.fileReadNoPermission` if it
    ///   is encrypted; the fetcher's errors, except that of a missing file.
    /// - Complexity: Reads the container, the package, the table of contents and META-INF's information on encryption.
    ///   If the fetcher can prefetch, requests all of these first, at once.
    public func parse(fetcher: any Fetcher, warnings: WarningLog = WarningLog()) async throws -> Manifest {
        try await EPUBReader(fetcher, warnings: warnings, choice: choice).book().manifest
    }

    /// Opens the publication in `fetcher` and takes ownership of it. The resources are not transformed; the publication
    /// searches for a cover that it does not declare.
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

import Archives
import FileProviderCore
import Foundation

/// One pass over an EPUB's documents, from the container to the table of contents.
struct EPUBReader {
    private let fetcher: any Fetcher
    private let warnings: WarningLog
    private let choice: EPUBParser.RenditionChoice

    init(_ fetcher: any Fetcher, warnings: WarningLog, choice: @escaping EPUBParser.RenditionChoice) {
        self.fetcher = fetcher
        self.warnings = warnings
        self.choice = choice
    }

    func book() async throws -> EPUBBook {
        var documents = EPUBDocuments(fetcher: fetcher, warnings: warnings)
        let listed = try await EPUBStructure.prefetch(from: fetcher)
        documents.inventory = listed.map { EPUBInventory($0, in: fetcher.archiveBelow) }
        if let archive = fetcher.archiveBelow { EPUBMimetype.check(archive, warnings: warnings) }

        let renditions = try await renditions(documents, listed: listed?.map(\.href))
        let rendition = renditions.count > 1 ? choice(renditions) ?? renditions[0] : renditions[0]
        let package = try await package(at: rendition.href, documents)
        let encryptions = try await encryptions(documents)
        var links = EPUBLinks(package, references: documents.references(in: rendition.href), encryptions: encryptions)
            .links()
        guard !links.readingOrder.isEmpty else {
            let sentence =
                "The spine of “\(rendition.href)” names no resource that the book contains, so there is nothing to read."
            throw CocoaError.unreadable(sentence)
        }
        let contents = try await EPUBContents(package, documents: documents)
        let landmarks = (contents.subcollections["landmarks"] ?? []).flatMap(\.links)
        let cover = EPUBCover(
            package, folder: HREFBase.folder(of: rendition.href), landmarks: landmarks, documents: documents)
        EPUBCover.mark(cover.declared, &links.readingOrder, &links.resources)
        let manifest = Manifest(
            metadata: try await metadata(package, documents), links: renditions.filter { $0 != rendition }.map(\.link),
            readingOrder: links.readingOrder, resources: links.resources, tableOfContents: contents.tableOfContents,
            subcollections: contents.subcollections)
        let key =
            try await rendition == renditions[0]
            ? manifest.metadata
            : defaultMetadata(renditions[0], encryptions: encryptions, documents: documents) ?? manifest.metadata
        return EPUBBook(
            manifest: manifest, encryptions: encryptions, identifiers: key.allIdentifiers, cover: cover,
            spine: EPUBSpine(
                step: package.spineStep, items: package.spine.map { (package.items[$0.item].href, $0.step) }))
    }

    /// Returns the metadata of the default rendition if fonts need it: they are obfuscated with its identifier,
    /// whichever rendition is read.
    private func defaultMetadata(
        _ rendition: EPUBRendition, encryptions: [String: Encryption], documents: EPUBDocuments
    ) async throws -> Metadata? {
        guard !encryptions.isEmpty, let root = try await documents.optionalDocument(rendition.href) else { return nil }
        let package = try? PackageDocument(root, references: documents.references(in: rendition.href))
        return package.map { EPUBMetadataParser(package: $0).metadata() }
    }

    /// Returns the renditions that the container names and contains; if it names none, the package nearest to the root.
    /// Never empty.
    private func renditions(_ documents: EPUBDocuments, listed: [String]?) async throws -> [EPUBRendition] {
        var failure = CocoaError.unreadable("“\(ContainerDocument.href)” names no package document (OPF).")
        do {
            let references = documents.references(in: ContainerDocument.href)
            let root = try await documents.document(EPUBStructure.spelling(of: ContainerDocument.href, references))
            let named = ContainerDocument(root, references: references).renditions
            let there = named.filter { references.isThere($0.href) }
            for missing in named where !there.isEmpty && !references.isThere(missing.href) {
                warnings.warn(
                    "missing-rendition", severity: .moderate,
                    message: "The container names “\(missing.href)”, which the book does not have; it was left out.")
            }
            if !there.isEmpty { return there }
            if let missing = named.first { failure = .unreadable("The package document “\(missing.href)” is missing.") }
            warnings.warn(
                "wrong-container", severity: .moderate,
                message:
                    "“\(ContainerDocument.href)” names no package document of the book; one was searched for by its name."
            )
        } catch let error as CocoaError where error.isNoSuchFile {
            let sentence =
                "There is no “\(ContainerDocument.href)” and no package document (OPF), so this is not an EPUB."
            failure = .unreadable(sentence, cause: error)
            warnings.warn(
                "missing-container", severity: .moderate,
                message: "There is no “\(ContainerDocument.href)”; the package document was searched for by its name.")
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            failure = error
            warnings.warn(
                "damaged-container", severity: .moderate,
                message: "“\(ContainerDocument.href)” is damaged; the package document was searched for by its name.")
        }
        let found = try await packages(listed: listed).min { $0.count { $0 == "/" } < $1.count { $0 == "/" } }
        guard let found else { throw failure }
        return [EPUBRendition(href: found)]
    }

    private func packages(listed: [String]?) async throws -> [String] {
        let hrefs = if let listed { listed } else { try await fetcher.links().map(\.href) }
        return hrefs.filter { $0.lowercased().hasSuffix(".opf") && !HREFBase.isRemote($0) }
    }

    private func package(at href: String, _ documents: EPUBDocuments) async throws -> PackageDocument {
        do {
            return try PackageDocument(try await documents.document(href), references: documents.references(in: href))
        } catch let error as CocoaError where error.isNoSuchFile {
            throw CocoaError.unreadable("The package document “\(href)” is missing.", cause: error)
        } catch let error as CocoaError
            where error.code == .fileReadCorruptFile && fetcher.archiveBelow.map(ProtectionMark.areIn) == true
        {
            let sentence =
                "The book is protected, and even its package document “\(href)” is encrypted."
            throw FileError.make(.fileReadNoPermission, path: href, sentence: sentence, underlying: error)
        }
    }

    private func encryptions(_ documents: EPUBDocuments) async throws -> [String: Encryption] {
        let references = documents.references(in: EncryptionDocument.href)
        let href = EPUBStructure.spelling(of: EncryptionDocument.href, references)
        let root = try await documents.optionalDocument(
            href, consequence: "encrypted and obfuscated resources cannot be read")
        let encryptions = root.map { EncryptionDocument($0, references: references).encryptions } ?? [:]
        for href in encryptions.keys.sorted() where !references.isThere(href) {
            let sentence =
                "“\(EncryptionDocument.href)” names “\(href)”, which the book does not have; the entry was ignored."
            warnings.warn("unresolvable-encryption", severity: .minor, message: sentence)
        }
        return encryptions
    }

    private func metadata(_ package: PackageDocument, _ documents: EPUBDocuments) async throws -> Metadata {
        var parser = EPUBMetadataParser(package: package, warnings: warnings)
        if !package.isEPUB3 {
            for href in DisplayOptions.hrefs {
                guard let document = try await documents.optionalDocument(href) else { continue }
                parser.displayOptions = DisplayOptions(document)
                break
            }
        }
        return parser.metadata()
    }
}

/// The files that describe an EPUB and are not read as part of it.
enum EPUBStructure {
    /// The most files that are prefetched, however many an archive lists.
    private static let maxPrefetched = 16

    /// Requests everything that will probably be read, at once, so that reading it later costs nothing.
    ///
    /// - Parameter others: Further files of the book, at their addresses.
    /// - Returns: The fetcher's links; nil if they were not requested.
    static func prefetch(from fetcher: any Fetcher, and others: [String] = []) async throws -> [Link]? {
        guard let prefetching = fetcher as? any PrefetchingFetcher else { return nil }
        let listed = try await fetcher.links()
        let own = listed.lazy.map(\.href).filter(contains).prefix(maxPrefetched)
        try await prefetching.prefetch(hrefs: others + Array(own))
        return listed
    }

    /// Returns the address of a file in META-INF as spelt in the container.
    static func spelling(of href: String, _ references: EPUBReferences) -> String {
        EPUBReferences(
            document: references.document, folder: .root, inventory: references.inventory, warnings: references.warnings
        )
        .resolve(href) ?? href
    }

    /// Whether the file at `href` describes the publication, by its name.
    static func contains(_ href: String) -> Bool {
        let path = href.hasPrefix("/") ? String(href.dropFirst()) : href
        if own.contains(path.lowercased()) { return true }
        let parts = (path.split(separator: "/").last ?? "").lowercased().split(separator: ".")
        guard let stem = parts.first, let fileExtension = parts.last, parts.count > 1 else { return false }
        if fileExtension == "opf" || fileExtension == "ncx" { return true }
        guard ["xhtml", "html", "htm", "xht"].contains(fileExtension) else { return false }
        return stems.contains(String(stem)) || stem.hasSuffix("-nav") || stem.hasSuffix("_nav")
    }

    private static let own = Set(
        ([ContainerDocument.href, EncryptionDocument.href, "META-INF/rights.xml", "rights.xml"] + DisplayOptions.hrefs)
            .map {
                $0.lowercased()
            })
    private static let stems: Set<String> = [
        "nav", "toc", "navigation", "contents", "bk-toc", "tableofcontents", "navdoc",
    ]
}

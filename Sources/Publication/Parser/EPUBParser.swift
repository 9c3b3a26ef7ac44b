import FileProviderCore
import Foundation

/// Makes a manifest from an EPUB 2 or 3 publication (EPUB 3.3; OPF 2.0.1), wherever its files come from.
///
/// Addresses in the manifest are percent-encoded and relative to the root of the container; an item whose address would leave it
/// is left out. Books are forgiven what can be understood; only one without a package document or a spine is refused.
public struct EPUBParser: Sendable {
    /// A parser; it holds nothing, so one may read any number of publications, also at once.
    public init() {}

    /// Reads the package of the publication in `fetcher`, which stays the caller's.
    ///
    /// - Throws: `CocoaError(.fileReadCorruptFile)` when there is no package document, or one that is damaged or has nothing to
    ///   read; `.fileReadTooLarge` over the limits of ``XMLLimits``; the fetcher's errors, except that of a missing file.
    /// - Complexity: Reads the container, the package, the table of contents and what META-INF says of encryption. A fetcher that
    ///   can bring them closer is asked to do so first, all at once.
    public func parse(fetcher: any Fetcher) async throws -> Manifest {
        let documents = EPUBDocuments(fetcher: fetcher)
        let listed = try await prefetch(from: fetcher)
        let href = try await packageHREF(documents, listed: listed)
        let package = try await package(at: href, documents)
        let encryption = try await documents.optionalDocument(EncryptionDocument.href).map { EncryptionDocument($0) }
        let links = EPUBLinks(package, folder: EPUBPath.folder(of: href), encryptions: encryption?.encryptions ?? [:]).links()
        guard !links.readingOrder.isEmpty else {
            throw CocoaError.unreadable("The spine of “\(href)” names nothing that the book contains, so there is nothing to read.")
        }
        let contents = try await EPUBContents(package, documents)
        return Manifest(
            metadata: try await metadata(package, documents), readingOrder: links.readingOrder, resources: links.resources,
            tableOfContents: contents.tableOfContents, subcollections: contents.subcollections)
    }
}

extension EPUBParser {
    /// The most files that are asked for in advance, whatever an archive may list.
    private static let mostPrefetched = 16

    /// Asks for everything that will probably be read.
    ///
    /// - Returns: What the fetcher lists, nil if it was not asked.
    private func prefetch(from fetcher: any Fetcher) async throws -> [String]? {
        guard let prefetching = fetcher as? any PrefetchingFetcher else { return nil }
        do throws(ResourceError) {
            let listed = try await fetcher.links().map(\.href)
            try await prefetching.prefetch(hrefs: Array(listed.lazy.filter(EPUBNames.isStructure).prefix(Self.mostPrefetched)))
            return listed
        } catch {
            throw error.cause
        }
    }

    /// Where the container says that the package is; where it says nothing, the package nearest to the root.
    private func packageHREF(_ documents: EPUBDocuments, listed: [String]?) async throws -> String {
        var failure = CocoaError.unreadable("“\(ContainerDocument.href)” names no package document (OPF).")
        do {
            if let href = ContainerDocument(try await documents.document(ContainerDocument.href)).packageHREF { return href }
        } catch let error as CocoaError where error.isNoSuchFile {
            let sentence = "There is no “\(ContainerDocument.href)” and no package document (OPF), so this is no EPUB."
            failure = .unreadable(sentence, cause: error)
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            failure = error
        }
        var hrefs = listed ?? []
        if listed == nil {
            do throws(ResourceError) { hrefs = try await documents.fetcher.links().map(\.href) } catch { throw error.cause }
        }
        let packages = hrefs.lazy.filter { $0.lowercased().hasSuffix(".opf") }.compactMap { EPUBPath.root.resolve($0) }
        guard let found = packages.min(by: { $0.count { $0 == "/" } < $1.count { $0 == "/" } }) else { throw failure }
        return found
    }

    private func package(at href: String, _ documents: EPUBDocuments) async throws -> PackageDocument {
        do {
            return try PackageDocument(try await documents.document(href), href: href)
        } catch let error as CocoaError where error.isNoSuchFile {
            throw CocoaError.unreadable("The package document “\(href)” is missing.", cause: error)
        }
    }

    private func metadata(_ package: PackageDocument, _ documents: EPUBDocuments) async throws -> Metadata {
        var parser = EPUBMetadataParser(package: package)
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

/// Files that tell by their names what they are for.
enum EPUBNames {
    /// Whether the file describes the publication rather than being read in it.
    static func isStructure(_ href: String) -> Bool {
        let path = href.hasPrefix("/") ? String(href.dropFirst()) : href
        if path == ContainerDocument.href || path == EncryptionDocument.href || DisplayOptions.hrefs.contains(path) { return true }
        let parts = (path.split(separator: "/").last ?? "").lowercased().split(separator: ".")
        guard let stem = parts.first, let fileExtension = parts.last, parts.count > 1 else { return false }
        if fileExtension == "opf" || fileExtension == "ncx" { return true }
        guard ["xhtml", "html", "htm", "xht"].contains(fileExtension) else { return false }
        return stems.contains(String(stem)) || stem.hasSuffix("-nav") || stem.hasSuffix("_nav")
    }

    private static let stems: Set<String> = ["nav", "toc", "navigation", "contents", "bk-toc", "tableofcontents", "navdoc"]
}

import FileProviderCore
import Foundation
import Synchronization

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Resources out of a dictionary, by address.
class DictionaryFetcher: Fetcher, @unchecked Sendable {  // Subclassed here; everything in it is immutable or locked.
    private let files: [String: Data]
    private let asked = Mutex<[String]>([])

    init(_ files: [String: Data]) { self.files = files }

    convenience init(_ files: [String: String]) { self.init(files.mapValues { Data($0.utf8) }) }

    /// What was read, in order.
    var requests: [String] { asked.withLock { $0 } }

    func links() async throws -> [Link] { files.keys.sorted().map { Link(href: $0) } }

    func get(_ link: Link) -> any Resource {
        asked.withLock { $0.append(link.href) }
        guard let data = files[link.href] else {
            return FailureResource(link, error: FileError.make(.fileReadNoSuchFile, path: link.href))
        }
        return BytesResource(link, data: data)
    }
}

/// One that is told what will be read.
final class RecordingFetcher: DictionaryFetcher, PrefetchingFetcher, @unchecked Sendable {
    private let told = Mutex<[[String]]>([])

    /// The addresses of each call.
    var prefetches: [[String]] { told.withLock { $0 } }

    func prefetch(hrefs: [String]) async throws { told.withLock { $0.append(hrefs) } }
}

/// A small book, of which each part can be replaced.
struct EPUBFixture {
    var version = "3.0"
    var packageAttributes = "unique-identifier=\"uid\""
    var metadata = "<dc:title>A Book</dc:title>"
    var items = #"<item id="c1" href="c1.xhtml" media-type="application/xhtml+xml"/>"#
    var spineAttributes = ""
    var spine = #"<itemref idref="c1"/>"#
    var after = ""
    /// Further files, and replacements, by address.
    var files: [String: String] = [:]

    static let container = """
        <?xml version="1.0"?>
        <container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
        <rootfile full-path="OEBPS/content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """

    var package: String {
        """
        <?xml version="1.0" encoding="utf-8"?>
        <package xmlns="http://www.idpf.org/2007/opf" version="\(version)" \(packageAttributes)>
        <metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">\(metadata)</metadata>
        <manifest>\(items)</manifest><spine \(spineAttributes)>\(spine)</spine>\(after)</package>
        """
    }

    var allFiles: [String: String] {
        [ContainerDocument.href: Self.container, "OEBPS/content.opf": package].merging(files) { $1 }
    }

    func manifest() async throws -> Manifest { try await EPUBParser().parse(fetcher: DictionaryFetcher(allFiles)) }

    /// The metadata of an EPUB 3 book that says `metadata` of itself.
    static func metadata(_ metadata: String, version: String = "3.0") async throws -> Metadata {
        try await EPUBFixture(version: version, metadata: metadata).manifest().metadata
    }
}

/// The error that parsing ends with.
func parsingError(_ fixture: EPUBFixture) async -> CocoaError? {
    do {
        _ = try await fixture.manifest()
        return nil
    } catch {
        return error as? CocoaError
    }
}

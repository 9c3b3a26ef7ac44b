import FileProviderCore
import Foundation
import SampleBooks

@testable import Archives
@testable import MediaTypes
@testable import Publication

/// A package document; all else of the book is right.
func fuzzPackage(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    parseBook(.epub, files: FuzzBook.epub(with: "OEBPS/content.opf", data, size))
}

/// A navigation document (EPUB 3).
func fuzzNavigation(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    parseBook(.epub, files: FuzzBook.epub(with: "OEBPS/nav.xhtml", data, size))
}

/// A table of contents (EPUB 2).
func fuzzNCX(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    parseBook(.epub, files: FuzzBook.epub(with: "OEBPS/toc.ncx", data, size))
}

/// What says how resources are encrypted.
func fuzzEncryption(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    parseBook(.epub, files: FuzzBook.epub(with: "META-INF/encryption.xml", data, size))
}

/// What a comic says of itself.
func fuzzComicInfo(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
    parseBook(.cbz, files: FuzzBook.comic(info: Data(FuzzInput(data, size: size).bytes)))
}

/// Has the files parsed: as they are, then out of an archive at a distance, which is read ahead and asked whether it is
/// protected.
private func parseBook(_ type: MediaType, files: [String: Data]) -> Int32 {
    wait { try await parse(asset(type, FuzzFetcher(files)), WarningLog()) }
    wait {
        let data = try ZIPBuilder.data { builder in
            for (name, content) in files.sorted(by: { $0.key < $1.key }) { try builder.store(name, content) }
        }
        let asset = try asset(type, ArchiveFetcher(try await ZIPArchive.open(FuzzReader(data))))
        let warnings = WarningLog()
        let protected = try await DetectedProtection().open(asset, warnings: warnings)
        try await parse(protected?.asset ?? asset, warnings)
    }
    return 0
}

private func asset(_ type: MediaType, _ fetcher: any Fetcher) throws -> PublicationAsset {
    PublicationAsset(path: try ProviderPath("book"), mediaType: type, form: .archive, fetcher: fetcher)
}

private func parse(_ asset: PublicationAsset, _ warnings: WarningLog) async throws {
    for parser in OpeningOptions.allParsers {
        guard let builder = try await parser.parse(asset, warnings: warnings) else { continue }
        precondition(!builder.manifest.readingOrder.isEmpty, "There is nothing to read.")
        try checkManifest(builder.manifest)
        checkPlaces(builder.manifest.readingOrder + builder.manifest.resources)
        checkPlaces(builder.manifest.tableOfContents)
        for link in builder.manifest.readingOrder.prefix(3) { await checkResource(builder.fetcher.get(link)) }
        return
    }
}

/// No address leads out of the book.
private func checkPlaces(_ links: [Link]) {
    for link in links {
        let path = String(link.href.prefix { $0 != "?" && $0 != "#" })
        let parts = (path.removingPercentEncoding ?? path).utf8.split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        let isInside =
            !parts.contains { $0.elementsEqual("..".utf8) } && (parts.count < 2 || parts.first?.isEmpty == false)
        precondition(
            isInside || ["http:", "https:"].contains { path.hasPrefix($0) }, "“\(link.href)” leads out of the book.")
        checkPlaces(link.children)
    }
}

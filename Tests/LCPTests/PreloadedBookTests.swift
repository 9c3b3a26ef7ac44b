import FileProviderCore
import Foundation
import LCP
import MemoryFileProvider
import ProviderDoubles
import Publication
import PublicationCache
import SampleBooks
import Testing

@Suite struct PreloadedBookTests {
    private static let books = MarkedBook.allCases.filter { $0 != .lcpdf || PDFDocument.isSupported }

    @Test(arguments: books)
    func `a book that was read and preloaded through an offline cache leaves no plain text on the disk`(
        book: MarkedBook
    ) async throws {
        let folder = try TemporaryFolder()
        let resources = book.resources
        let scan = PlainTextScan(marker: MarkedBook.marker, resources: resources.map(\.content))
        let cache = ResourceCache(folder: folder.url, capacity: 1 << 30)
        let publication = try await open(book, resources, cache)
        try await publication.preload()
        #expect(try await cache.usedBytes() > 500_000)
        #expect(try scan.findings(in: folder.url).isEmpty)

        for resource in resources {
            let isEqual = try await publication.get(resource.path).read() == resource.content
            #expect(isEqual, "\(resource.path)")
            let part = try await publication.get(resource.path).read(100_000..<150_000)
            #expect(part.range(of: Data(MarkedBook.marker.utf8)) != nil)
        }
        if book == .epub {
            #expect(try await publication.search(MarkedBook.lastWord).locators().count == 2)
        }
        await publication.close()
        #expect(try scan.findings(in: folder.url).isEmpty)
        // The scan finds what is there.
        let plain = try #require(resources.first).content
        try plain.suffix(2_000).write(to: folder.url.appending(path: "plain"))
        try (Data([1]) + Deflate.pack(plain)).write(to: folder.url.appending(path: ".deflated"))
        #expect(try scan.findings(in: folder.url) == [".deflated", "plain"])
    }

    private func open(_ book: MarkedBook, _ resources: [ProtectedPackages.Entry], _ cache: ResourceCache) async throws
        -> Publication
    {
        let (provider, path) = (MemoryFileProvider(), try ProviderPath(book.fileName))
        let data = try book.package(resources, license: ProtectedBooks.license())
        try await provider.writeContents(path: path, contents: data)
        var options = OpeningOptions()
        options.protections = [try TestedProtection().protection()]
        options.transform = { _, fetcher in fetcher = CachingFetcher(fetcher, cache: cache, scope: "marked") }
        let publication = try await Publication.open(path: path, of: provider, options: options)
        #expect(publication.protection == .unlocked(.lcp))
        return publication
    }
}

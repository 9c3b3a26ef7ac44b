import FaultServer
import FileProviderCore
import Foundation
import ProviderDoubles
import Publication
import SampleBooks
import Testing

import SFTPFileProvider

/// A book on a server far away.
@Suite struct SFTPBookTests {
    @Test(arguments: [true, false])
    func `A book of 100 MB is opened, and its first chapter read, in five round trips and 300 kB`(
        textFirst: Bool
    ) async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "book.epub")
        try SampleBook.large(textFirst: textFirst, to: file)
        var settings = SFTPDouble.Settings()
        settings.latency = 0.02
        try await withSFTPProvider(settings, files: ["/book.epub": Data(contentsOf: file)]) { double, provider in
            try await provider.checkReachability()
            double.resetCounts()
            let publication = try await Publication.open(path: ProviderPath("book.epub"), of: provider)
            let chapter = try #require(publication.manifest.readingOrder.first)
            let text = try await publication.get(chapter).read()
            #expect(text.count > 20_000)
            #expect(double.counts.roundTrips <= 5, "\(double.counts.roundTrips) round trips")
            #expect(double.counts.bytesRead <= 300_000, "\(double.counts.bytesRead) bytes")
            await publication.close()
        }
    }
}

import Carrel
import Foundation
import SampleBooks
import Testing

/// Every format from every kind of provider, by the same code.
@Suite(.serialized) struct FormatTests {
    /// Puts the smallest publication of each format into a folder of `provider`, and opens and reads it there.
    private func readAll(_ provider: any FileProvider, in folder: ProviderPath) async throws {
        for sample in try SamplePublication.all() {
            var folders: Set<String> = []
            for (path, content) in sample.files {
                let parts = path.split(separator: "/").map(String.init)
                for length in 1..<max(parts.count, 1)
                where folders.insert(parts[..<length].joined(separator: "/")).inserted {
                    try await provider.createFolder(
                        path: folder.appending(ProviderPath(parts[..<length].joined(separator: "/"))))
                }
                try await provider.writeContents(
                    path: folder.appending(ProviderPath(path)), contents: content, overwrite: true)
            }
            try await read(sample, of: provider, at: folder.appending(sample.fileName))
        }
    }

    private func read(_ sample: SamplePublication, of provider: any FileProvider, at path: ProviderPath) async throws {
        let book = try await Publication.open(path: path, of: provider)
        #expect(book.mediaType?.string == sample.mediaType, "\(sample)")
        #expect(book.metadata.title.string == sample.title, "\(sample)")
        #expect(book.readingOrder.count == sample.count, "\(sample): \(book.readingOrder.map(\.href))")
        let first = book.get(try #require(book.readingOrder.first, "\(sample)"))
        #expect(book.warnings.isEmpty, "\(sample): \(book.warnings)")
        if sample.isLocked {
            try await expectLocked(book, resource: first, sample: "\(sample)")
            await book.close()
            return
        }
        let whole = try await first.read()
        #expect(whole.starts(with: sample.start), "\(sample)")
        #expect(try await first.read(1..<Int64(sample.start.count)) == sample.start.dropFirst(), "\(sample)")
        #expect(try await first.length() == Int64(whole.count), "\(sample)")
        #expect(book.protection == nil, "\(sample)")
        await book.close()
    }

    /// What is encrypted is refused in a sentence that says why, whole and in part.
    private func expectLocked(_ book: Publication, resource: any Resource, sample: Comment) async throws {
        let protection = try #require(book.protection, sample)
        #expect(protection.scheme == .lcp && protection.isLocked, sample)
        let reason = try #require(protection.reason, sample)
        #expect(reason.contains("Readium LCP") && reason.hasSuffix("."), sample)
        for range in [nil, 0..<16] as [Range<Int64>?] {
            let error = await #expect(throws: CocoaError.self, sample) { _ = try await resource.read(range) }
            guard let error, error.resourceFailure == .forbidden else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(error.localizedDescription.hasSuffix("is locked. \(reason)"), sample)
        }
    }

    @Test(arguments: TestStorage.all)
    func `every format is read from every kind of storage`(_ storage: TestStorage) async throws {
        try await storage.use { provider, folder in try await readAll(provider, in: folder) }
    }
}

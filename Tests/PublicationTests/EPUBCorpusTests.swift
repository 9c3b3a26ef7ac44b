import FileProviderCore
import Foundation
import ProviderDoubles
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Real books, read out of their archives by ranges.
@Suite(.enabled(if: !BookCorpus.books.isEmpty, "the corpus is not here"))
struct EPUBCorpusTests {
    private func open(_ book: URL) async throws -> ArchiveFetcher {
        ArchiveFetcher(try await ZIPArchive.open(CountingReader(try Data(contentsOf: book))))
    }

    private func manifest(_ name: String) async throws -> Manifest {
        let book = try #require(BookCorpus.books.first { $0.lastPathComponent == name })
        return try await EPUBParser().parse(fetcher: try await open(book))
    }

    @Test(arguments: BookCorpus.books)
    func `every book has what a manifest needs, and its links lead to what is there`(book: URL) async throws {
        let fetcher = try await open(book)
        let manifest = try await EPUBParser().parse(fetcher: fetcher)
        #expect(
            !manifest.metadata.title.string.isEmpty && manifest.metadata.identifier != nil
                && !manifest.metadata.languages.isEmpty)
        #expect(!manifest.readingOrder.isEmpty && !manifest.tableOfContents.isEmpty)
        let links = manifest.readingOrder + manifest.resources
        for link in links where !HREFBase.isRemote(link.href) {
            #expect(link.type != nil)
            _ = try await fetcher.get(link).length()
        }
        let known = Set(links.map(\.href))
        func check(_ links: [Link]) {
            for link in links {
                #expect(link.href == "#" || known.contains(HREFBase.resource(of: link.href)), "\(link.href)")
                check(link.children)
            }
        }
        check(manifest.tableOfContents)
        #expect(try Manifest(data: manifest.json.data).readingOrder.count == manifest.readingOrder.count)
    }

    @Test func `a right-to-left book, a fixed one and one with obfuscated fonts are known as such`() async throws {
        #expect(try await manifest("regime-anticancer-arabic.epub").metadata.readingProgression == .rtl)
        #expect(try await manifest("page-blanche.epub").metadata.layout == .fixed)
        let wasteland = try await manifest("wasteland-otf-obf.epub")
        #expect(wasteland.metadata.identifier == "code.google.com.epub-samples.wasteland-otf-obfuscated")
        let obfuscated = wasteland.resources.filter {
            $0.properties.encryption?.algorithm == "http://www.idpf.org/2008/embedding"
        }
        #expect(!obfuscated.isEmpty)
    }

    @Test func `titles, people and covers are those of the book`() async throws {
        let childrens = try await manifest("childrens-literature.epub")
        #expect(childrens.metadata.title == "Children's Literature")
        #expect(
            childrens.metadata.subtitle?.string == "A Textbook of Sources for Teachers and Teacher-Training Classes")
        #expect(childrens.metadata.authors.map(\.sortAs) == ["Curry, Charles Madison", "Clippinger, Erle Elsworth"])
        let moby = try await manifest("moby-dick.epub")
        #expect(
            moby.metadata.contributors.map(\.name.string) == ["Dave Cramer"]
                && moby.metadata.contributors[0].roles == ["mrk"])
        #expect((moby.readingOrder + moby.resources).firstWithRel("cover") != nil)
        #expect(moby.readingOrder.count > 100)
    }
}

@testable import FileInformation
import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import Publication
import SampleBooks
import Testing

@Suite struct BookTests {
    @Test func `a book tells its title and author`() async throws {
        let properties = try await CountingReader(try SampleBook.small(), "a.epub").properties()
        #expect(properties["title"] == .string(SampleBook.title) && properties["author"] == .string(SampleBook.author))
        #expect(properties["identifier"] == .string(SampleBook.identifier))
        #expect(properties["language"] != nil)
    }

    @Test func `pages of a comic book come in the order of their numbers`() async throws {
        let names = [
            "B/page 10.jpg", "B/page 9.jpg", "b/Page 2.PNG", "__MACOSX/page 1.jpg", "a.txt", "cover/1.webp",
            "B/page 010.gif",
        ]
        let data = try ZIPBuilder.data { zip in
            for name in names { try zip.add(name, Data(name.utf8)) }
            try zip.add("folder.jpg/", Data())
        }
        let archive = try await ZIPArchive.open(CountingReader(data, "a.cbz"))
        let pages = ComicInformation.pages(of: archive).map(\.path)
        #expect(pages == ["b/Page 2.PNG", "B/page 9.jpg", "B/page 010.gif", "B/page 10.jpg", "cover/1.webp"])
        #expect(try await CountingReader(data, "a.cbz").properties()["numberOfPages"] == 5)
    }

    #if Formats
        @Test func `a cover is a thumbnail`() async throws {
            let thumbnail = try await CountingReader(try SampleBook.small(.epub2), "a.epub").thumbnail(120)
            #expect(thumbnail.width == 80 && thumbnail.height == 120 && thumbnail.mediaType == "image/jpeg")
            #expect(
                await fileError { try await CountingReader(try SampleBook.small(.epub2), "a.epub").thumbnail(page: 2) }
                    == .fileReadNoSuchFile)
        }

        @Test func `the cover of a book and its thumbnail are one picture, however the book names it`() async throws {
            let picture = try Picture.jpeg(200, 100)
            for hasCoverInGuide in [false, true] {
                var sample = SampleEPUB(cover: picture)
                sample.hasCoverInGuide = hasCoverInGuide
                let provider = MemoryFileProvider()
                let path = try ProviderPath("a.epub")
                try await provider.writeContents(path: path, contents: try sample.data())
                let book = try await Publication.open(path: path, of: provider)
                #expect(try await book.cover() == Publication.Cover(data: picture, mediaType: "image/jpeg"))
                #expect(try await book.coverImage()?.data == picture)
                await book.close()
                let thumbnail = try await CountingReader(try sample.data(), "a.epub").thumbnail(50)
                #expect(thumbnail.width == 50 && thumbnail.height == 25)
            }
        }

        @Test func `a cover that cannot be drawn is served, and the error is about the cover`() async throws {
            let provider = MemoryFileProvider()
            let path = try ProviderPath("a.epub")
            // The cover of the third edition is a drawing.
            try await provider.writeContents(path: path, contents: try SampleBook.small(.epub3))
            let book = try await Publication.open(path: path, of: provider)
            #expect(try await book.cover()?.mediaType == "image/svg+xml")
            #expect(await fileError { try await book.cover(limit: 10) } == .fileReadTooLarge)
            await book.close()
            let error = await #expect(throws: CocoaError.self) {
                try await CountingReader(try SampleBook.small(.epub3), "a.epub").thumbnail()
            }
            #expect(error?.code == .featureUnsupported)
            #expect(error?.sentence == "The cover of “/a.epub” is an SVG drawing; thumbnails of SVG are not supported.")
        }

        @Test func `any page of a comic book is a thumbnail, without the others`() async throws {
            let data = try ZIPBuilder.data { zip in
                try zip.store("9.jpg", Picture.jpeg(200, 100))
                try zip.store("10.png", Picture.png(100, 200))
                try zip.store("11.jpg", Data(count: 5 << 20))
            }
            let reader = try CountingReader(data, "a.cbz")
            let first = try await reader.thumbnail(50)
            #expect(first.width == 50 && first.height == 25)
            #expect(reader.bytes < 200 << 10)
            let second = try await CountingReader(data, "a.cbz").thumbnail(50, page: 2)
            #expect(second.width == 25 && second.height == 50)
            for page in [0, 4, -1] {
                #expect(
                    await fileError { try await CountingReader(data, "a.cbz").thumbnail(page: page) }
                        == .fileReadNoSuchFile)
            }
        }
    #else
        @Test func `without the trait, one sentence says so`() async throws {
            let provider = MemoryFileProvider()
            try await provider.writeContents(path: ProviderPath("a.jpg"), contents: Data())
            #expect(
                !provider.thumbnailOfFileSupported(
                    path: try ProviderPath("a.jpg"), generators: .withBuiltInGenerators()))
            let error = await #expect(throws: CocoaError.self) {
                try await provider.thumbnailOfFile(path: ProviderPath("a.jpg"), generators: .withBuiltInGenerators())
            }
            #expect(error?.code == .featureUnsupported && error?.sentence.contains("trait Formats") == true)
        }
    #endif
}

import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

@Suite(.enabled(if: PDFDocument.isSupported)) struct PDFParserTests {
    @Test func `a PDF file opens to a publication of one resource`() async throws {
        var file = PDFBuilder.pages(3, catalog: "/Outlines 9 0 R /ViewerPreferences << /Direction /R2L >> /Lang (ja)")
        file.add("<< /First 10 0 R >>")
        file.add("<< /Title (Part) /First 11 0 R /Next 12 0 R >>")
        file.add("<< /Title (Chapter) /Dest [5 0 R /Fit] >>")
        file.add("<< /Title (Program) /A << /S /Launch /F (program) >> >>")
        file.add("<< /Title (The Title) /Author (Somebody) >>")
        file.trailer = "/Info 13 0 R /ID [<01> <02>]"
        let data = file.build()
        let publication = try await Publication.open(pdf: data)
        let manifest = publication.manifest
        #expect(publication.mediaType == .pdf)
        #expect(manifest.metadata.title == "The Title")
        #expect(manifest.metadata.authors == [Contributor(name: "Somebody")])
        #expect(manifest.metadata.conformsTo == [PDFParser.profile])
        #expect(manifest.metadata.layout == .fixed)
        #expect(manifest.metadata.numberOfPages == 3)
        #expect(manifest.metadata.readingProgression == .rtl)
        #expect(manifest.metadata.languages == ["ja"])
        #expect(manifest.metadata.identifier == "01;02")
        var link = Link(href: "A%20Book.pdf", type: "application/pdf")
        (link.width, link.height, link.size) = (595, 842, Int64(data.count))
        #expect(manifest.readingOrder == [link])
        let chapter = Link(href: "A%20Book.pdf#page=2", type: "application/pdf", title: "Chapter")
        #expect(
            manifest.tableOfContents == [
                Link(href: "A%20Book.pdf#page=2", type: "application/pdf", title: "Part", children: [chapter])
            ])
        #expect(publication.warnings.map(\.tag) == ["outline-without-page"])
        #expect(publication.protection == nil)
        #expect(try Manifest(json: manifest.json) == manifest)
        #expect(try await publication.get(link).read(5..<8) == Data("1.7".utf8))
        await publication.close()
    }

    @Test func `without a title of its own a document has its file's name`() async throws {
        let publication = try await Publication.open(pdf: PDFBuilder.pages(1).build())
        #expect(publication.manifest.metadata.title == "A Book")
        #expect(publication.manifest.metadata.readingProgression == nil)
        #expect(publication.manifest.metadata.published == nil)
        #expect(publication.manifest.tableOfContents == [])
        #expect(publication.warnings == [])
    }

    @Test func `a PDF file is known by its content too`() async throws {
        let publication = try await Publication.open(pdf: PDFBuilder.pages(2).build(), name: "download")
        #expect(publication.manifest.metadata.numberOfPages == 2)
        #expect(publication.manifest.readingOrder.map(\.href) == ["download"])
    }

    @Test func `a document that anyone may read opens though it is encrypted`() async throws {
        let publication = try await Publication.open(pdf: EncryptedPDF.open)
        #expect(publication.manifest.metadata.title == "A Locked Book")
        #expect(publication.manifest.metadata.numberOfPages == 1)
        #expect(publication.protection == nil)
    }

    @Test(arguments: [4, 5])
    func `a document of which only the attachments are encrypted is open`(version: Int) async throws {
        func file(_ filters: String) -> Data {
            var file = PDFBuilder.pages(2)
            let key = String(repeating: "ab", count: version == 4 ? 32 : 48)
            let keys =
                "/O <\(key)> /U <\(key)> /OE <\(key.prefix(64))> /UE <\(key.prefix(64))> /Perms <\(key.prefix(32))>"
            let method = version == 4 ? "/AESV2" : "/AESV3"
            let encryption = """
                << /Filter /Standard /V \(version) /R \(version == 4 ? 4 : 6) /Length \(version == 4 ? 128 : 256) /P -4 \(keys) \(filters)
                /CF << /StdCF << /AuthEvent /EFOpen /CFM \(method) >> >> /EFF /StdCF >>
                """
            let number = file.add(encryption)
            let info = file.add("<< /Title (Open) >>")
            file.trailer = "/Encrypt \(number) 0 R /Info \(info) 0 R /ID [<0123> <0123>]"
            return file.build()
        }
        for filters in ["/StmF /Identity /StrF /Identity", ""] {
            let book = try await Publication.open(pdf: file(filters))
            #expect(book.protection == nil && book.metadata.title.string == "Open" && book.metadata.numberOfPages == 2)
        }
        #expect(try await Publication.open(pdf: file("/StmF /StdCF /StrF /StdCF")).protection?.isLocked == true)
    }

    @Test func `a document with a password opens locked, and says so`() async throws {
        let publication = try await Publication.open(pdf: EncryptedPDF.locked)
        #expect(publication.manifest.metadata.title == "A Book")
        #expect(publication.manifest.metadata.numberOfPages == nil)
        #expect(publication.manifest.readingOrder.map(\.href) == ["A%20Book.pdf"])
        #expect(publication.protection == .locked(.other("PDF"), reason: "“A Book.pdf” is locked with a password."))
    }

    @Test(arguments: ["", "%PDF", "<html><body>Not found</body></html>", "%PDF-1.7\nnothing else"])
    func `what is no PDF file is refused in one sentence`(text: String) async throws {
        let error = await #expect(throws: CocoaError.self) { try await Publication.open(pdf: Data(text.utf8)) }
        #expect(error?.code == .fileReadCorruptFile)
        #expect(error.map { $0.sentence.contains("“A Book.pdf”") } == true)
    }

    @Test func `archives and other files are left to other parsers`() async throws {
        let path = try ProviderPath("a.pdf")
        let fetcher = DictionaryFetcher(["a.pdf": PDFBuilder.pages(1).build()])
        for (type, form) in [(MediaType.lcpProtectedPDF, .archive), (.pdf, .folder), (.epub, .file)]
            as [(MediaType, PublicationAsset.Form)]
        {
            let asset = PublicationAsset(path: path, mediaType: type, form: form, fetcher: fetcher)
            #expect(try await PDFParser().parse(asset, warnings: WarningLog()) == nil)
        }
        #expect(fetcher.requests == [])
    }

    @Test func `errors of the storage come through`() async throws {
        let reader = try CountingReader(
            PDFBuilder.pages(1, bytesEach: 200_000).build(), fault: .lost(from: 1), name: "a.pdf")
        let fetcher = FileFetcher(reader)
        let asset = PublicationAsset(path: reader.path, mediaType: .pdf, form: .file, fetcher: fetcher)
        let error = await #expect(throws: URLError.self) { try await PDFParser().parse(asset, warnings: WarningLog()) }
        #expect(error?.code == .networkConnectionLost)
    }
}

/// A build without the package trait `Formats`.
@Suite(.enabled(if: !PDFDocument.isSupported)) struct UnreadPDFTests {
    @Test func `a PDF file opens to what its name says`() async throws {
        let publication = try await Publication.open(pdf: PDFBuilder.pages(1).build())
        #expect(publication.manifest.metadata.title == "A Book")
        #expect(publication.manifest.metadata.conformsTo == [PDFParser.profile])
        #expect(publication.manifest.readingOrder.map(\.href) == ["A%20Book.pdf"])
        #expect(publication.warnings.map(\.tag) == ["unread-pdf"])
        #expect(await fileError { _ = try await PDFDocument.open(PDFBuilder.pages(1).build()) } == .featureUnsupported)
    }

    @Test func `what is no PDF file is refused all the same`() async throws {
        #expect(await fileError { _ = try await Publication.open(pdf: Data("<html>".utf8)) } == .fileReadCorruptFile)
    }
}

import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// One page as a document: what is in it, and what it costs to get.
@Suite(.enabled(if: PDFDocument.isSupported)) struct PDFPageTests {
    /// The document that consists of one page of the file in `reader`.
    private static func page(_ index: Int, of reader: any FileReader) async throws -> Data {
        let pieces = LockedValue(Data())
        try await PDFDocument.writePage(index, of: FileFetcher(reader).resource) { bytes in
            pieces.update { $0.append(contentsOf: bytes) }
        }
        return pieces.value
    }

    private static func page(_ index: Int, of data: Data) async throws -> Data {
        try await page(index, of: CountingReader(data, name: "book.pdf"))
    }

    /// A page with some resources, drawn by `content`.
    private static func file(_ content: String, resources: String, page: String = "", catalog: String = "")
        -> PDFBuilder
    {
        var file = PDFBuilder()
        file.add("<< /Type /Catalog /Pages 2 0 R \(catalog) >>")
        file.add("<< /Type /Pages /Count 1 /Kids [3 0 R] /MediaBox [0 0 300 400] /Resources << \(resources) >> >>")
        file.add("<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Rotate 90 \(page) >>")
        file.add(packed: Data(content.utf8))
        return file
    }

    @Test func `the first page of 180 MB costs what it consists of`() async throws {
        let file = LargePDF.scans()
        let hole = SparseData(hole: Int64(file.size - file.head.count - file.tail.count))
        let reader = try CountingReader(
            .joined([SparseData(file.head), hole, SparseData(file.tail)]), name: "book.pdf")
        let data = try await Self.page(0, of: reader)
        #expect(data.count > 600_000 && data.count < 610_000)
        #expect(reader.requests.count <= 8, "\(reader.requests)")
        #expect(reader.bytes <= 2 << 20, "\(reader.bytes)")
        let document = try await PDFDocument.open(data)
        #expect(document.pageCount == 1 && document.firstPage?.width == 595 && document.warnings == [])
    }

    @Test(arguments: [false, true])
    func `any page becomes a document with what it inherits`(isPacked: Bool) async throws {
        let file = PDFBuilder.pages(20, bytesEach: 500)
        let data = try await Self.page(7, of: isPacked ? file.buildPacked() : file.build())
        let document = try await PDFDocument.open(data)
        #expect(document.pageCount == 1 && document.firstPage?.height == 841.89 && document.warnings == [])
        let content = file.objects[17].dropFirst(40).prefix(400)
        #expect(data.range(of: content) != nil && data.range(of: file.objects[15].dropFirst(40).prefix(400)) == nil)
    }

    @Test func `what is not called by name is neither read nor written`() async throws {
        var numbers = SeededNumbers(seed: 9)
        var file = Self.file(
            "/Im#31 Do /Fm Do", resources: "/XObject << /Im1 5 0 R /Im2 6 0 R /Fm 7 0 R /Im3 8 0 R >> /ProcSet [/PDF]")
        let pictures = (0..<3).map { _ in numbers.bytes(3_000_000) }
        file.add(stream: pictures[0].prefix(1_000), "/Subtype /Image /Metadata 10 0 R")
        file.add(stream: pictures[1], "/Subtype /Image")
        // A form without resources draws from those of the page.
        file.add(packed: Data("/Im3 Do".utf8), "/Subtype /Form /BBox [0 0 1 1] /PieceInfo << /Program 10 0 R >>")
        file.add(stream: pictures[2].prefix(2_000), "/Subtype /Image /SMask 9 0 R")
        file.add(stream: Data("a mask".utf8), "/Subtype /Image")
        file.add(stream: pictures[1].prefix(1_000_000))
        let reader = try CountingReader(file.build(), name: "book.pdf")
        let data = try await Self.page(0, of: reader)
        #expect(data.range(of: pictures[0].prefix(1_000)) != nil && data.range(of: pictures[2].prefix(2_000)) != nil)
        #expect(data.range(of: Data("a mask".utf8)) != nil && data.count < 10_000)
        #expect(reader.bytes < 1 << 20)
        #expect(try await PDFDocument.open(data).firstPage?.rotation == 90)
    }

    @Test func `content that cannot be unpacked keeps all resources`() async throws {
        var file = Self.file("", resources: "/XObject << /Im1 5 0 R >>")
        file.replace(4, body: "<< /Length 4 /Filter /Unknown >>\nstream\nabcd\nendstream")
        file.add(stream: Data("a picture".utf8), "/Subtype /Image")
        #expect(try await Self.page(0, of: file.build()).range(of: Data("a picture".utf8)) != nil)
    }

    @Test func `annotations that show something stay, and what leads elsewhere does not`() async throws {
        var file = Self.file("", resources: "", page: "/Annots [5 0 R 6 0 R] /B [8 0 R] /AA << /O 8 0 R >>")
        file.add("<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /Dest [3 0 R /Fit] /A 8 0 R >>")
        file.add("<< /Type /Annot /Subtype /Stamp /Rect [0 0 9 9] /AP << /N 7 0 R >> /Parent 8 0 R /P 3 0 R >>")
        file.add(stream: Data("a stamp".utf8), "/Subtype /Form /BBox [0 0 9 9]")
        file.add("<< /Secret (elsewhere) >>")
        let data = try await Self.page(0, of: file.build())
        #expect(data.range(of: Data("a stamp".utf8)) != nil && data.range(of: Data("/Link".utf8)) == nil)
        #expect(data.range(of: Data("elsewhere".utf8)) == nil)
    }

    @Test func `layers that are not shown stay hidden`() async throws {
        var file = Self.file(
            "/OC /L1 BDC EMC /OC /L2 BDC EMC", resources: "/Properties << /L1 5 0 R /L2 6 0 R >>",
            catalog: "/OCProperties << /OCGs [5 0 R 6 0 R 7 0 R] /D << /OFF [6 0 R 7 0 R] >> >>")
        for name in ["One", "Two", "Three"] { file.add("<< /Type /OCG /Name (\(name)) >>") }
        let data = try await Self.page(0, of: file.build())
        let text = String(decoding: data, as: UTF8.self)
        let number = try #require(text.firstMatch(of: /(\d+) 0 obj\n<<[^>]*\/Name \(Two\)/)?.1)
        #expect(text.contains("/OFF[\(number) 0 R ]") && !text.contains("Three"))
    }

    @Test func `a document that anyone may read is written without encryption`() async throws {
        let data = try await Self.page(0, of: EncryptedPDF.open)
        #expect(data.range(of: Data("/Encrypt".utf8)) == nil)
        #expect(try await PDFDocument.open(data).firstPage?.width == 300)
        #expect(await fileError { _ = try await Self.page(0, of: EncryptedPDF.locked) } == .fileReadNoPermission)
    }

    @Test func `pages that are not there, and files that are no PDF, are refused`() async throws {
        let file = PDFBuilder.pages(3).build()
        for index in [3, -1, Int.max] {
            #expect(await fileError { _ = try await Self.page(index, of: file) } == .fileReadNoSuchFile)
        }
        #expect(
            await fileError { _ = try await Self.page(0, of: Data("Once upon a time".utf8)) } == .fileReadCorruptFile)
    }

    @Test func `objects that contain each other, and chains without end, are written once or cut`() async throws {
        var circle = Self.file("/G gs", resources: "/ExtGState << /G 5 0 R >>")
        circle.add("<< /Next 6 0 R /Page 3 0 R /Tree 2 0 R >>")
        circle.add("<< /Next 5 0 R /Own 6 0 R >>")
        #expect(try await PDFDocument.open(try await Self.page(0, of: circle.build())).pageCount == 1)
        var chain = Self.file("/G gs", resources: "/ExtGState << /G 5 0 R >>")
        for number in 5..<5_000 { chain.add("<< /Next \(number + 1) 0 R >>") }
        #expect(try await Self.page(0, of: chain.build()).count < 20_000)
        var fan = Self.file("/G gs", resources: "/ExtGState << /G 5 0 R >>")
        fan.add("[\((6..<25_000).map { "\($0) 0 R" }.joined(separator: " "))]")
        for _ in 6..<25_000 { fan.add("<< >>") }
        #expect(await fileError { _ = try await Self.page(0, of: fan.build()) } == .fileReadTooLarge)
    }

    @Test func `a page of more than 64 MiB is refused`() async throws {
        var file = Self.file("/Im Do", resources: "/XObject << /Im 5 0 R >>")
        file.add(stream: Data(count: 65 << 20), "/Subtype /Image")
        #expect(await fileError { _ = try await Self.page(0, of: file.build()) } == .fileReadTooLarge)
    }

    @Test func `an error of the one who takes the document ends the call`() async throws {
        let resource = FileFetcher(try CountingReader(PDFBuilder.pages(1).build(), name: "book.pdf")).resource
        let error = await fileError {
            try await PDFDocument.writePage(0, of: resource) { _ in throw CocoaError(.fileWriteOutOfSpace) }
        }
        #expect(error == .fileWriteOutOfSpace)
    }

    @Test func `bytes changed anywhere never crash it`() async throws {
        var file = Self.file("/Im Do /F gs", resources: "/XObject << /Im 5 0 R >> /ExtGState << /F 6 0 R >>")
        file.add(packed: Data("a picture".utf8), "/Subtype /Image /SMask 7 0 R")
        file.add("<< /SMask << /G 8 0 R >> >>")
        file.add(packed: Data("a mask".utf8), "/Subtype /Image")
        file.add(packed: Data("/Im Do".utf8), "/Subtype /Form /BBox [0 0 1 1]")
        let whole = file.build()
        var numbers = SeededNumbers(seed: 11)
        var readable = 0
        for _ in 0..<300 {
            var data = whole
            for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                data[Int.random(in: 8..<data.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
            }
            if let page = try? await Self.page(0, of: data) {
                readable += 1
                #expect(page.starts(with: Data("%PDF-".utf8)))
            }
        }
        #expect(readable > 100, "\(readable)")
    }
}

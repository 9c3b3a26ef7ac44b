import FileProviderCore
import Foundation
import ProviderDoubles
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Damaged files are read as far as possible; files made to harm end in one sentence.
@Suite(.enabled(if: PDFDocument.isSupported)) struct PDFHostilityTests {
    @Test func `a file without its table of objects is put together again`() async throws {
        var file = PDFBuilder.pages(3)
        file.hasTable = false
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount == 3)
        #expect(document.tags == ["repaired-pdf"])
    }

    @Test func `a file whose last lines were cut off is put together again`() async throws {
        let whole = PDFBuilder.pages(3).build()
        let document = try await PDFDocument.open(whole.prefix(whole.count - 20))
        #expect(document.pageCount == 3)
        #expect(document.tags == ["repaired-pdf"])
    }

    @Test func `a file of which half is missing is refused`() async throws {
        let whole = PDFBuilder.pages(3).build()
        #expect(
            await fileError { _ = try await PDFDocument.open(whole.prefix(whole.count / 2)) } == .fileReadCorruptFile)
    }

    @Test func `a damaged file over 64 MiB is refused and not read`() async throws {
        var file = PDFBuilder.pages(1)
        file.padding = Data("\nx y z ".utf8) + Data(count: 65 << 20)
        file.hasTable = false
        let reader = try CountingReader(file.build(), name: "book.pdf")
        #expect(await fileError { _ = try await PDFDocument.open(reader) } == .fileReadCorruptFile)
        #expect(reader.bytes < 1 << 20)
    }

    @Test func `a count of pages without sense is replaced`() async throws {
        for count in ["2147483648", "-1", "(many)", "null"] {
            var file = PDFBuilder.pages(2)
            file.replace(2, body: "<< /Type /Pages /Count \(count) /Kids [3 0 R 5 0 R] /MediaBox [0 0 10 10] >>")
            let document = try await PDFDocument.open(file.build())
            #expect(document.pageCount == 2)
            #expect(document.tags.contains("wrong-page-count"))
            #expect(try await document.pageSizes().count == 2)
        }
    }

    @Test func `trees of pages that contain themselves end`() async throws {
        var file = PDFBuilder.pages(2)
        file.replace(2, body: "<< /Type /Pages /Count 9 /Kids [3 0 R 2 0 R 7 0 R 7 0 R 99 0 R] >>")
        file.add("<< /Type /Pages /Count 7 /Kids [2 0 R 5 0 R 7 0 R] >>")
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount == 2)
        #expect(document.tags.contains("damaged-pages"))
    }

    @Test func `a tree of pages that doubles at each level is walked once`() async throws {
        var file = PDFBuilder.pages(1)
        file.replace(2, body: "<< /Type /Pages /Count -1 /Kids [5 0 R 5 0 R] >>")
        for number in 6..<46 { file.add("<< /Type /Pages /Count -1 /Kids [\(number) 0 R \(number) 0 R] >>") }
        file.add("<< /Type /Page >>")
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount <= 2)
        #expect(document.tags.contains("damaged-pages"))
    }

    /// Of each such array both dictionaries have the array itself, or the next one, for their kids: 2 to the power of
    /// 64 nodes.
    @Test func `a tree of pages that doubles in nodes without numbers is refused`() async throws {
        var file = PDFBuilder.pages(1)
        file.replace(2, body: "<< /Type /Pages /Count -1 /Kids 5 0 R >>")
        file.add("[<< /Type /Pages /Kids 5 0 R >> << /Type /Pages /Kids 5 0 R >>]")
        #expect(await fileError { _ = try await PDFDocument.open(file.build()) } == .fileReadTooLarge)
        #expect(await fileError { _ = try await PDFDocument.open(file.buildPacked()) } == .fileReadTooLarge)
        for number in 5..<105 {
            let array = "[<< /Type /Pages /Kids \(number + 1) 0 R >> << /Type /Pages /Kids \(number + 1) 0 R >>]"
            if number == 5 { file.replace(5, body: array) } else { file.add(array) }
        }
        file.add("[3 0 R]")
        #expect(await fileError { _ = try await PDFDocument.open(file.build()) } == .fileReadTooLarge)
    }

    @Test func `more than a million pages in one array that many nodes have are refused`() async throws {
        var file = PDFBuilder.pages(1)
        file.replace(2, body: "<< /Type /Pages /Count -1 /Kids 5 0 R >>")
        file.add("[\(String(repeating: "<< /Kids 6 0 R /Count 1000 >> ", count: 1_100))]")
        file.add("[\(String(repeating: "3 0 R ", count: 1_000))]")
        #expect(await fileError { _ = try await PDFDocument.open(file.build()) } == .fileReadTooLarge)
    }

    @Test func `a tree of pages a thousand levels deep is cut`() async throws {
        var file = PDFBuilder()
        file.add("<< /Type /Catalog /Pages 2 0 R >>")
        for number in 3..<1_003 { file.add("<< /Type /Pages /Kids [\(number) 0 R] >>") }
        file.add("<< /Type /Page >>")
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount == 0)
        #expect(document.firstPage == nil)
        #expect(document.tags.contains("damaged-pages"))
    }

    @Test func `outlines that contain themselves, or what is none, end`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Outlines 5 0 R")
        file.add("<< /First 6 0 R >>")
        file.add("<< /Title (One) /Dest [3 0 R] /First 6 0 R /Next 7 0 R >>")
        file.add("<< /Title (Two) /Dest [[[]]] /First 5 0 R /Next 6 0 R >>")
        let document = try await PDFDocument.open(file.build())
        #expect(document.outline.map(\.title) == ["One", "Two"])
        #expect(document.outline.map(\.page) == [0, nil])
        #expect(document.tags == ["damaged-outline"])
    }

    @Test func `an outline of a hundred levels is cut at thirty-two`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Outlines << /First 5 0 R >>")
        for number in 6..<106 { file.add("<< /Title (Deep) /First \(number) 0 R >>") }
        let document = try await PDFDocument.open(file.build())
        var levels = 0
        var items = document.outline
        while let item = items.first {
            levels += 1
            items = item.children
        }
        #expect(levels == 32)
        #expect(document.tags.contains("large-outline"))
    }

    @Test func `an outline of more than 20,000 items is cut`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Outlines << /First 5 0 R >>")
        for number in 6..<20_016 { file.add("<< /Title (Long) /Next \(number) 0 R >>") }
        let document = try await PDFDocument.open(file.build())
        #expect(document.outline.count == 20_000)
        #expect(document.tags.contains("large-outline"))
    }

    @Test func `a name tree that contains itself ends`() async throws {
        var file = PDFBuilder.pages(
            1, catalog: "/Names << /Dests 5 0 R >> /Outlines << /First << /Title (A) /Dest (x) >> >>")
        file.add("<< /Kids [5 0 R 6 0 R] >>")
        file.add("<< /Names [(x) [3 0 R] (y)] /Kids [5 0 R] >>")
        let document = try await PDFDocument.open(file.build())
        #expect(document.outline == [.init(title: "A", page: 0)])
        #expect(document.tags == ["damaged-outline"])
    }

    @Test(arguments: [1, 2])
    func `a name tree that contains itself in nodes without numbers is cut`(kids: Int) async throws {
        let names = "/Names << /Dests << /Kids 5 0 R >> >>"
        var file = PDFBuilder.pages(1, catalog: "\(names) /Outlines << /First << /Title (A) /Dest (x) >> >>")
        file.add("[\(String(repeating: "<< /Kids 5 0 R >> ", count: kids))]")
        let document = try await PDFDocument.open(file.build())
        #expect(document.outline == [.init(title: "A", page: nil)])
        #expect(document.tags == ["large-outline"])
    }

    @Test func `one array of names that many nodes have is cut`() async throws {
        let names = "/Names << /Dests << /Kids 5 0 R >> >>"
        var file = PDFBuilder.pages(1, catalog: "\(names) /Outlines << /First << /Title (A) /Dest (x) >> >>")
        file.add("[\(String(repeating: "<< /Names 6 0 R >> ", count: 10_000))]")
        file.add("[\(String(repeating: "(x) 7 0 R ", count: 10_000))]")
        file.add("[3 0 R]")
        let document = try await PDFDocument.open(file.build())
        #expect(document.outline == [.init(title: "A", page: 0)])
        #expect(document.tags == ["large-outline"])
    }

    @Test func `one title of 1 MiB that many items have is not converted for each`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Outlines << /First 6 0 R >>")
        file.add("(\(String(repeating: "a", count: 1 << 20)))")
        for number in 7..<107 { file.add("<< /Title 5 0 R /Next \(number) 0 R >>") }
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount == 1)
        #expect(!document.outline.isEmpty && document.outline.count < 100)
        #expect(document.tags == ["large-outline"])
    }

    @Test func `objects that unpack to more than 64 MiB are not unpacked`() async throws {
        let data = PDFBuilder.pages(1).buildPacked(objectStream: Data(count: 80 << 20))
        #expect(data.count < 200_000)
        #expect(await fileError { _ = try await PDFDocument.open(data) } == .fileReadTooLarge)
    }

    @Test func `objects of more than a million words are not read`() async throws {
        var file = PDFBuilder.pages(1)
        file.replace(
            1, body: "<< /Type /Catalog /Pages 2 0 R /Junk [\(String(repeating: "0 ", count: 1_100_000))] >>")
        #expect(await fileError { _ = try await PDFDocument.open(file.build()) } == .fileReadTooLarge)
        #expect(await fileError { _ = try await PDFDocument.open(file.buildPacked()) } == .fileReadTooLarge)
    }

    @Test func `rows of more than 1 MiB are not unpacked`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        let parameters = "/DecodeParms << /Predictor 12 /Columns 2147483647 /Colors 4 /BitsPerComponent 16 >>"
        file.add(packed: Data(count: 100), parameters)
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount == 1)
        #expect(document.tags == ["damaged-metadata"])
    }

    /// Each row is as the one above, so that the packed rows have hardly a word.
    @Test func `words are counted in rows that are restored`() async throws {
        let length = 1 << 16
        let start = Array(Self.xmp.dropLast(Self.xmpEnd.count)) + Array("<!--".utf8)
        let end = Array("-->\(Self.xmpEnd)".utf8)
        let content = start + [UInt8](repeating: 0x2F, count: 15 * length - start.count - end.count) + end
        var rows = Data()
        var above = [UInt8](repeating: 0, count: length)
        for offset in stride(from: 0, to: content.count, by: length) {
            let row = Array(content[offset..<offset + length])
            rows += [2] + zip(row, above).map { $0 &- $1 }
            above = row
        }
        let junk = "/Junk [\(String(repeating: "0 ", count: 100_000))]"
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R \(junk)")
        file.add(packed: rows, "/DecodeParms << /Predictor 12 /Columns \(length) >>")
        let document = try await PDFDocument.open(file.build())
        #expect(document.pageCount == 1)
        #expect(document.details.title == nil)
        #expect(document.tags.contains("damaged-metadata"))
    }

    @Test(arguments: [8, 17, 1_000])
    func `a stream of more than sixteen decoders is left out`(count: Int) async throws {
        var packed = Self.xmp
        for _ in 0..<min(count, 17) { packed = Self.zlib(packed) }
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        file.add(stream: packed, "/Filter [\(String(repeating: "/FlateDecode ", count: count))]")
        let document = try await PDFDocument.open(file.build())
        #expect(document.details.title?.string == (count <= 16 ? "Packed" : nil))
        #expect(document.tags == (count <= 16 ? [] : ["damaged-metadata"]))
    }

    /// A zlib stream (RFC 1950).
    private static func zlib(_ content: Data) -> Data {
        var sums: (UInt32, UInt32) = (1, 0)
        for byte in content {
            sums.0 = (sums.0 + UInt32(byte)) % 65_521
            sums.1 = (sums.1 + sums.0) % 65_521
        }
        let sum = sums.1 << 16 | sums.0
        return Data([0x78, 0x9C]) + Deflate.pack(content) + withUnsafeBytes(of: sum.bigEndian) { Data($0) }
    }

    private static let xmpEnd = "</rdf:RDF>"
    private static let xmp = Data(
        """
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">
        <rdf:Description><dc:title>Packed</dc:title></rdf:Description>\(xmpEnd)
        """.utf8)

    @Test func `a metadata stream over 1 MiB is left out`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        file.add(packed: Data(count: 50 << 20))
        let document = try await PDFDocument.open(file.build())
        #expect(document.tags == ["damaged-metadata"])
    }

    @Test func `metadata that are no XML are left out`() async throws {
        var file = PDFBuilder.pages(1, catalog: "/Metadata 5 0 R")
        file.add(stream: Data("<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><x>&a;</x>".utf8))
        file.add("<< /Title (Kept) >>")
        file.trailer = "/Info 6 0 R"
        let document = try await PDFDocument.open(file.build())
        #expect(document.details.title == "Kept")
        #expect(document.tags == ["damaged-metadata"])
    }

    /// Each stream's length is the next stream: qpdf calls itself for each.
    @Test func `a chain of references uses up no stack`() async throws {
        var file = PDFBuilder()
        file.add("<< /Type /Catalog /Pages 2 0 R >>")
        for number in 3..<30_003 { file.add("<< /Length \(number) 0 R >>\nstream\n\nendstream") }
        file.add("<< /Type /Pages /Count 0 /Kids [] >>")
        #expect(await fileError { _ = try await PDFDocument.open(file.build()) } == .fileReadTooLarge)
    }

    @Test func `arrays in arrays without end are cut`() async throws {
        var file = PDFBuilder.pages(1)
        file.replace(2, body: "<< /Type /Pages /Count 1 /Kids \(String(repeating: "[", count: 200_000)) >>")
        #expect(try await PDFDocument.open(file.build()).pageCount == 0)
        file.replace(
            2, body: "<< /Type /Pages /Count 1 /Kids [3 0 R] /X \(String(repeating: "<</A ", count: 100_000)) >>")
        #expect(try await PDFDocument.open(file.build()).pageCount == 0)
    }

    @Test func `a size that no file has is refused`() async throws {
        let data = PDFBuilder.pages(1, bytesEach: 90_000).build()
        let sizes: [Int64] = [.max, .max - 32_768, (1 << 60) + 1]
        for size in sizes {
            #expect(
                await fileError { _ = try await PDFDocument.open(ClaimingResource(data, size: size)) }
                    == .fileReadTooLarge)
        }
        #expect(
            await fileError { _ = try await PDFDocument.open(ClaimingResource(data, size: 1 << 60)) }
                == .fileReadUnknown)
    }

    @Test func `a first block that comes short is an error`() async throws {
        let data = PDFBuilder.pages(1, bytesEach: 90_000).build()
        let resource = ClaimingResource(data.prefix(10_000), size: Int64(data.count))
        #expect(await fileError { _ = try await PDFDocument.open(resource) } == .fileReadUnknown)
    }

    @Test func `bytes changed anywhere never crash it`() async throws {
        var file = PDFBuilder.pages(3, catalog: "/Outlines 9 0 R /Names << /Dests << /Names [(x) [3 0 R]] >> >>")
        file.add("<< /First 10 0 R >>")
        file.add("<< /Title (One) /Dest (x) /First 11 0 R >>")
        file.add("<< /Title (Two) /Dest [5 0 R] >>")
        var numbers = SeededNumbers(seed: 11)
        var opened = 0
        for whole in [file.build(), file.buildPacked(), EncryptedPDF.open] {
            for _ in 0..<150 {
                var data = whole
                for _ in 0..<Int.random(in: 1...8, using: &numbers) {
                    data[Int.random(in: 8..<data.count, using: &numbers)] = UInt8.random(in: 0...255, using: &numbers)
                }
                if let document = try? await PDFDocument.open(data) {
                    opened += 1
                    #expect(document.pageCount < 1_000)
                }
            }
        }
        #expect(opened > 100, "\(opened)")
    }
}

/// Claims a size of its own.
private final class ClaimingResource: Resource {
    let link = Link(href: "book.pdf")
    private let data: Data
    private let size: Int64

    init(_ data: Data, size: Int64) {
        self.data = data
        self.size = size
    }

    func length() async throws -> Int64 { size }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        let all = 0..<Int64(data.count)
        let range = (range ?? all).clamped(to: all)
        let extent = FileExtent(offset: range.lowerBound, count: Int64(range.count), size: size)
        try await sink.take(data[Int(range.lowerBound)..<Int(range.upperBound)], extent: extent)
    }
}

import FileProviderCore
import Foundation
import MemoryFileProvider
import ProviderDoubles
import SampleBooks

import Archives
import MediaTypes
import Publication
import PublicationCache

extension PDFDocument {
    /// Opens the file as one that was opened by a provider.
    static func open(_ data: Data) async throws -> PDFDocument {
        try await open(CountingReader(data, name: "book.pdf"))
    }

    static func open(_ reader: any FileReader) async throws -> PDFDocument {
        let fetcher = FileFetcher(CachedFileReader(reader))
        return try await open(fetcher.get("book.pdf"))
    }

    /// The tags of the warnings.
    var tags: [String] { warnings.map(\.tag) }
}

extension Publication {
    /// Opens the file as an app does.
    static func open(pdf data: Data, name: String = "A Book.pdf") async throws -> Publication {
        let provider = MemoryFileProvider()
        let path = try ProviderPath(name)
        _ = try await provider.writeContents(path: path, contents: data)
        return try await open(path: path, of: provider)
    }
}

/// Documents of pages with text.
enum TextPDF {
    /// Whether `pdftotext` is here; where everything has to be tested, a missing one is a failure.
    static let isReadable =
        FileManager.default.isExecutableFile(atPath: "/usr/bin/pdftotext")
        || ProcessInfo.processInfo.environment["CI"] != nil

    /// A document of which each page has one text; its lines stand close together, an empty one parts paragraphs.
    static func document(_ pages: [String]) -> Data {
        var file = PDFBuilder()
        file.add("<< /Type /Catalog /Pages 2 0 R >>")
        let kids = pages.indices.map { "\(4 + 2 * $0) 0 R" }.joined(separator: " ")
        file.add("<< /Type /Pages /Count \(pages.count) /Kids [\(kids)] /MediaBox [0 0 595 842] >>")
        file.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
        for (index, page) in pages.enumerated() {
            let resources = "/Resources << /Font << /F1 3 0 R >> >>"
            file.add("<< /Type /Page /Parent 2 0 R /Contents \(5 + 2 * index) 0 R \(resources) >>")
            let lines = page.split(separator: "\n", omittingEmptySubsequences: false).map {
                $0.isEmpty ? "0 -40 Td" : "(\($0)) Tj 0 -14 Td"
            }
            file.add(stream: Data("BT /F1 12 Tf 72 720 Td \(lines.joined(separator: " ")) ET".utf8))
        }
        return file.build()
    }
}

/// PDF files that qpdf 11.3 encrypted: `qpdf --static-id --encrypt PASSWORD owner 256 -- in.pdf out.pdf`; one page, "A
/// Locked Book".
enum EncryptedPDF {
    /// The user password is empty, so that anyone may read it.
    static let open = Data(base64Encoded: openBase64) ?? Data()
    /// The user password is "user".
    static let locked = Data(base64Encoded: lockedBase64) ?? Data()

    private static let openBase64 = """
        JVBERi0xLjcKJb/3ov4KMSAwIG9iago8PCAvRXh0ZW5zaW9ucyA8PCAvQURCRSA8PCAvQmFzZVZlcnNpb24gLzEuNyAvRXh0ZW5zaW9uTGV2ZWwgOCA+PiA+
        PiAvUGFnZXMgMyAwIFIgL1R5cGUgL0NhdGFsb2cgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL1RpdGxlIDwwMjU4MmEyODE3MGI1YmIxY2E3NzQ2Yjg4NmNkZDVj
        ZDgxMDAwNDU3MTI1ZjRiZTYzNTM1NzM2YmUzYmYxZjRiPiA+PgplbmRvYmoKMyAwIG9iago8PCAvQ291bnQgMSAvS2lkcyBbIDQgMCBSIF0gL1R5cGUgL1Bh
        Z2VzID4+CmVuZG9iago0IDAgb2JqCjw8IC9NZWRpYUJveCBbIDAgMCAzMDAgNDAwIF0gL1BhcmVudCAzIDAgUiAvVHlwZSAvUGFnZSA+PgplbmRvYmoKNSAw
        IG9iago8PCAvQ0YgPDwgL1N0ZENGIDw8IC9BdXRoRXZlbnQgL0RvY09wZW4gL0NGTSAvQUVTVjMgL0xlbmd0aCAzMiA+PiA+PiAvRmlsdGVyIC9TdGFuZGFy
        ZCAvTGVuZ3RoIDI1NiAvTyA8Njg5OGYyYjVlMGUxNWZlYTQyYzM2ZDhhNzM2OGEwNjBhNjEyYzU2OTdjOTc3ZGExYzQ3YzBlN2NjNTdiMWRiOGM1NjI3ZjAz
        ZTA4MTI0MTA0ZGI5MTljNWQwZjJiNjJjPiAvT0UgPDU1MWQyZGJmMzM1Y2E5ZGY4YTRhMzNhODkxYWZlNzUyOGE2NDc2OTkxMjM1MmExYTllMjY3OTg1MzA2
        N2Q0MjE+IC9QIC00IC9QZXJtcyA8YzY5N2IxYWRkZDYwYjIwMDEzYTYxYjNjZDFmZDNkNDU+IC9SIDYgL1N0bUYgL1N0ZENGIC9TdHJGIC9TdGRDRiAvVSA8
        ZWUzODQ0ZTBhZmJjODFjYWYyMzg2YWU4NGMzNjk1NmQ2OGFmYjk5YTdkMzY1N2IyOThmZTRmOTQwNTFmYTQ3YmNlZGRlYzhmZjliODAyZGQ3MTYzOTEyMWFh
        NDRiOWM3PiAvVUUgPDM1YjRiZDE4ZGNiYzNhYTkxYzYwZDg2MTNlNmFlNGFiYjBiNzBiZmI5NzQwOGZhN2MzYTQ5YjE3YjJjMjQxYWE+IC9WIDUgPj4KZW5k
        b2JqCnhyZWYKMCA2CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAxNSAwMDAwMCBuIAowMDAwMDAwMTMwIDAwMDAwIG4gCjAwMDAwMDAyMjUgMDAwMDAg
        biAKMDAwMDAwMDI4NCAwMDAwMCBuIAowMDAwMDAwMzU3IDAwMDAwIG4gCnRyYWlsZXIgPDwgL0luZm8gMiAwIFIgL1Jvb3QgMSAwIFIgL1NpemUgNiAvSUQg
        WzwzMTQxNTkyNjUzNTg5NzkzMjM4NDYyNjQzMzgzMjc5NT48MzE0MTU5MjY1MzU4OTc5MzIzODQ2MjY0MzM4MzI3OTU+XSAvRW5jcnlwdCA1IDAgUiA+Pgpz
        dGFydHhyZWYKOTA0CiUlRU9GCg==
        """.replacing("\n", with: "")
    private static let lockedBase64 = """
        JVBERi0xLjcKJb/3ov4KMSAwIG9iago8PCAvRXh0ZW5zaW9ucyA8PCAvQURCRSA8PCAvQmFzZVZlcnNpb24gLzEuNyAvRXh0ZW5zaW9uTGV2ZWwgOCA+PiA+
        PiAvUGFnZXMgMyAwIFIgL1R5cGUgL0NhdGFsb2cgPj4KZW5kb2JqCjIgMCBvYmoKPDwgL1RpdGxlIDxkNDk0MTA2ZTkyZTgwM2U5ZGQwNDljNzVjOTdmZjUy
        MWE3MDMxYjQwMjBhODA5YzIyMWE4MDkyNTUzM2U2ZGMwPiA+PgplbmRvYmoKMyAwIG9iago8PCAvQ291bnQgMSAvS2lkcyBbIDQgMCBSIF0gL1R5cGUgL1Bh
        Z2VzID4+CmVuZG9iago0IDAgb2JqCjw8IC9NZWRpYUJveCBbIDAgMCAzMDAgNDAwIF0gL1BhcmVudCAzIDAgUiAvVHlwZSAvUGFnZSA+PgplbmRvYmoKNSAw
        IG9iago8PCAvQ0YgPDwgL1N0ZENGIDw8IC9BdXRoRXZlbnQgL0RvY09wZW4gL0NGTSAvQUVTVjMgL0xlbmd0aCAzMiA+PiA+PiAvRmlsdGVyIC9TdGFuZGFy
        ZCAvTGVuZ3RoIDI1NiAvTyA8OGVmNGMzNmRlMDc2YjY0MDZmYThkZjlmNzk3OWJmZjcxNThiZjM3YTM4MDE5NTcyMjY1NmMwMGYyZjJjYzY3NGIwNDUxMmRh
        ZjdmMzE3YzI4NzQ0NWE4MDdhNWE0N2ZmPiAvT0UgPDk1YTJkMTFkY2M0ZmQwOGU0ZThiNWRhNWQwYjg0M2I2YTE0N2M0MzcyZjNkOTdjZDhmZDg4YjQ4Mzlj
        ZDA3NmU+IC9QIC00IC9QZXJtcyA8NmNjNmE2ZTVkOTQ2Y2JkMTJkYWU0NjBiYjgyN2YyZmQ+IC9SIDYgL1N0bUYgL1N0ZENGIC9TdHJGIC9TdGRDRiAvVSA8
        MWE4YmRkYTAzYTk3OWM4OWFjMmM4ODA5ZTU0ZjE0Y2RmYjllYzEyOGYwZDU1N2I5NTJkMTEzMzFlYWUxODE3ZGRjNzhlMTI1YjYyZDZkNWU5OWVjNzFiMjY1
        MGExMzJlPiAvVUUgPDE1OGMwMDExY2MyODA4ZjcwOWEwZmFjMjM1MWQ0ZDVjMTZmNWY4MmJkMjAyMDYwZGM2M2VmMzY3N2UzYTcwNTI+IC9WIDUgPj4KZW5k
        b2JqCnhyZWYKMCA2CjAwMDAwMDAwMDAgNjU1MzUgZiAKMDAwMDAwMDAxNSAwMDAwMCBuIAowMDAwMDAwMTMwIDAwMDAwIG4gCjAwMDAwMDAyMjUgMDAwMDAg
        biAKMDAwMDAwMDI4NCAwMDAwMCBuIAowMDAwMDAwMzU3IDAwMDAwIG4gCnRyYWlsZXIgPDwgL0luZm8gMiAwIFIgL1Jvb3QgMSAwIFIgL1NpemUgNiAvSUQg
        WzwzMTQxNTkyNjUzNTg5NzkzMjM4NDYyNjQzMzgzMjc5NT48MzE0MTU5MjY1MzU4OTc5MzIzODQ2MjY0MzM4MzI3OTU+XSAvRW5jcnlwdCA1IDAgUiA+Pgpz
        dGFydHhyZWYKOTA0CiUlRU9GCg==
        """.replacing("\n", with: "")
}

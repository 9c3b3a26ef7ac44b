import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

/// Warnings about what PDF files say of themselves, word for word.
@Suite(.enabled(if: PDFDocument.isSupported)) struct PDFWarningTests {
    private func document(info: String = "", catalog: String = "", xmp: String? = nil) async throws -> PDFDocument {
        var file = PDFBuilder.pages(1, catalog: xmp == nil ? catalog : "/Metadata 6 0 R")
        file.add("<< \(info) >>")
        if let xmp { file.add(stream: Data(xmp.utf8)) }
        file.trailer = "/Info 5 0 R"
        return try await PDFDocument.open(file.build())
    }

    private func xmp(_ attributes: String) -> String {
        """
        <r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><r:Description xmlns:x="http://ns.adobe.com/xap/1.0/" \(attributes)/></r:RDF>
        """
    }

    @Test func `dates that cannot be read are told`() async throws {
        let found = try await document(info: "/CreationDate (next\\nspring) /ModDate (D:20011332)")
        let expected = [("next spring", "creation"), ("D:20011332", "last change")].map { text, name in
            ContentWarning(
                "unreadable-date", severity: .minor,
                message: "“\(text)”, the date of the document's \(name), cannot be read; it was left out.")
        }
        #expect(found.warnings == expected && found.details.created == nil && found.details.modified == nil)
        let fromXMP = try await document(xmp: xmp(#"x:CreateDate="soon""#))
        #expect(
            fromXMP.warnings.map(\.message) == [
                "“soon”, the date of the document's creation, cannot be read; it was left out."
            ])
    }

    @Test func `a date that another part of the document has is not missed`() async throws {
        let found = try await document(info: "/CreationDate (D:2001)", xmp: xmp(#"x:CreateDate="soon""#))
        #expect(found.warnings == [] && found.details.created == Date(manifestText: "2001"))
        #expect(try await document(info: "/CreationDate ()").warnings == [])
    }

    @Test(arguments: [
        ("/Title 7", ""), ("/Author [(A)]", ""), ("/CreationDate /Now", ""), ("", "/Lang 5"), ("", "/Metadata (none)"),
    ])
    func `metadata of the wrong kind are told`(info: String, catalog: String) async throws {
        let found = try await document(info: info, catalog: catalog)
        let sentence = "Some of the document's metadata cannot be read; they were left out."
        #expect(found.warnings == [ContentWarning("damaged-metadata", severity: .minor, message: sentence)])
    }
}

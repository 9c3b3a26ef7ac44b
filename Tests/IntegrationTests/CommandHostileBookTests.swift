import Foundation
import SampleBooks
import Testing

/// Books that mean harm, or came to it: one line, exit code 8, nothing written.
@Suite struct CommandHostileBookTests {
    private static let container = """
        <container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>
        <rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>
        """

    private static func package(_ prolog: String = "", title: String = "T", chapter: String = "c.xhtml") -> String {
        """
        \(prolog)<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="i">
        <metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier><dc:title>\(title)</dc:title>\
        <dc:language>en</dc:language></metadata><manifest><item id="c" href="\(chapter)" media-type="application/xhtml+xml"/></manifest>
        <spine><itemref idref="c"/></spine></package>
        """
    }

    private static func book(_ package: String, _ more: (ZIPBuilder) throws -> Void = { _ in }) throws -> Data {
        try ZIPBuilder.data { zip in
            try zip.store("mimetype", Data("application/epub+zip".utf8))
            try zip.deflate("META-INF/container.xml", container)
            try zip.deflate("p.opf", package)
            try more(zip)
        }
    }

    @Test func `an entity that leads to a file is not followed`() async throws {
        try await CommandRunner.use { runner in
            let prolog = #"<?xml version="1.0"?><!DOCTYPE package [<!ENTITY x SYSTEM "file:///etc/passwd">]>"#
            try runner.write("a.epub", try Self.book(Self.package(prolog, title: "&x;")))
            let outcome = try await runner.run("book", "info", "a.epub")
            expectFailure(outcome, 8, "entity")
            #expect(!outcome.text.contains("root:") && !outcome.error.contains("root:"))
        }
    }

    @Test func `a book whose directory is cut off is put together, with a warning`() async throws {
        try await CommandRunner.use { runner in
            let whole = try SampleBook.small()
            for (name, data) in [("cut", whole.dropLast(100)), ("gone", whole.dropLast(700))] {
                try runner.write("\(name).epub", Data(data))
                let outcome = try await runner.run("book", "info", "\(name).epub")
                #expect(outcome.code == 0 && outcome.text.hasPrefix("title\t\(SampleBook.title)\n"))
                #expect(
                    outcome.text.split(separator: "\n").contains {
                        $0.hasPrefix("warning\t") && $0.contains("\(name).epub")
                    })
            }
            try runner.write("hollow.epub", whole.prefix(60) + Data(count: 900))
            expectFailure(try await runner.run("book", "info", "hollow.epub"), 8, "hollow.epub")
        }
    }

    @Test func `a bomb is refused before it goes off, and leaves no cover`() async throws {
        try await CommandRunner.use { runner in
            let data = try Self.book(Self.package()) { try $0.add("c.xhtml", Data(count: 64 << 20)) }
            try runner.write("bomb.epub", data)
            expectFailure(try await runner.run("book", "cat", "bomb.epub", "c.xhtml"), 8, "c.xhtml")
            expectFailure(try await runner.run("book", "cover", "bomb.epub", "cover.png"), 3)
            #expect(try runner.names().contains("cover.png") == false)
        }
    }

    @Test func `a chapter outside the book is not there`() async throws {
        try await CommandRunner.use { runner in
            try runner.write("out.epub", try Self.book(Self.package(chapter: "../../../../etc/passwd")))
            expectFailure(try await runner.run("book", "ls", "out.epub"), 8, "out.epub")
            try runner.write("good.epub", try SampleBook.small())
            for href in ["../../etc/passwd", "/etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "missing.xhtml"] {
                expectFailure(try await runner.run("book", "cat", "good.epub", href), 3)
            }
        }
    }
}

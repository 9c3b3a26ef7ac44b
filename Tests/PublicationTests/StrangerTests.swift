import FileProviderCore
import Foundation
import SampleBooks
import Testing

import Archives
import MediaTypes
import Publication
import PublicationCache

/// Files in a folder or an archive that are no part of the book in it.
struct StrangerTests {
    private func contents(_ names: [String], size: Int = 10) -> [(String, Data)] {
        names.map { ($0, Data(repeating: 0x2E, count: size)) }
    }

    /// The same files as a folder and as an archive.
    private func open(_ files: [(String, Data)]) async throws -> [Publication] {
        let zip = try ZIPBuilder.data { builder in
            for (name, data) in files { try builder.store(name, data) }
        }
        let inFolder = files.map { ("book/" + $0.0, $0.1) }
        let shelf = try await MemoryShelf(Dictionary(inFolder + [("book.zip", zip)], uniquingKeysWith: { $1 }))
        var books: [Publication] = []
        for name in ["book", "book.zip"] {
            books.append(try await Publication.open(path: ProviderPath(name), of: shelf.provider))
        }
        return books
    }

    private func sentence(_ names: [String]) async -> String? {
        do {
            _ = try await open(contents(names))
            return nil
        } catch { return error.sentence }
    }

    @Test(arguments: [
        "metadata.json", "metadata.opf", "book.sfv", "lyrics.lrc", "desc.txt", "x.nfo", "x.log", "x.md5", "x.url",
        "x.srt", "x.docx",
        "x.xyz",
        "info.html",
    ])
    func `one file more is no reason to refuse sound`(stranger: String) async throws {
        for book in try await open(contents(["01.mp3", "02.mp3", stranger])) {
            #expect(book.readingOrder.map(\.href) == ["01.mp3", "02.mp3"] && book.resources.isEmpty)
            let isUsual = stranger.hasSuffix(".txt") || stranger.hasSuffix(".nfo")
            #expect(book.tags == (isUsual ? [] : ["unused-file"]))
            #expect(isUsual || book.warnings[0].message.contains(stranger))
        }
    }

    @Test(arguments: ["metadata.opf", "series.json", "details.json", "extras.pdf", "desc.txt", "x.sfv", "x.xyz"])
    func `one file more is no reason to refuse pictures`(stranger: String) async throws {
        for book in try await open(contents(["1.png", "2.png", stranger])) {
            #expect(book.readingOrder.map(\.href) == ["1.png", "2.png"])
            #expect(book.tags == (stranger.hasSuffix(".txt") ? [] : ["unused-file"]))
        }
    }

    @Test(arguments: ["book.epub", "extras.pdf"]) func `a document beside sound is a resource`(document: String)
        async throws
    {
        for book in try await open(contents(["01.mp3", "02.mp3", "cover.jpg", document])) {
            #expect(
                book.readingOrder.count == 2 && book.resources.map(\.href) == ["cover.jpg", document]
                    && book.warnings.isEmpty)
            #expect(book.resources[1].type == (document == "book.epub" ? "application/epub+zip" : "application/pdf"))
        }
    }

    @Test func `what systems leave behind is no page and no track`() async throws {
        let litter = [
            "@eaDir/1.png/SYNOPHOTO_THUMB_M.jpg", ".thumbnails/1.png", "#recycle/0.png", "$RECYCLE.BIN/9.png",
            "@eaDir/a.mp3", "Thumbs.db",
        ]
        for book in try await open(contents(["1.png", "2.png"] + litter)) {
            #expect(book.readingOrder.map(\.href) == ["1.png", "2.png"] && book.warnings.isEmpty)
        }
        for book in try await open(contents(["1.mp3"] + litter)) {
            #expect(book.readingOrder.map(\.href) == ["1.mp3"] && book.resources.isEmpty && book.warnings.isEmpty)
        }
    }

    @Test func `sound prevails if it is long or there is more of it`() async throws {
        let pages = contents(["1.png", "2.png", "3.png"])
        for (sounds, isSound) in [
            (contents(["a.mp3"], size: (1 << 20) + 1), true), (contents(["a.mp3"], size: 1 << 20), false),
            (contents(["a.mp3", "b.mp3", "c.mp3"]), false), (contents(["a.mp3", "b.mp3", "c.mp3", "d.mp3"]), true),
        ] {
            for book in try await open(pages + sounds) {
                #expect(book.readingOrder.allAreAudio == isSound && book.readingOrder.allAreBitmap == !isSound)
            }
        }
        // Beside a long one anything may lie.
        for book in try await open(contents(["a.m4b"], size: 2 << 20) + contents(["b.xyz", "c", "d.jpg"])) {
            #expect(book.readingOrder.map(\.href) == ["a.m4b"] && book.tags == ["unused-file"])
        }
        // A cover is no page.
        for book in try await open(contents(["a.mp3", "cover.jpg", "back.jpg"])) {
            #expect(book.readingOrder.map(\.href) == ["a.mp3"])
        }
    }

    @Test(arguments: [
        ["a.epub", "b.pdf"], ["a.epub", "b.epub", "01.mp3", "02.mp3"], ["a.pdf", "b.pdf", "1.png", "2.png", "3.png"],
        ["x/a.epub", "y/b.epub", "cover.jpg"],
    ])
    func `two books side by side are no book`(names: [String]) async throws {
        let sentence = try #require(await sentence(names))
        for name in names.prefix(2) { #expect(sentence.contains("“\(name)”"), "\(sentence)") }
    }

    @Test(arguments: [
        ["a.mp3", "setup.exe"], ["1.png", "2.png", "main.swift"],
        ["1.png", "2.png", "3.png", "page.html", "style.css"],
        ["1.jpg", "2.jpg", "clip.mp4"], ["cover.jpg", "back.jpg", "book.epub"], ["a.mp3", "b.xyz"], ["a.pdf"],
        ["a.txt"],
    ])
    func `what is no book stays none`(names: [String]) async throws { #expect(await sentence(names) != nil) }
}

import FileProviderCore
import Foundation
import SampleBooks
import Testing

@testable import Publication

struct XPointerTests {
    @Test(arguments: [
        "/body/DocFragment[12]/body/div/p[3]/text().0", "/body/DocFragment[2].0", "/body/DocFragment[2]/body/p",
        "/body/DocFragment[30]/body/p/img.0", "/body/DocFragment[6]/body/div/section/p[43]",
        "/body/DocFragment[9]/body/div/h1[1]/text()[2].911", "/body/DocFragment[1]/body/text().5",
    ])
    func `what KOReader writes is written the same`(text: String) throws {
        #expect(try #require(XPointer(text)).description == text)
    }

    @Test(arguments: [
        ("/body[1]/DocFragment[3]/body[1]/div[1]/p[2]/text()[1].4", "/body/DocFragment[3]/body/div[1]/p[2]/text().4"),
        ("/body/DocFragment/body/p[2]/text().4", "/body/DocFragment[1]/body/p[2]/text().4"),
        ("/body/DocFragment[3]/body/div/autoBoxing[2]/p/text().4", "/body/DocFragment[3]/body/div/p/text().4"),
        ("/body/DocFragment[3]/body.0", "/body/DocFragment[3].0"),
    ])
    func `other versions of KOReader are understood`(text: String, same: String) {
        #expect(XPointer(text)?.description == same)
    }

    @Test(arguments: [
        "", "12", "/", "/body", "/html/body/p", "/body/DocFragment[0]/body", "/body/DocFragment[x]/body",
        "/body/DocFragment[2]/p", "/body/DocFragment[2]/text().0", "/body/DocFragment[2]/body/text()/p",
        "/body/DocFragment[2]/body//p", "/body/DocFragment[2]/body/p[2", "/body/DocFragment[2]/body/id(\"a\")",
        "/body/DocFragment[2]/body/p[9999999999]", "/body/DocFragment[٣]/body", "epubcfi(/6/4)",
        "/body/DocFragment[2]/body" + String(repeating: "/p", count: 300), String(repeating: "/body", count: 1_000),
    ])
    func `what is none is refused`(text: String) {
        #expect(XPointer(text) == nil)
    }

    // MARK: In a chapter

    private static let body = """
        <div><p>One</p></div><div class="x"><h2>Two</h2><p>Three <b>four</b> five</p><p>  six
          seven 😀 eight</p><p><i>a</i><i>b</i> <i>c</i> nine</p></div>
        """

    private func text(_ pointer: String, length: Int = 5) throws -> String? {
        let document = try ContentDocument.xhtml(Self.body)
        let place = try ContentXPointer(document).place(of: #require(XPointer("/body/DocFragment[1]/body" + pointer)))
        return place.map { String(document.string($0.offset..<document.text.count).prefix(length)) }
    }

    @Test(arguments: [
        ("/div/p/text().0", "One\nT"), ("/div[2]/h2", "Two\nT"), ("/div[2]/p/text().2", "ree f"),
        ("/div[2]/p[1]/b/text().1", "our f"), ("/div[2]/p[2]/text().0", "six s"),
        ("/div[2]/p[2]/text().10", "😀 eig"), ("/div[2]/P[2]/text().4", "seven"), ("", "One\nT"),
    ])
    func `a pointer leads to the text`(pointer: String, start: String) throws {
        #expect(try text(pointer) == start)
    }

    @Test(arguments: [
        ("/div[2]/p[9]/text().0", "Two\nT"), ("/div[7]/p", "One\nT"), ("/div[2]/p[2]/text()[5].0", "six s"),
        ("/div[2]/h2/em/text().1", "Two\nT"),
    ])
    func `in a chapter that has changed, a pointer leads to what is left of its path`(
        pointer: String, start: String
    ) throws {
        #expect(try text(pointer) == start)
    }

    @Test func `an offset behind the text stays in it`() throws {
        let document = try ContentDocument.xhtml("<p>One</p><p>Two</p>")
        let pointer = try #require(XPointer("/body/DocFragment[1]/body/p[1]/text().900"))
        let place = try #require(ContentXPointer(document).place(of: pointer))
        #expect(place.offset == 3)
    }

    @Test(arguments: [
        ("One", "/div[1]/p/text().0"), ("wo", "/div[2]/h2/text().1"), ("ree", "/div[2]/p[1]/text().2"),
        ("our", "/div[2]/p[1]/b/text().1"), ("five", "/div[2]/p[1]/text()[2].1"), ("eight", "/div[2]/p[2]/text().12"),
        // White space may be a text node before it.
        ("nine", "/div[2]/p[3]/i[3].0"),
    ])
    func `a place in the text has a pointer that leads back`(word: String, path: String) throws {
        let document = try ContentDocument.xhtml(Self.body)
        let all = document.string(0..<document.text.count)
        let bytes = all[..<(try #require(all.range(of: word))).lowerBound].utf8.count
        let place = ContentDocument.Place(offset: bytes)
        let pointer = ContentXPointer(document).pointer(XPointer(fragment: 4), to: place)
        #expect(pointer.description == "/body/DocFragment[4]/body" + path)
        let back = try #require(ContentXPointer(document).place(of: pointer))
        #expect(back.offset == bytes || word == "nine" && back.offset < bytes)
    }

    @Test func `an element has a pointer without its text`() throws {
        let document = try ContentDocument.xhtml(#"<p>One</p><p id="b">Two</p>"#)
        let node = try #require(document.nodeOfID["b"])
        let place = ContentDocument.Place(offset: document.start(of: Int(node)), node: Int(node))
        let pointer = ContentXPointer(document).pointer(XPointer(fragment: 2), to: place)
        #expect(pointer.description == "/body/DocFragment[2]/body/p[2].0")
    }

    // MARK: In a book

    @Test func `pointers count all items of the spine`() async throws {
        let book = try await LampBook.open()
        let pointer = try #require(XPointer("/body/DocFragment[3]/body/p[1]/i/text().5"))
        let locator = try #require(try await book.locate(pointer))
        #expect(locator.href == "OEBPS/c2.xhtml" && locator.locations.partialCFI?.hasPrefix("/4/4") == true)
        #expect(locator.locations.totalProgression != nil)
        #expect(try await book.pointer(to: locator)?.description == pointer.description)
        let behind = try #require(XPointer("/body/DocFragment[40]/body/p"))
        #expect(try await book.locate(behind) == nil)
        let chapter = LampBook.locator("c3")
        #expect(try await book.pointer(to: chapter)?.fragment == 4)
    }

    @Test func `every paragraph of a sample book is found again`() async throws {
        let shelf = try await MemoryShelf(["book.epub": SampleBook.small()])
        let book = try await Publication.open(path: ProviderPath("book.epub"), of: shelf.provider)
        for chapter in 1...3 {
            for paragraph in 1...4 {
                let text = "/body/DocFragment[\(chapter)]/body/p[\(paragraph)]/text().7"
                let pointer = try #require(XPointer(text))
                let locator = try #require(try await book.locate(pointer))
                #expect(locator.href == "EPUB/chapter-\(chapter).xhtml")
                #expect(try await book.pointer(to: locator)?.description == text)
            }
        }
        await book.close()
    }
}

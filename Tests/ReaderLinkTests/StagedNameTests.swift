import FileProviderCore
import Foundation
import ReaderLink
import Testing

struct StagedNameTests {
    @Test(arguments: [
        "6f1c2d3e.epub", "A Title.epub", "é.epub", "🦉.epub", ".hidden", "..epub", "a..b", "%2e%2e", "status.xml.epub",
        "connected", "ab:c",
        "tmp", "書.epub", String(repeating: "x", count: 255),
    ])
    func `a plain name is one`(name: String) throws { try StagedName.checkDocument(name) }

    @Test(arguments: [
        "", ".", "..", "/", "a/b", "../a.epub", "/etc/passwd", "a\\b", "..\\a", "C:", "c:a.epub", "a:b", "a\u{0}.epub",
        "a\nb", "a\u{7F}",
        "a\u{85}",
        "a\u{202E}bupe.exe", "a\u{2066}b", "a\u{2028}b", "a.", "a ", "...", String(repeating: "x", count: 256),
        String(repeating: "é", count: 128),
    ])
    func `a name that leads elsewhere or hides something is refused`(name: String) {
        #expect(throws: StagedName.Refusal.self) { try StagedName.checkDocument(name) }
    }

    @Test(arguments: [
        "connected.xml", "Connected.XML", "status.xml", "STATUS.xml", "upload_books.xml", "delete_books.xml",
        "update_metadata.xml",
        "rebuild_collections.xml", "update_metadata_items.xml", "command.xml", "cancel.command", "upload_books.tmp",
        "any.TMP",
        "backup.xml",
        "html_response.html", "library.sqlite",
    ])
    func `a name of the protocol is no document's, in whatever case`(name: String) {
        #expect(StagedName.isReserved(name))
        #expect(throws: StagedName.Refusal.self) { try StagedName.checkDocument(name) }
    }

    @Test func `a book may lie in folders below the library's, and nowhere else`() throws {
        let root = try ProviderPath.root.appending("Books")
        #expect(try StagedName.bookPath("a.epub", below: root) == root.appending("a.epub"))
        #expect(
            try StagedName.bookPath("A/b c/d.epub", below: root)
                == root.appending("A").appending("b c").appending("d.epub"))
    }

    @Test(arguments: [
        "", "/", "/a.epub", "a//b", "a/", "../a", "a/../../b", "./a", "a/./b", "a/b\\..\\c", "a/C:/b", "a/b\u{0}",
        "a./b", "a /b",
        String(repeating: "a/", count: 32) + "b",
    ])
    func `a path that leaves the library is refused`(name: String) throws {
        let root = try ProviderPath.root.appending("Books")
        #expect(throws: StagedName.Refusal.self) { try StagedName.bookPath(name, below: root) }
    }

    @Test func `a refusal shows the name without what does something to a terminal`() {
        #expect(StagedName.shown("a\u{1B}[31m\u{202E}b") == "a\u{FFFD}[31m\u{FFFD}b")
        #expect(StagedName.shown(String(repeating: "x", count: 500)).count == 121)
    }
}

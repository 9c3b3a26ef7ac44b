import FileProviderCore
import Foundation
import Testing

import ReaderApplication
import ReaderDriver
import ReaderMessages

/// Titles that must become harmless names.
let hostileTitles = [
    "", " ", ".", "..", "...", "../../etc/passwd", "/etc/passwd", "a/b", "a\\b", "C:\\Windows\\x", "c:x", "CON", "nul",
    "com1.notes", "\0",
    "line\nbreak", "tab\tstop", "\u{1B}[31mred", "\u{202E}txt.epub", "zero\u{200B}width", ".hidden", "._Book",
    ".metadata.calibre",
    "ends in dots...", "ends in spaces   ", "what? <when> \"who\" *|*", "~", "-rf", "%2e%2e%2f", "$HOME", "`id`",
    "\u{FEFF}",
    "\u{10FFAF}\u{10FFFF}", "\u{2028}\u{2029}", "é", "e\u{301}", String(repeating: "x", count: 5000),
    String(repeating: "日本", count: 300), String(repeating: "👨‍👩‍👧‍👦", count: 100),
    "z" + String(repeating: "\u{301}", count: 5000),
    String(repeating: ". ", count: 400), ".carrel-books.sqlite", "connected.xml",
]

@Suite struct PlainFolderNameTests {
    @Test(arguments: hostileTitles)
    func `a title of any kind becomes one harmless name`(title: String) throws {
        for number in [1, 2, 12_345] {
            let name = SafeFileName.make(title: title, number: number, fileExtension: "epub")
            #expect(name.utf8.count <= SafeFileName.maxLength)
            #expect(name.hasSuffix(number == 1 ? ".epub" : " \(number).epub"))
            #expect(name.count > ".epub".count)
            #expect(!name.hasPrefix(".") && !name.hasPrefix(" "))
            #expect(name.unicodeScalars.allSatisfy { !"/\\:*?\"<>|".unicodeScalars.contains($0) })
            try StagedName.checkDocument(name)
            let path = try ProviderPath(name)
            #expect(path.components.count == 1)
            #expect(path.name == name)
        }
    }

    @Test(arguments: [
        ("The Lamp", "The Lamp.epub"), ("a/b: c", "a_b_ c.epub"), ("..", "Untitled.epub"), ("CON", "_CON.epub"),
        ("two\n lines", "two lines.epub"), ("e\u{301}", "\u{E9}.epub"),
    ])
    func `a name stays as near to its title as it can`(title: String, name: String) {
        #expect(Array(SafeFileName.make(title: title, fileExtension: "epub").utf8) == Array(name.utf8))
    }

    @Test func `a long title is cut between characters`() {
        let name = SafeFileName.make(title: String(repeating: "日", count: 300), number: 7, fileExtension: "epub")
        #expect(name == String(repeating: "日", count: (200 - " 7.epub".utf8.count) / 3) + " 7.epub")
    }

    @Test(arguments: [
        ("epub", true), ("PDF", true), ("", false), ("e/b", false), ("epub\n", false), ("é", false),
        ("abcdefghijk", false),
    ])
    func `only letters and digits make an extension`(text: String, isOne: Bool) {
        #expect(SafeFileName.isExtension(text) == isOne)
    }
}

import Foundation
import Testing

@testable import ShelfServer

@Suite struct `Markup of pages` {
    @Test func `escapes text and keeps markup`() {
        let text = "<b>\"Tom\" & 'Jerry'</b>"
        let item: HTML = "<li title=\"\(text)\">\(text)</li>"
        let safe = "&lt;b&gt;&quot;Tom&quot; &amp; &#39;Jerry&#39;&lt;/b&gt;"
        #expect(item.text == "<li title=\"\(safe)\">\(safe)</li>")
        let items = [item, item]
        let nothing: HTML? = nil
        let list: HTML = "<ul>\(items)\(nothing)</ul>\(2)"
        #expect(list.text == "<ul>\(item.text)\(item.text)</ul>2")
    }

    @Test func `takes the place of names, and is not searched for more`() {
        let file = PageFile(Array("<p>{{a}}{{b}}{{missing}}</p>".utf8))
        #expect(file.filled(with: ["a": "{{b}}", "b": "<i>x</i>"]).text == "<p>{{b}}<i>x</i></p>")
    }
}

@Suite struct `Texts of pages` {
    @Test func `are numbers that can be read`() {
        #expect(PageText.count(1, "book") == "1 book")
        #expect(PageText.count(0, "book") == "0 books")
        #expect(PageText.grouped(999) == "999")
        #expect(PageText.grouped(1_000) == "1,000")
        #expect(PageText.grouped(1_234_567) == "1,234,567")
        #expect(PageText.number(2) == "2")
        #expect(PageText.number(2.5) == "2.5")
        #expect(PageText.number(-0.5) == "−0.5")
        #expect(PageText.number(.infinity) == nil)
        #expect(PageText.number(.nan) == nil)
    }

    private static let sizes: [(Int64, String)] = [
        (0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1 kB"), (1_250, "1.3 kB"), (9_949, "9.9 kB"),
        (9_950, "10 kB"), (999_400, "999 kB"), (999_600, "1 MB"), (12_345_678, "12 MB"), (2_500_000_000, "2.5 GB"),
        (5_000_000_000_000, "5000 GB"),
    ]

    @Test(arguments: sizes)
    func `are sizes of two digits or three`(bytes: Int64, text: String) {
        #expect(PageText.size(bytes) == text)
    }

    @Test func `are lengths of recordings`() {
        #expect(PageText.duration(59.9) == "59 s")
        #expect(PageText.duration(61) == "1 min")
        #expect(PageText.duration(3_599) == "1 h")
        #expect(PageText.duration(12_000) == "3 h 20 min")
        for none in [0, -1, .nan, .infinity] as [Double] { #expect(PageText.duration(none) == nil) }
    }

    @Test func `are parts in percent, whatever a client sent`() {
        #expect(PageText.percent(0.426) == 43)
        #expect(PageText.percent(7) == 100)
        #expect(PageText.percent(-7) == 0)
        for none in [nil, .nan, .infinity] as [Double?] { #expect(PageText.percent(none) == nil) }
    }

    @Test func `are days, and years of a publication`() throws {
        func date(_ text: String) throws -> Date { try Date(text + "T00:00:00Z", strategy: Date.ISO8601FormatStyle()) }
        #expect(PageText.day(try date("2026-11-29")) == "29 November 2026")
        #expect(PageText.publication(try date("1851-10-18")) == "18 October 1851")
        #expect(PageText.publication(try date("1851-01-01")) == "1851")
        #expect(PageText.publication(try date("0101-01-01")) == nil)
    }
}

@Suite struct `A description on a page` {
    private static let descriptions: [(String, [String])] = [
        ("<p>One <b>W</b>ord</p>\n<p>Two</p>", ["One Word", "Two"]),
        ("<P CLASS=x>A<BR/>B</P><ul><li>C<li>D</ul>", ["A", "B", "C", "D"]),
        ("First line\n\nSecond line", ["First line", "Second line"]),
        ("a < b and c > d", ["a < b and c > d"]),
        ("<p>1 < 2</p>", ["1 < 2"]),
        ("The end <b", ["The end <b"]),
        ("AT&amp;T &lt;i&gt;", ["AT&T <i>"]),
        ("<!-- x --><script>alert(1)</script>", ["alert(1)"]),
        (" \n<p> </p>", []),
        ("", []),
    ]

    @Test(arguments: descriptions)
    func `is plain text in paragraphs`(description: String, paragraphs: [String]) {
        #expect(DescriptionText.paragraphs(description) == paragraphs)
    }

    @Test func `is cut, and many brackets are read in linear time`() {
        let brackets = String(repeating: "<", count: 2 * DescriptionText.maxLength)
        #expect(DescriptionText.paragraphs(brackets).map(\.count) == [DescriptionText.maxLength])
        #expect(DescriptionText.paragraphs(String(repeating: "<p", count: DescriptionText.maxLength)).count == 1)
    }
}

@Suite struct `The numbers of pages` {
    @Test func `are the first, the last and those around this one`() {
        #expect(PageNumbers(number: 5, count: 200).shown == [1, 4, 5, 6, 200])
        #expect(PageNumbers(number: 1, count: 2).shown == [1, 2])
        #expect(PageNumbers(number: 2, count: 3).shown == [1, 2, 3])
        #expect(PageNumbers(number: 200, count: 200).shown == [1, 199, 200])
    }

    @Test func `are links, with ways forth and back`() {
        let links = PageNumbers(number: 1, count: 1_234).links { "/books?page=\($0)&sort=title" }.text
        #expect(links.contains("<a rel=\"next\" href=\"/books?page=2&amp;sort=title\">"))
        #expect(!links.contains("rel=\"prev\""))
        #expect(links.contains(">Page </span>1,234</a>"))
        #expect(links.contains("…"))
        #expect(PageNumbers(number: 1, count: 1).links { "\($0)" }.text.isEmpty)
    }
}

import Cryptography
import FileProviderCore
import Foundation
import Publication
@testable import PublicationServer
import SampleBooks
import Testing
import WebServer

/// Sends `document` in pieces of `size` bytes.
private func injected(_ document: Data, isXML: Bool, size: Int = .max) async throws -> Data {
    let sink = DataSink(limit: 1 << 20)
    let injecting = FrameInjectionSink(sink, FrameInjection(isXML: isXML))
    var rest = document
    while !rest.isEmpty {
        _ = try rest.prefix(size).withUnsafeBytes { try injecting.write($0) }
        rest = rest.dropFirst(size)
    }
    try await injecting.finish()
    return sink.data
}

private func utf16(_ text: String, isBigEndian: Bool) -> Data {
    Data(
        text.utf16.flatMap { unit -> [UInt8] in
            let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
            return isBigEndian ? [high, low] : [low, high]
        })
}

/// In each document, `¦` stands where the script has to be.
@Suite struct `The page's script in a chapter` {
    private static let xhtml = [
        "<html><head>¦<title>T</title></head><body/></html>",
        "<?xml version='1.0'?><html xmlns='x'>\n<head\n id='a>b'>¦</head><body/></html>",
        "\u{FEFF}<html><head>¦</head></html>",
        "<html><head/>¦<body/></html>",
        "<html><!-- <head> --><head>¦</head></html>",
        "<!-- <html><head> --><?x <head> ?><html><head>¦</head></html>",
        "<!DOCTYPE html [<!ENTITY a '<head>]>'> <!-- ' -->]><html><head>¦</head></html>",
        "<!DOCTYPE html PUBLIC '-//W3C//DTD XHTML 1.1//EN' 'http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd'><html><head>¦</head></html>",
        "<html><![CDATA[<head>]]><head>¦</head></html>",
        "<html>¦<body><p/></body></html>",
        "<html>¦<header/><body/></html>",
        "<h:html xmlns:h='x'><h:head>¦</h:head></h:html>",
        "<html>¦",
    ]

    private static let html = [
        "<!doctype html>¦<p>x", "¦<p>x", "¦x", "¦",
        "<HTML lang=en><HEAD PROFILE='>'>¦x</HEAD ><BODY>", "<html>¦<title>x<body>y", "<body class=x>¦y",
        "<head>¦<meta charset=utf-8><body>y", "<!-- a > <head> --><!DOCTYPE html><html><head>¦",
        "<html>¦<frameset></frameset>", "\u{FEFF}<!doctype html>¦<p>x",
    ]

    private func check(_ marked: String, isXML: Bool) async throws {
        let parts = marked.components(separatedBy: "¦")
        let script = isXML ? FrameScript.xhtml : FrameScript.html
        for size in [1, 7, Int.max] {
            let changed = try await injected(Data(parts.joined().utf8), isXML: isXML, size: size)
            #expect(String(decoding: changed, as: UTF8.self) == parts[0] + script + parts[1], "in pieces of \(size)")
        }
        for isBigEndian in [false, true] {
            let mark = marked.hasPrefix("\u{FEFF}") ? "" : "\u{FEFF}"
            let changed = try await injected(
                utf16(mark + parts.joined(), isBigEndian: isBigEndian), isXML: isXML, size: 5)
            #expect(changed == utf16(mark + parts[0] + script + parts[1], isBigEndian: isBigEndian))
        }
    }

    @Test(arguments: xhtml)
    func `comes before anything else of XHTML runs`(marked: String) async throws {
        try await check(marked, isXML: true)
    }

    @Test(arguments: html)
    func `comes before anything else of HTML runs`(marked: String) async throws {
        try await check(marked, isXML: false)
    }

    @Test(arguments: [
        "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<html/>", "<body/>", "<!-- <html>", "no markup", "<head/>",
    ])
    func `is left out of XML that is no chapter`(text: String) async throws {
        #expect(try await injected(Data(text.utf8), isXML: true) == Data(text.utf8))
    }

    @Test func `is left out of UTF-32, whose markup is not ASCII`() async throws {
        let bytes = Data([0xFF, 0xFE, 0, 0]) + Data("<html>".utf8.flatMap { [$0, 0, 0, 0] })
        #expect(try await injected(bytes, isXML: false) == bytes)
    }

    @Test func `is in the first 64 KiB or behind the root`() async throws {
        let comment = "<!--" + String(repeating: "x", count: 100_000) + "-->"
        let late = "<html>\(comment)<head></head></html>"
        let changed = try await injected(Data(late.utf8), isXML: true, size: 10_000)
        #expect(changed == Data("<html>\(FrameScript.xhtml)\(comment)<head></head></html>".utf8))
        let endless = comment + "<html><head></head></html>"
        #expect(try await injected(Data(endless.utf8), isXML: true, size: 10_000) == Data(endless.utf8))
    }

    @Test func `passes the rest on as it is, whatever it is`() async throws {
        let rest = SampleText.noise(300_000)
        let start = Data("<html><head>".utf8)
        let changed = try await injected(start + rest, isXML: false, size: 65_536)
        #expect(changed == start + Data(FrameScript.html.utf8) + rest)
    }
}

@Suite struct `The text of the page's script` {
    @Test func `is the same in each encoding, and ends where the element does`() {
        let text = FrameScript.text
        #expect(text.utf8.allSatisfy { $0 < 0x80 } && !text.contains("\r"))
        for word in ["</script", "<script", "<!--", "]]>"] { #expect(!text.lowercased().contains(word), "\(word)") }
        #expect(FrameScript.hash == Digest(.sha256, of: Data(text.utf8)).base64)
        #expect(FrameScript.html == "<script>\(text)</script>")
    }

    @Test func `has letters beyond ASCII as escapes`() {
        #expect(FrameScript.plain("a = '“\u{1F4D6}”';\r\n") == "a = '\\u201c\\ud83d\\udcd6\\u201d';\n")
    }

    @Test func `is escaped in XHTML`() {
        #expect(FrameScript.escaped("a < b && c > d") == "a &lt; b &amp;&amp; c &gt; d")
    }
}

@Suite struct `A chapter for the page's frame` {
    private func book() async throws -> ServedBook {
        try await ServedBook(.of(["c1.xhtml application/xhtml+xml", "page.svg image/svg+xml", "long.html text/html"])) {
            try $0.deflate("c1.xhtml", SampleText.chapter)
            try $0.deflate("page.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>")
            try $0.deflate("long.html", "<html><head></head>" + String(repeating: "It was warm. ", count: 20_000))
        }
    }

    @Test func `has the script, and a policy that allows it alone`() async throws {
        let book = try await book()
        let answer = await book.answer("c1.xhtml?~frame", [("Range", "bytes=0-3"), ("Accept-Encoding", "gzip")])
        #expect(answer.status == 200)
        let text = try await answer.text()
        #expect(text == SampleText.chapter.replacing("<head>", with: "<head>" + FrameScript.xhtml))
        #expect(answer.header("Content-Type") == "application/xhtml+xml")
        #expect(answer.header("Content-Encoding") == nil && answer.header("Accept-Ranges") == nil)
        let policy = try #require(answer.header("Content-Security-Policy"))
        #expect(policy.contains("'sha256-\(FrameScript.hash)'") && policy.contains("sandbox allow-scripts"))
        #expect(!policy.contains("allow-same-origin"))
        #expect(book.fetcher.asked == ["c1.xhtml"])
    }

    @Test func `is another version than the chapter by itself`() async throws {
        let book = try await book()
        let tag = try #require(await book.answer("c1.xhtml?~frame").header("ETag"))
        #expect(await book.answer("c1.xhtml").header("ETag") != tag)
        let bytes = await book.bytesRead {
            #expect(await book.answer("c1.xhtml?~frame", [("If-None-Match", tag)]).status == 304)
            #expect(await book.answer("c1.xhtml?~frame", method: "HEAD").header("ETag") == tag)
        }
        #expect(bytes == 0)
    }

    @Test func `is streamed when it is long`() async throws {
        let book = try await book()
        let whole = try await book.answer("long.html").text()
        let answer = await book.answer("long.html?~frame")
        #expect(answer.isStreamed)
        #expect(try await answer.text() == whole.replacing("<head>", with: "<head>" + FrameScript.html))
    }

    @Test func `is no picture`() async throws {
        let answer = try await book().answer("page.svg?~frame")
        #expect(try await answer.text().hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"))
        #expect(answer.header("Content-Security-Policy")?.contains("allow-scripts") == false)
    }
}

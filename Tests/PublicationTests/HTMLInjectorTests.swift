import FileProviderCore
import Foundation
import Testing

import Archives
import MediaTypes
@testable import Publication
import PublicationCache

private let injector: HTMLInjector = {
    var injector = HTMLInjector()
    injector.headStart = ["<A/>"]
    injector.headEnd = ["<Z/>"]
    return injector
}()

private func inject(_ text: String, type: String = "application/xhtml+xml", injector: HTMLInjector = injector)
    -> String?
{
    injector.inject(into: Data(text.utf8), of: Link(href: "a", type: type)).map { String(decoding: $0, as: UTF8.self) }
}

@Suite struct HTMLInjectorTests {
    @Test(arguments: [
        (
            "<html><head><title>T</title></head><body/></html>",
            "<html><head><A/><title>T</title><Z/></head><body/></html>"
        ),
        ("<HTML><HEAD PROFILE='>'>x</HEAD ><BODY>", "<HTML><HEAD PROFILE='>'><A/>x<Z/></HEAD ><BODY>"),
        ("<html><head/><body/></html>", "<html><head><A/><Z/></head><body/></html>"),
        ("<html><head a='/' /><body/></html>", "<html><head a='/' ><A/><Z/></head><body/></html>"),
        (
            "<html><!-- <head></head> --><head></head></html>",
            "<html><!-- <head></head> --><head><A/><Z/></head></html>"
        ),
        ("<html><body><p/></body></html>", "<html><head><A/><Z/></head><body><p/></body></html>"),
        ("<html><header/><body/></html>", "<html><head><A/><Z/></head><header/><body/></html>"),
        (
            "<?xml version='1.0'?><?x <head> ?><!DOCTYPE html [<!ENTITY a '<head>]>'>]><html><head></head></html>",
            "<?xml version='1.0'?><?x <head> ?><!DOCTYPE html [<!ENTITY a '<head>]>'>]><html><head><A/><Z/></head></html>"
        ),
        (
            "<!DOCTYPE html [<!-- it's ]> -->]><html><head></head></html>",
            "<!DOCTYPE html [<!-- it's ]> -->]><html><head><A/><Z/></head></html>"
        ),
        (
            "<html><head><style><![CDATA[</head>]]></style></head></html>",
            "<html><head><A/><style><![CDATA[</head>]]></style><Z/></head></html>"
        ),
        ("<html><head><script src='x'/></head></html>", "<html><head><A/><script src='x'/><Z/></head></html>"),
        ("<html><head><![CDATA[</head>]]></head></html>", "<html><head><A/><![CDATA[</head>]]><Z/></head></html>"),
    ])
    func `snippets go behind the head's start and before its end`(before: String, after: String) {
        #expect(inject(before) == after)
    }

    @Test(arguments: [
        ("<p>x", "<head><A/><Z/></head><p>x"), ("<!doctype html><p>x", "<!doctype html><head><A/><Z/></head><p>x"),
        ("<body>x", "<head><A/><Z/></head><body>x"),
        ("<html><head><title>x<body>y", "<html><head><A/><Z/><title>x<body>y"),
        ("<head><meta charset=utf-8><body>y", "<head><A/><meta charset=utf-8><Z/><body>y"),
        (
            "<html><head><script>'</head>'; '<body>'</SCRIPT></head>",
            "<html><head><A/><script>'</head>'; '<body>'</SCRIPT><Z/></head>"
        ),
        ("<html><head><script>if (a</script>b</head>", "<html><head><A/><script>if (a</script>b<Z/></head>"),
        ("", "<head><A/><Z/></head>"),
        ("a < b <", "<head><A/><Z/></head>a < b <"), ("<html", "<head><A/><Z/></head><html"),
    ])
    func `HTML may leave tags out`(before: String, after: String) {
        #expect(inject(before, type: "text/html") == after)
    }

    @Test(arguments: [
        "", "<svg xmlns='http://www.w3.org/2000/svg'/>", "<h:html><h:head/></h:html>", "<html", "<!-- <html>",
    ])
    func `XHTML without a root that is known stays as it is`(text: String) { #expect(inject(text) == nil) }

    @Test func `attributes are set where they are missing, and classes and styles are added to`() {
        var injector = HTMLInjector()
        injector.htmlAttributes = ["dir": "rtl", "class": "a", "style": #"--x: "y" & 'z'"#]
        injector.bodyAttributes = ["dir": "rtl", "class": "night"]
        #expect(
            inject("<html><body dir='ltr' CLASS=day>", type: "text/html", injector: injector)
                == #"<html class="a" dir="rtl" style="--x: &quot;y&quot; &amp; 'z'"><body dir='ltr' CLASS="day night">"#
        )
        #expect(
            inject("<html class='' style='b' xml:dir='x'><body class=\"\"/></html>", injector: injector)
                == #"<html dir="rtl" class='a' style='b;--x: &quot;y&quot; &amp; &#39;z&#39;' xml:dir='x'><body dir="rtl" class="night"/></html>"#
        )
    }

    @Test func `what is injected fits the document's encoding`() throws {
        var injector = HTMLInjector()
        injector.headEnd = ["<é/>"]
        let text = "<?xml version='1.0' encoding='ENC'?><html><head></head><body>ü</body></html>"
        func result(
            _ name: String, _ encoding: String.Encoding, mark: [UInt8] = [], type: String = "application/xhtml+xml"
        ) throws
            -> String?
        {
            let data = try Data(mark) + #require(text.replacing("ENC", with: name).data(using: encoding))
            guard let changed = injector.inject(into: data, of: Link(href: "a", type: type)) else { return nil }
            #expect(changed.starts(with: mark))
            return String(data: changed.dropFirst(mark.count), encoding: encoding)
        }
        func expected(_ name: String, _ snippet: String) -> String {
            text.replacing("ENC", with: name).replacing("</head>", with: snippet + "</head>")
        }
        #expect(try result("utf-8", .utf8) == expected("utf-8", "<é/>"))
        #expect(try result("utf-8", .utf8, mark: [0xEF, 0xBB, 0xBF]) == expected("utf-8", "<é/>"))
        #expect(try result("ISO-8859-1", .isoLatin1) == expected("ISO-8859-1", "<&#233;/>"))
        #expect(try result("x", .isoLatin1, type: "text/html;charset=iso-8859-1") == expected("x", "<&#233;/>"))
        #expect(try result("utf-16", .utf16LittleEndian, mark: [0xFF, 0xFE]) == expected("utf-16", "<é/>"))
        #expect(try result("utf-16", .utf16BigEndian, mark: [0xFE, 0xFF]) == expected("utf-16", "<é/>"))
        #expect(try result("utf-16", .utf16BigEndian) == expected("utf-16", "<é/>"))
        for name in ["ISO-2022-JP", "utf-7", "UTF-32"] { #expect(try result(name, .utf8) == nil) }
        let meta = "<html><head><meta charset='windows-1252'></head>"
        #expect(
            inject(meta, type: "text/html", injector: injector)
                == "<html><head><meta charset='windows-1252'><&#233;/></head>")
    }

    /// Pitfall 24: lengths and ranges are those of the changed resource.
    @Test func `the changed resource is one like any other`() async throws {
        let text = "<html><head></head><body>x</body></html>"
        let expected = "<html><head><A/><Z/></head><body>x</body></html>"
        var link = Link(href: "a.xhtml", type: "application/xhtml+xml")
        link.size = 1
        let resource = injector.transformer(BytesResource(link, string: text))
        #expect(resource.link.size == nil)
        #expect(try await resource.length() == Int64(expected.utf8.count))
        #expect(try await resource.readAsString() == expected)
        #expect(try await resource.read(12..<20) == Data("<A/><Z/>".utf8))
        #expect(try await resource.read(45..<100) == Data("ml>".utf8))
        #expect(try await resource.read(100..<200).isEmpty)
        let image = BytesResource(Link(href: "a.png", type: "image/png"), string: text)
        #expect(injector.transformer(image) === image)
        #expect(await failure(injector.transformer(EmptyFetcher().get(link))) == .notFound)
    }

    @Test func `what is too large stays as it is, whatever length it claims`() async throws {
        var small = injector
        small.limit = 30
        let text = "<html><head></head><body>x</body></html>"
        let resource = small.transformer(
            BytesResource(Link(href: "a.xhtml", type: "application/xhtml+xml"), string: text))
        #expect(try await resource.length() == 40)
        #expect(try await resource.readAsString() == text)
        let liar = small.transformer(LyingResource(Link(href: "a.xhtml", type: "application/xhtml+xml"), text))
        #expect(try await liar.readAsString() == text)
    }

    @Test func `snippets are made for links, scripts and styles`() {
        #expect(
            HTMLInjector.stylesheet("a?b&c\"d") == #"<link rel="stylesheet" type="text/css" href="a?b&amp;c&quot;d"/>"#)
        #expect(HTMLInjector.script("a.js") == #"<script type="text/javascript" src="a.js"></script>"#)
        #expect(HTMLInjector.style("p{}") == #"<style type="text/css">p{}</style>"#)
        #expect(HTMLInjector.style("p>a::after{content:'<'}").contains("/*<![CDATA[*/"))
    }

    /// In one pass four times the document takes four times as long, and with a second look at the rest for each unit
    /// sixteen times.
    @Test(arguments: ["<", "<!--", "<!", "<a ", "</", "<script>", "<a b='", "<![CDATA[", "<?"])
    func `hostile documents are scanned in one pass`(unit: String) throws {
        for (start, type) in [("", "text/html"), ("<html>", "application/xhtml+xml")] {
            let times = [20_000, 80_000].map { count in
                let text = start + String(repeating: unit, count: count)
                return (0..<3).map { _ in timeOnThisThread { _ = inject(text, type: type) } }.min() ?? .zero
            }
            #expect(times[1] < times[0] * 9 + .milliseconds(20), "\(type): \(times)")
        }
    }
}

/// What `body` computes: what other threads do in the meantime does not count (clock_gettime(2)).
private func timeOnThisThread(_ body: () -> Void) -> Duration {
    func now() -> Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    body()
    return now() - start
}

/// Says that it is shorter than it is.
private final class LyingResource: Resource {
    let link: Link
    private let base: BytesResource

    init(_ link: Link, _ text: String) {
        self.link = link
        base = BytesResource(link, string: text)
    }

    func length() async throws -> Int64 { 3 }

    func stream(_ range: Range<Int64>?, into sink: any ByteSink) async throws {
        try await base.stream(range, into: sink)
    }
}
